import type { Session } from '../../server/database/transaction';

/** The first of some records that has an address, and what identifies the address, by blind indexes. */
interface Recipient {
  readonly recordId: string;
  /** The address among those of the record's Data User. */
  readonly address: string;
  /** The address at its meter point. */
  readonly homeAddress: string;
}

const RECIPIENT = {
  name: 'mail_recipient',
  text: `select id as "recordId", encode(email_index, 'hex') || ' ' || duid as address,
      encode(email_index, 'hex') || ' ' || encode(mpxn_index, 'hex') as "homeAddress"
    from identity_record where id = any($1) and email_index is not null order by array_position($1::uuid[], id) limit 1`,
};

/** Returns the first of the records, in their order, that has an address; undefined if none has one, as after anonymising. */
export async function recipientOf(session: Session, recordIds: readonly string[]): Promise<Recipient | undefined> {
  return (await session.query<Recipient>({ ...RECIPIENT, values: [recordIds] })).rows[0];
}
