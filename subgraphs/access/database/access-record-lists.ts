import type { Database } from '../../server/database';
import {
  type Connection,
  type PageRequest,
  connectionOf,
  cursorOf,
  cursorPosition,
  requirePageSize,
} from '../../server/connection';
import type { Session } from '../../server/transaction';
import type { AccessState, LegalBasis } from '../domain/access-record';
import { countListings } from './looks';
import { stateNow } from './record-state';
import {
  ACCESS_RECORD_COLUMNS,
  type AccessRecordRow,
  COLUMNS_WITHOUT_REFERENCE,
  StoredAccessRecord,
} from './stored-access-record';

/** Which records a list holds; null leaves a condition out. */
export interface AccessRecordFilter {
  readonly duid: string | null;
  readonly meterPointId: string | null;
  readonly state: AccessState | null;
  readonly legalBasis: LegalBasis | null;
}

/** A page, and how its total is counted when asked for. */
export type AccessRecordPage = Connection<StoredAccessRecord> & { readonly total: () => Promise<number> };

/** Entries of a page at most (2-decisions-a-b.md, section 3). */
export const LARGEST_PAGE = 500;

const FILTERS = `($3::text is null or ${stateNow()} = $3) and ($4::text is null or legal_basis = $4)`;
const NEWEST_FIRST = 'order by created_at desc, id desc';
const AFTER = '(created_at, id) < ($5::timestamptz, $6::uuid)';

interface Scope {
  readonly name: string;
  readonly where: string;
  readonly page: string;
}

/** A page is read, and its listing counted, by one statement: no list is shown that is not counted. */
function scope(name: string, where: string, columns = ACCESS_RECORD_COLUMNS): Scope {
  const listed = `select id, meter_point_id from page ${NEWEST_FIRST} limit $7 - 1`;
  const page = `with page as (
      select ${columns}, meter_point_id, date_part('epoch', created_at) as created_seconds
      from access_record where ${where} and ${FILTERS} and ${AFTER} ${NEWEST_FIRST} limit $7),
    looked as (${countListings(listed, '$8')})
    select * from page ${NEWEST_FIRST}`;
  return { name, where, page };
}

/**
 * One statement for each way in, so that each keeps a plan of its own index. All of a meter point's are for portals only, which warn their
 * customers of what was discovered: not any more once it is claimed.
 */
const SCOPES = {
  everything: scope('access_records', '$1::text is null and $2::text is null'),
  dataUser: scope('access_records_of_data_user', 'duid = $1 and $2::text is null'),
  ownAtMeterPoint: scope('own_access_records_at_meter_point', 'meter_point_id = $2 and duid = $1'),
  meterPoint: scope(
    'access_records_at_meter_point',
    '$1::text is null and meter_point_id = $2 and claimed_at is null',
    COLUMNS_WITHOUT_REFERENCE,
  ),
};

function scopeOf({ duid, meterPointId }: AccessRecordFilter): Scope {
  if (meterPointId === null) return duid === null ? SCOPES.everything : SCOPES.dataUser;
  return duid === null ? SCOPES.meterPoint : SCOPES.ownAtMeterPoint;
}

/** A row of a list. */
export type ListedRow = AccessRecordRow & { readonly created_seconds: number };

/** The instant of so many seconds since 1970, to the microsecond, which a Date cannot hold. */
function instantOf(seconds: number): string {
  const microseconds = Math.round(seconds * 1e6);
  const milliseconds = new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1000).padStart(3, '0')}Z`;
}

/** Lists of access records. Who reads one is noted with each record of the page (2-decisions-a-b.md, section 10). */
export class AccessRecordLists {
  constructor(private readonly database: Database) {}

  /** A page of the list, newest first, for an account. */
  async page(filter: AccessRecordFilter, page: PageRequest, accountId: string): Promise<AccessRecordPage> {
    const rows = await this.rows(this.database.pool, filter, page, accountId);
    const isBackOffice = filter.duid === null && filter.meterPointId === null;
    return this.listed(filter, page, rows, (row) => {
      const record = new StoredAccessRecord(row);
      return isBackOffice ? record.forBackOffice() : record;
    });
  }

  /** The rows of a page, and one more if there is another page. */
  async rows(
    session: Session,
    filter: AccessRecordFilter,
    page: PageRequest,
    accountId: string,
  ): Promise<readonly ListedRow[]> {
    requirePageSize(page.first, LARGEST_PAGE);
    const [createdAt, id] = cursorPosition(page.after);
    const values = [...conditions(filter), createdAt, id, page.first + 1, accountId];
    const { name, page: text } = scopeOf(filter);
    return (await session.query<ListedRow>({ name, text, values })).rows;
  }

  /** The page that the rows make. */
  listed(
    filter: AccessRecordFilter,
    page: PageRequest,
    rows: readonly ListedRow[],
    recordOf: (row: ListedRow) => StoredAccessRecord,
  ): AccessRecordPage {
    const cursor = (row: ListedRow) => cursorOf([instantOf(row.created_seconds), row.id]);
    return Object.assign(connectionOf(rows, page, cursor, recordOf), { total: () => this.count(filter) });
  }

  /**
   * How many records the whole list has: exact, so every entry of an index is read, and none of the table where all is vacuumed. At
   * a million records the list of everything takes 50 to 100 ms; it is counted only when asked for.
   */
  async count(filter: AccessRecordFilter): Promise<number> {
    const { name, where } = scopeOf(filter);
    const { rows } = await this.database.pool.query<{ total: string }>({
      name: `count_${name}`,
      text: `select count(*) as total from access_record where ${where} and ${FILTERS}`,
      values: conditions(filter),
    });
    return Number(rows[0]?.total);
  }
}

function conditions({ duid, meterPointId, state, legalBasis }: AccessRecordFilter): unknown[] {
  return [duid, meterPointId, state, legalBasis];
}
