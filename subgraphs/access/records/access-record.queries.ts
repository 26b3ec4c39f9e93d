import { RegisterError } from '../../../schema/register-error';
import type { Database } from '../../server/database/database';
import {
  type Connection,
  type ConnectionWithTotal,
  type PageRequest,
  connectionOf,
  withTotal,
  cursorOf,
  cursorPosition,
  requirePageSize,
} from '../../server/lists/connection';
import { textCursor, textPosition } from '../../server/lists/list-cursor';
import { countRows } from '../../server/lists/paged-list';
import type { Session } from '../../server/database/transaction';
import type { AccessState, LegalBasis } from './access-record';
import { outsideCheck } from '../../server/database/check-only';
import { type FairLimit, MAX_WAIT_MS, fairLimit } from '../../server/fair-limit';
import { LISTS, LISTS_OF_BASIS, type ListStatements, filters } from './access-record-list.sql';
import type { SizedRow } from './page-size.sql';
import {
  type DataUserRecordCounts,
  type RecordCount,
  storedTotal,
  storedTotals,
  storedTotalsByDataUser,
} from './record-counts.repository';
import { type AccessRecordRow, StoredAccessRecord } from './stored-access-record.queries';

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
  /** Whether the caller reads fields that are stored in the documents of the records; true if absent. */
  readonly withDocument?: boolean;
  /** Whether the caller reads access keys: records whose key cannot be decrypted are not listed then; false if absent. */
  readonly withKey?: boolean;
  /** Whether the records are listed without what the back office may not see; false if absent. */
  readonly isForBackOffice?: boolean;
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

/**
 * Pages that an account reads at once: an operation may list the same records several times, and each page waits for the lock of the lookup
 * counts that another one writes, while it occupies a session of the pool.
 */
export const MAX_PAGES_OF_ACCOUNT = 2;
const TOO_MANY_PAGES = `An account reads at most ${MAX_PAGES_OF_ACCOUNT} pages of access records at the same time.`;

function listOf({ duid, meterPointId, state, legalBasis }: AccessRecordFilter): ListStatements {
  if (meterPointId !== null) return duid === null ? LISTS.meterPoint : LISTS.ownAtMeterPoint;
  if (duid === null && legalBasis === null) return LISTS.everything;
  const lists = legalBasis === null ? LISTS : LISTS_OF_BASIS;
  if (state === null) return duid === null ? lists.everything : lists.dataUser;
  return duid === null ? LISTS_OF_BASIS.everythingInState : lists.dataUserInState;
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
  private readonly limited: FairLimit;

  /** @param readable returns those of the records whose access key can be decrypted */
  constructor(
    private readonly database: Database,
    private readonly readable: (records: readonly StoredAccessRecord[]) => readonly StoredAccessRecord[] = (all) => all,
  ) {
    this.limited = fairLimit({
      max: Infinity, // of all accounts: the pool has its own limit
      maxOfOwner: MAX_PAGES_OF_ACCOUNT,
      maxWaitMs: MAX_WAIT_MS,
      exceeded: () => new RegisterError('LIM002', TOO_MANY_PAGES, { retryAfter: 1 }),
    });
  }

  /** Returns a page, newest first, and counts the listing for an account. */
  async page(filter: AccessRecordFilter, page: RecordPageRequest, accountId: string): Promise<AccessRecordPage> {
    // Counted also if a check selects it: a check must not hide who read a list.
    const rows = await outsideCheck(() =>
      this.limited(accountId, () => this.rows(this.database.pool, filter, page, accountId)),
    );
    const recordOf = (row: ListedRow) => {
      const record = new StoredAccessRecord(row);
      return page.isForBackOffice ? record.forBackOffice() : record;
    };
    if (!page.withKey) return this.listed(filter, page, rows, recordOf);
    const records = this.readable(rows.slice(0, fitting(page, rows).first).map(recordOf));
    const readable = new Map(records.map((record) => [record.id, record]));
    return this.listed(filter, page, rows, ({ id }) => readable.get(id));
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
    const { first, withVersions = false, withDocument = true } = page;
    const values = [...conditions(filter), createdAt, id, first + 1, accountId, withVersions, withDocument];
    const { name, page: text } = listOf(filter);
    return (await session.query<ListedRow>({ name, text, values })).rows;
  }

  /** Builds the page of these rows; without those that have no record. */
  listed(
    filter: AccessRecordFilter,
    page: PageRequest,
    rows: readonly ListedRow[],
    recordOf: (row: ListedRow) => StoredAccessRecord | undefined,
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

  /** Returns the totals of all records or of a Data User's; undefined before the records are counted for the first time. */
  totals(duid: string | null): Promise<readonly RecordCount[] | undefined> {
    return storedTotals(this.database.pool, duid);
  }

  /** Returns the totals of a page of the Data Users that have records; undefined before the records are counted for the first time. */
  async totalsByDataUser(page: PageRequest): Promise<Connection<DataUserRecordCounts> | undefined> {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    const rows = await storedTotalsByDataUser(this.database.pool, textPosition(page.after), page.first + 1);
    return rows && connectionOf(rows, page, ({ duid }) => textCursor(duid));
  }

  /** PostgreSQL reads an index entry of every record: 50 to 100 ms for a million. */
  private countEach(filter: AccessRecordFilter): Promise<number> {
    const { name, where } = listOf(filter);
    const list = { name, from: 'access_record', where: `${where} and ${filters()}` };
    return countRows(this.database.pool, list, conditions(filter));
  }
}

function conditions({ duid, meterPointId, state, legalBasis, occupant }: AccessRecordFilter): unknown[] {
  const filter = [duid, meterPointId, state, legalBasis];
  if (duid !== null || meterPointId === null) return filter;
  if (occupant === undefined) throw new Error('all records of a meter point are listed for an occupant only');
  return [...filter, occupant.ownRecordIds, occupant.since, occupant.beganAt];
}
