import type { Database } from '../../server/database/database';
import type { Session } from '../../server/database/transaction';
import { LIVE } from '../occupancy/meter-point-records.sql';
import type { PersonalDataCipher } from '../records/personal-data-cipher';

/** Conditions at the time of sending: the record is neither closed nor anonymised, and the link has not expired. */
const RECIPIENT = {
  name: 'mail_recipient',
  text: `select r.sealed, k.wrapped as "wrappedKey"
    from identity_record r join identity_keys.data_key k on k.record_id = r.id
    where r.id = $1 and ${LIVE} and $2 > register_now()`,
};

const ADDRESS_INDEX = {
  name: 'mail_address_index',
  text: `select encode(email_index, 'hex') as address from identity_record where id = $1`,
};

/** Returns the blind index of the address of a record; null without an address. */
export async function addressIndexOf(session: Session, recordId: string): Promise<string | null> {
  const { rows } = await session.query<{ address: string | null }>({ ...ADDRESS_INDEX, values: [recordId] });
  return rows[0]?.address ?? null;
}

interface RecipientRow {
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
}

/** Recipients of mails; addresses are stored only in encrypted personal data. */
export class MailRecipientRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PersonalDataCipher,
  ) {}

  /** Returns the address of a live record; undefined if the mail is no longer useful. */
  async addressFor(recordId: string, usefulUntil: Date): Promise<string | undefined> {
    const { rows } = await this.database.pool.query<RecipientRow>({ ...RECIPIENT, values: [recordId, usefulUntil] });
    const [row] = rows;
    return row === undefined ? undefined : (this.cipher.open(recordId, row).email ?? undefined);
  }
}
