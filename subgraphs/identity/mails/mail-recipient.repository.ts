import type { Session } from '../../server/database/transaction';

const ADDRESS = {
  name: 'mail_address',
  text: `select encode(email_index, 'hex') || ' ' || duid as address from identity_record where id = $1`,
};

/** Returns the blind index of the address of a record with the DUID of its Data User; null without an address. */
export async function addressOf(session: Session, recordId: string): Promise<string | null> {
  const { rows } = await session.query<{ address: string | null }>({ ...ADDRESS, values: [recordId] });
  return rows[0]?.address ?? null;
}
