import type { Database } from '../../server/database/database';
import type { DataType } from '../../../schema/data-types';
import type { AccountRole } from '../../../schema/roles';
import type { AccountStatus } from './account';

const BY_DUID = {
  name: 'data_user_by_duid',
  text: `select duid, role, display_name, status, registered_at, suspended_at, contact_url, privacy_url, data_types_supported
    from account where duid = any($1)`,
};

interface DirectoryRow {
  readonly duid: string;
  readonly role: AccountRole;
  readonly display_name: string;
  readonly status: AccountStatus;
  readonly registered_at: Date;
  readonly suspended_at: Date | null;
  readonly contact_url: string;
  readonly privacy_url: string | null;
  readonly data_types_supported: DataType[];
}

/** The public directory entry of a Data User. */
export class DirectoryEntry {
  constructor(private readonly row: DirectoryRow) {}
  get duid() {
    return this.row.duid;
  }
  get displayName() {
    return this.row.display_name;
  }
  get status() {
    return this.row.status;
  }
  get registeredAt() {
    return this.row.registered_at;
  }
  get suspendedAt() {
    return this.row.suspended_at;
  }
  get contactUrl() {
    return this.row.contact_url;
  }
  get privacyUrl() {
    return this.row.privacy_url;
  }
  get dataTypesSupported() {
    return this.row.data_types_supported;
  }
}

/** The directory of Data Users. Entries are not cached, so that a suspension is visible in the next request. */
export class DataUserRepository {
  private readonly rowOf: (duid: string) => Promise<DirectoryRow | undefined>;

  constructor(database: Database) {
    this.rowOf = database.reads.byKey(BY_DUID, (row: DirectoryRow) => row.duid, String);
  }

  /** Returns the directory entry of a Data User; null for a portal, which also has a DUID. */
  async listed(duid: string): Promise<DirectoryEntry | null> {
    const row = await this.rowOf(duid);
    return row?.role === 'data_user' ? new DirectoryEntry(row) : null;
  }

  /** Returns the entry of any organisation with a DUID. */
  async byDuid(duid: string): Promise<DirectoryEntry | null> {
    const row = await this.rowOf(duid);
    return row ? new DirectoryEntry(row) : null;
  }
}
