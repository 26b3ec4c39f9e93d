import type { Database } from '../../server/database/database';
import {
  type ConnectionWithTotal,
  type PageRequest,
  connectionOf,
  withTotal,
  cursorOf,
  cursorPosition,
  requirePageSize,
} from '../../server/lists/connection';
import { countRows } from '../../server/lists/paged-list';
import type { Session } from '../../server/database/transaction';
import type { AccessState, LegalBasis } from './access-record';
import { outsideCheck } from '../../server/database/check-only';
import { countListings } from '../customers/lookup-counts.repository';
import { type SizedRow, selectFitting, sizedPage } from './page-size.sql';
import { storedTotal } from './record-counts.repository';
import { ENDED_AT, IN_FORCE, historyStart, stateNow } from './record-state.sql';
import {
  ACCESS_RECORD_COLUMNS,
  type AccessRecordRow,
  COLUMNS_WITHOUT_REFERENCE,
  StoredAccessRecord,
} from './stored-access-record.queries';

/** The person whose proof shows a third-party portal the records of a home. */
export interface Occupant {
  /** Internal ids of the person's Identity Records. */
  readonly ownRecordIds: readonly string[];
  /** Day on which the person moved in, `YYYY-MM-DD`. */
  readonly since: string;
  /** Instant at which the occupancy started, ISO 8601; null without a Change of Tenancy. */
  readonly beganAt: string | null;
}

/** Requests a page of records. */
export interface RecordPageRequest extends PageRequest {
  /** Whether the caller reads versions of each record, which shorten the page; false if absent. */
  readonly withVersions?: boolean;
}

/** Conditions on the records of a list; null omits a condition. */
export interface AccessRecordFilter {
  readonly duid: string | null;
  readonly meterPointId: string | null;
  readonly state: AccessState | null;
  readonly legalBasis: LegalBasis | null;
  /** Required for all records of a meter point; without effect on other lists. */
  readonly occupant?: Occupant;
}

/** A page of access records; `total` counts the whole list. */
export type AccessRecordPage = ConnectionWithTotal<StoredAccessRecord>;

/** Maximum entries of a page (decisions A/B, 3). */
export const MAX_PAGE_SIZE = 500;

const filters = (state: string) => `($3::text is null or ${state} = $3) and ($4::text is null or legal_basis = $4)`;
const NEWEST_FIRST = 'order by created_at desc, id desc';
const OF_OCCUPANT = historyStart({ isOwn: 'identity_record_id = any($5::uuid[])', since: '$6', beganAt: '$7' });

interface Scope {
  readonly name: string;
  readonly where: string;
  readonly page: string;
}

/**
 * Statement that reads a page of records and counts its listing, so that no list of records is read uncounted.
 *
 * @param parameters number of parameters of the conditions; those of the page follow
 */
function scope(name: string, where: string, columns = ACCESS_RECORD_COLUMNS, parameters = 4): Scope {
  const [createdAt, id, limit, account, withVersions] = [1, 2, 3, 4, 5].map((number) => `$${parameters + number}`);
  const rows = `select ${columns}, meter_point_id, date_part('epoch', created_at) as created_seconds
      from access_record where ${where} and ${filters(stateNow())} and (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid)
      ${NEWEST_FIRST} limit ${limit}`;
  const listed = `select id, meter_point_id from sized where fits ${NEWEST_FIRST} limit ${limit} - 1`;
  const page = `with ${sizedPage(rows, NEWEST_FIRST, `${withVersions}::boolean`)},
    looked as (${countListings(listed, account as string)})
    ${selectFitting(NEWEST_FIRST)}`;
  return { name, where, page };
}

/**
 * One statement per combination of conditions, so that each has a plan with its own index. Only portals read the records of all Data Users
 * at a meter point. They receive what the occupant reads in the customer portal, except claimed records.
 */
const SCOPES = {
  everything: scope('access_records', '$1::text is null and $2::text is null'),
  dataUser: scope('access_records_of_data_user', 'duid = $1 and $2::text is null'),
  ownAtMeterPoint: scope('own_access_records_at_meter_point', 'meter_point_id = $2 and duid = $1'),
  meterPoint: scope(
    'access_records_at_meter_point',
    `$1::text is null and meter_point_id = $2 and claimed_at is null and (${IN_FORCE} or ${ENDED_AT} >= ${OF_OCCUPANT})`,
    COLUMNS_WITHOUT_REFERENCE,
    7,
  ),
};

