import type { Logger } from 'pino';
import { decrypted } from '../../server/damaged-values';
import type { Database } from '../../server/database/database';
import { errorFields } from '../../server/observability/failures';
import { type EntryKind, RegisterEntryQueries } from './register-entry.queries';
import type { ContactCipher, RtiContact, RtiUser } from './rti-user';

/** An RTI User as stored: with its contact encrypted. */
export interface StoredRtiUser extends Omit<RtiUser, 'contact'> {
  readonly contactSealed: Buffer | null;
}

/** How RTI Users are stored. */
export const RTI_USER: EntryKind<StoredRtiUser> = {
  table: 'rti_user',
  name: 'rti-user',
  key: 'userId',
  columns: {
    ...{ userId: 'user_id', name: 'name', displayName: 'display_name', support: 'support' },
    ...{ webhookUrl: 'webhook_url', contactSealed: 'contact_sealed' },
  },
  personalColumns: ['contact_sealed'],
  audited: ['name', 'displayName', 'webhookUrl'],
  notFound: 'NTF004',
  removed: 'The RTI User was removed',
};

/** Reads the register of RTI Users, by `userId`. */
export class RtiUserQueries extends RegisterEntryQueries<StoredRtiUser> {
  constructor(
    database: Database,
    private readonly contacts: ContactCipher,
    private readonly logger: Pick<Logger, 'error'>,
  ) {
    super(database, RTI_USER);
  }

  /** Decrypts the contact of an RTI User; null if its entry has none. A damaged one is undefined, and is logged. */
  contactOf({ userId, contactSealed }: StoredRtiUser): RtiContact | null | undefined {
    const report = (error: unknown) =>
      this.logger.error({ userId, failure: errorFields(error) }, 'contact of an RTI User cannot be decrypted');
    return contactSealed && decrypted(() => this.contacts.decrypt(userId, contactSealed), report);
  }
}
