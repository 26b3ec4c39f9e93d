import type { CountedConnection, PageRequest } from '../../server/connection';
import type { Database } from '../../server/database';
import type { RtiContact, RtiUser } from '../domain/rti-user';
import type { ContactVault } from './contact-vault';
import type { OffsetPage, OffsetRequest } from './offset-page';
import { RegisterList, type StatusFilter } from './register-list';

/** An RTI User's entry as it is stored: its contact is opened when it is asked for. */
export interface StoredRtiUser extends Omit<RtiUser, 'contact'> {
  readonly contactSealed: Buffer | null;
}

/** Columns of an RTI User's entry. */
export const RTI_USER_COLUMNS = `user_id as "userId", name, display_name as "displayName", status, support, webhook_url as "webhookUrl",
  contact_sealed as "contactSealed", last_modified as "lastModified"`;

const BY_ID = {
  name: 'rti_users_by_id',
  text: `select ${RTI_USER_COLUMNS} from rti_user where user_id = any($1::text[])`,
};

/** The register of RTI Users, read anew for every request: a suspension is seen at once. */
export class RtiUserLists {
  private readonly rowOf: (userId: string) => Promise<StoredRtiUser | undefined>;
  private readonly list: RegisterList<StoredRtiUser>;

  constructor(
    database: Database,
    private readonly contacts: ContactVault,
  ) {
    this.rowOf = database.reads.byKey(BY_ID, (row: StoredRtiUser) => row.userId, String);
    const place = { table: 'rti_user', key: 'user_id', columns: RTI_USER_COLUMNS } as const;
    this.list = new RegisterList(database, place, ({ userId }) => userId);
  }

  /** An RTI User by its identifier. */
  async byId(userId: string): Promise<StoredRtiUser | null> {
    return (await this.rowOf(userId)) ?? null;
  }

  /** Whom suppliers turn to. */
  contactOf({ userId, contactSealed }: StoredRtiUser): RtiContact | null {
    return contactSealed && this.contacts.open(userId, contactSealed);
  }

  /** A page after a cursor. */
  connection(statuses: StatusFilter, page: PageRequest): Promise<CountedConnection<StoredRtiUser>> {
    return this.list.connection(statuses, page);
  }

  /** A page by number. */
  page(statuses: StatusFilter, request: OffsetRequest): Promise<OffsetPage<StoredRtiUser>> {
    return this.list.page(statuses, request);
  }
}
