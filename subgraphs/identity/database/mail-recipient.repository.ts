import type { Database } from '../../server/database';
import type { PersonalDataVault } from './personal-data-vault';

/** Conditions are those of the instant of sending: a record that is closing or anonymised gets no mail, nor does a link that expired. */
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

/** To whom mails go: the address is in the sealed personal data only. */
export class MailRecipientRepository {
  constructor(
    private readonly database: Database,
    private readonly vault: PersonalDataVault,
  ) {}

  /** The address of a live record, unless the instant until which the mail is of use has passed. */
  async addressFor(recordId: string, usefulUntil: Date): Promise<string | undefined> {
    const { rows } = await this.database.pool.query<RecipientRow>({ ...RECIPIENT, values: [recordId, usefulUntil] });
    const [row] = rows;
    return row === undefined ? undefined : (this.vault.open(recordId, row).email ?? undefined);
  }
}