function scopeOf({ duid, meterPointId }: AccessRecordFilter): Scope {
  if (meterPointId === null) return duid === null ? SCOPES.everything : SCOPES.dataUser;
  return duid === null ? SCOPES.meterPoint : SCOPES.ownAtMeterPoint;
}

/** A row of a list. */
export type ListedRow = AccessRecordRow & SizedRow & { readonly created_seconds: number };

/** Returns the request with the number of entries that its page has by these rows. */
export function fitting(page: PageRequest, rows: readonly SizedRow[]): PageRequest {
  return { ...page, first: Math.min(page.first, rows.filter(({ fits }) => fits).length) };
}

/** Instant in ISO 8601 with microseconds, which a Date cannot represent. */
function instantOf(seconds: number): string {
  const microseconds = Math.round(seconds * 1e6);
  const milliseconds = new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1000).padStart(3, '0')}Z`;
}

/** Lists of access records. Every read counts a listing of each record of the page (decisions A/B, 10). */
export class AccessRecordQueries {
  constructor(private readonly database: Database) {}

  /** Returns a page, newest first, and counts the listing for an account. */
  async page(filter: AccessRecordFilter, page: RecordPageRequest, accountId: string): Promise<AccessRecordPage> {
    // Counted also if a check selects it: a check must not hide who read a list.
    const rows = await outsideCheck(() => this.rows(this.database.pool, filter, page, accountId));
    const isBackOffice = filter.duid === null && filter.meterPointId === null;
    return this.listed(filter, page, rows, (row) => {
      const record = new StoredAccessRecord(row);
      return isBackOffice ? record.forBackOffice() : record;
    });
  }

  /** Returns the rows of a page, which a number of entries or of bytes ends, and one more if there is another page. */
  async rows(
    session: Session,
    filter: AccessRecordFilter,
    page: RecordPageRequest,
    accountId: string,
  ): Promise<readonly ListedRow[]> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const [createdAt, id] = cursorPosition(page.after);
    const values = [...conditions(filter), createdAt, id, page.first + 1, accountId, page.withVersions ?? false];
    const { name, page: text } = scopeOf(filter);
    return (await session.query<ListedRow>({ name, text, values })).rows;
  }

  /** Builds the page of these rows. */
  listed(
    filter: AccessRecordFilter,
    page: PageRequest,
    rows: readonly ListedRow[],
    recordOf: (row: ListedRow) => StoredAccessRecord,
  ): AccessRecordPage {
    const cursor = (row: ListedRow) => cursorOf([instantOf(row.created_seconds), row.id]);
    return withTotal(connectionOf(rows, fitting(page, rows), cursor, recordOf), () => this.count(filter));
  }

  /**
   * Counts the whole list exactly, if the client selects the total. A list of all records or of a Data User reads the stored counts. The
   * records of a meter point are few, and counted one by one; so are all records before they are counted for the first time.
   */
  async count(filter: AccessRecordFilter): Promise<number> {
    const stored = filter.meterPointId === null ? await storedTotal(this.database.pool, filter) : undefined;
    return stored ?? this.countEach(filter);
  }

  /** PostgreSQL reads an index entry of every record: 50 to 100 ms for a million. */
  private countEach(filter: AccessRecordFilter): Promise<number> {
    const { name, where } = scopeOf(filter);
    const list = { name, from: 'access_record', where: `${where} and ${filters(stateNow())}` };
    return countRows(this.database.pool, list, conditions(filter));
  }
}

function conditions({ duid, meterPointId, state, legalBasis, occupant }: AccessRecordFilter): unknown[] {
  const filter = [duid, meterPointId, state, legalBasis];
  if (duid !== null || meterPointId === null) return filter;
  if (occupant === undefined) throw new Error('all records of a meter point are listed for an occupant only');
  return [...filter, occupant.ownRecordIds, occupant.since, occupant.beganAt];
}
