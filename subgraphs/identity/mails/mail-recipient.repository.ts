import type { Session } from '../../server/database/transaction';

const ADDRESS = {
  name: 'mail_address',
  text: `select encode(email_index, 'hex') || ' ' || duid as address from identity_record where id = $1`,
};

const HOME_ADDRESS = {
  name: 'mail_home_address',
  text: `select encode(email_index, 'hex') || ' ' || encode(mpxn_index, 'hex') as address from identity_record
    where id = any($1) and email_index is not null limit 1`,
};

/** Returns what identifies the address of a record among those of its Data User: blind index and DUID; null without an address. */
export const addressKeyOf = (session: Session, recordId: string): Promise<string | null> =>
  keyOf(session, ADDRESS, recordId);

/** Returns what identifies the one address of records at their meter point: the blind indexes; null if all have been anonymised. */
export const homeAddressKeyOf = (session: Session, recordIds: readonly string[]): Promise<string | null> =>
  keyOf(session, HOME_ADDRESS, recordIds);

async function keyOf(
  session: Session,
  statement: typeof ADDRESS,
  of: string | readonly string[],
): Promise<string | null> {
  const { rows } = await session.query<{ address: string | null }>({ ...statement, values: [of] });
  return rows[0]?.address ?? null;
}
