import type { CountedConnection, PageRequest } from '../../server/connection';
import type { Database } from '../../server/database';
import type { Supplier } from '../domain/supplier';
import type { OffsetPage, OffsetRequest } from './offset-page';
import { RegisterList, type StatusFilter } from './register-list';

/** Columns of a supplier's entry. */
export const SUPPLIER_COLUMNS = `mpid, name, display_name as "displayName", status, support, api_url as "apiUrl", oauth_url as "oauthUrl",
  issuer, audience, last_modified as "lastModified"`;

const BY_MPID = {
  name: 'suppliers_by_mpid',
  text: `select ${SUPPLIER_COLUMNS} from supplier where mpid = any($1::text[])`,
};

/** The register of suppliers, read anew for every request: a suspension is seen at once. */
export class SupplierLists {
  private readonly rowOf: (mpid: string) => Promise<Supplier | undefined>;
  private readonly list: RegisterList<Supplier>;

  constructor(database: Database) {
    this.rowOf = database.reads.byKey(BY_MPID, (row: Supplier) => row.mpid, String);
    const place = { table: 'supplier', key: 'mpid', columns: SUPPLIER_COLUMNS } as const;
    this.list = new RegisterList(database, place, ({ mpid }) => mpid);
  }

  /** A supplier by its market participant id. */
  async byMpid(mpid: string): Promise<Supplier | null> {
    return (await this.rowOf(mpid)) ?? null;
  }

  /** A page after a cursor. */
  connection(statuses: StatusFilter, page: PageRequest): Promise<CountedConnection<Supplier>> {
    return this.list.connection(statuses, page);
  }

  /** A page by number. */
  page(statuses: StatusFilter, request: OffsetRequest): Promise<OffsetPage<Supplier>> {
    return this.list.page(statuses, request);
  }
}
