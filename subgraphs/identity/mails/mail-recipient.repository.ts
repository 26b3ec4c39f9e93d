import type { Session } from '../../server/database/transaction';

const ADDRESS = {
  name: 'mail_address',
  text: `select encode(email_index, 'hex') || ' ' || duid as address from identity_record where id = $1`,
};

/** Returns what identifies the address of a record among those of its Data User: blind index and DUID; null without an address. */
export async function addressKeyOf(session: Session, recordId: string): Promise<string | null> {
  const { rows } = await session.query<{ address: string | null }>({ ...ADDRESS, values: [recordId] });
  return rows[0]?.address ?? null;
}
