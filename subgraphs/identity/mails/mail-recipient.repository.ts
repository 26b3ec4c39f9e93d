import type { Session } from '../../server/database/transaction';

const ADDRESS_INDEX = {
  name: 'mail_address_index',
  text: `select encode(email_index, 'hex') as address from identity_record where id = $1`,
};

/** Returns the blind index of the address of a record; null without an address. */
export async function addressIndexOf(session: Session, recordId: string): Promise<string | null> {
  const { rows } = await session.query<{ address: string | null }>({ ...ADDRESS_INDEX, values: [recordId] });
  return rows[0]?.address ?? null;
}
