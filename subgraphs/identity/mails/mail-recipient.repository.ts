import type { Database } from '../../server/database/database';
import type { PersonalDataCipher } from '../records/personal-data-cipher';

/** Conditions at the time of sending: the record is neither closing nor anonymised, and the link has not expired. */
const RECIPIENT = {
  name: 'mail_recipient',
  text: `select r.sealed, k.wrapped as "wrappedKey"
    from identity_record r join identity_keys.data_key k on k.record_id = r.id
    where r.id = $1 and r.anonymised_at is null and r.closing_at is null and $2 > register_now()`,
};

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
