import DataLoader from 'dataloader';
import {
  type Connection,
  type PageRequest,
  connectionOf,
  rejectCursor,
  requirePageSize,
} from '../../server/lists/connection';
import { isChecking } from '../../server/database/check-only';
import type { Database } from '../../server/database/database';
import type { NamedStatement } from '../../server/database/short-reads';
import type { AccessState, DataType, LegalBasis, RevocationReason } from './access-record';
import type { TransitionCause } from './transitions';
import { revokedAtNow, stateNow } from './record-state.sql';

/** A state change of a record. */
export interface Transition {
  readonly at: Date;
  readonly from: AccessState | null;
  readonly to: AccessState;
  readonly cause: TransitionCause;
  readonly reason: RevocationReason | null;
}

/** A version of a record's content. */
export interface Version {
  readonly version: number;
  readonly recordedAt: Date;
  /** Null for a discovered access. */
  readonly legalBasis: LegalBasis | null;
  readonly expiry: Date | null;
  /** Null for a discovered access. */
  readonly purpose: string | null;
  readonly dataTypes: readonly DataType[];
}

/** Requests versions; `newestFirst` starts with the present one, `since` omits those that were replaced before an instant. */
interface VersionRequest extends PageRequest {
  readonly newestFirst: boolean;
  readonly since?: Date | null;
}

/** Maximum entries of a page of history. */
const MAX_HISTORY_PAGE_SIZE = 100;
const MAX_RECORDS = 100;

/**
 * Statement for several records: parameters are four arrays with one element per record, and column `n` of a row is the index of its
 * record, from 1.
 */
const ofEach = (rows: string, order: 'asc' | 'desc' = 'asc'): string => `
  select requested.n::int, entry.* from unnest($1::uuid[], $2::int[], $3::int[], $4::timestamptz[]) with ordinality as requested (id, after, max, since, n)
  cross join lateral (${rows} order by number ${order} limit requested.max) entry order by requested.n, entry.number ${order}`;

/** Stored transitions, and those that a sweep has yet to store: a passed expiry, or the termination of the Data User, at its instant. */
const TRANSITIONS = {
  name: 'access_record_transitions',
  text: ofEach(`select * from (
      select number, case cause when 'expired' then (select expiry from access_record where id = requested.id)
          when 'data-user-terminated' then (select revoked_at from access_record where id = requested.id) else at end as at,
        from_state as "from", to_state as "to", cause, reason from access_record_transition where record_id = requested.id
      union all
      select (select coalesce(max(number), 0) + 1 from access_record_transition where record_id = record.id),
        coalesce(${revokedAtNow('record')}, expiry), state, ${stateNow('record')},
        case ${stateNow('record')} when 'REVOKED' then 'data-user-terminated' else 'expired' end, null
      from access_record record where id = requested.id and state in ('ACTIVE', 'DISCOVERED') and ${stateNow('record')} <> state
    ) transition where number > requested.after`),
};

const VERSION = `select version as number, version, recorded_at as "recordedAt", legal_basis as "legalBasis", expiry,
    document ->> 'purpose' as purpose, document -> 'dataTypes' as "dataTypes"
    from access_record_version version where record_id = requested.id and not exists (select from access_record_version next
      where next.record_id = requested.id and next.version = version.version + 1 and next.recorded_at < requested.since)`;

const VERSIONS = { name: 'access_record_versions', text: ofEach(`${VERSION} and version > requested.after`) };

const NEWEST_VERSIONS = {
  name: 'access_record_newest_versions',
  text: ofEach(`${VERSION} and (requested.after = 0 or version < requested.after)`, 'desc'),
};

interface HistoryRequest extends PageRequest {
  readonly recordId: string;
  readonly since?: Date | null;
}

type Numbered<Entry> = Entry & { readonly number: number };
type HistoryReader<Entry> = (recordId: string, page: Omit<HistoryRequest, 'recordId'>) => Promise<Connection<Entry>>;

/** History of records. One statement reads the histories of up to 100 records. */
export class RecordHistory {
  /** Returns a page of state transitions, oldest first. */
  readonly transitions: HistoryReader<Transition>;
  /** Returns a page of versions, oldest first by default. */
  readonly versions: (recordId: string, page: VersionRequest) => Promise<Connection<Version>>;

  constructor(private readonly database: Database) {
    this.transitions = this.reader<Transition>(TRANSITIONS);
    const [oldest, newest] = [this.reader<Version>(VERSIONS), this.reader<Version>(NEWEST_VERSIONS)];
    this.versions = (recordId, page) => (page.newestFirst ? newest : oldest)(recordId, page);
  }

  private reader<Entry>(statement: NamedStatement): HistoryReader<Entry> {
    const loader = new DataLoader<HistoryRequest, Numbered<Entry>[]>(
      (requested) => this.read<Entry>(statement, requested),
      {
        cache: false,
        maxBatchSize: MAX_RECORDS,
        batchScheduleFn: (run) => void setImmediate(run),
      },
    );
    return async (recordId, page) => {
      requirePageSize(page.first, MAX_HISTORY_PAGE_SIZE);
      const requested = { recordId, ...page, after: page.after === null ? null : numberOf(page.after) };
      const rows = isChecking()
        ? ((await this.read<Entry>(statement, [requested]))[0] ?? [])
        : await loader.load(requested);
      return connectionOf(rows, page, ({ number }) => String(number));
    };
  }

  private async read<Entry>(
    statement: NamedStatement,
    requested: readonly HistoryRequest[],
  ): Promise<Numbered<Entry>[][]> {
    const { rows } = await this.database.pool.query<Numbered<Entry> & { readonly n: number }>({
      ...statement,
      values: [
        requested.map(({ recordId }) => recordId),
        requested.map(({ after }) => after ?? 0),
        requested.map(({ first }) => first + 1),
        requested.map(({ since }) => since ?? null),
      ],
    });
    const entries = requested.map((): Numbered<Entry>[] => []);
    for (const row of rows) entries[row.n - 1]?.push(row);
    return entries;
  }
}

/** Number of the entry after which a page starts. Throws VAL001 at `after` for an invalid cursor. */
function numberOf(cursor: string): string {
  return /^[1-9]\d{0,8}$/.test(cursor) ? cursor : rejectCursor();
}
