import DataLoader from 'dataloader';
import {
  type Connection,
  type PageRequest,
  connectionOf,
  refuseCursor,
  requirePageSize,
} from '../../server/connection';
import type { Database } from '../../server/database';
import type { NamedStatement } from '../../server/short-reads';
import type { AccessState, LegalBasis, RevocationReason } from '../domain/access-record';
import type { TransitionCause } from '../domain/state-transitions';
import { revokedAtNow, stateNow } from './record-state';

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
  /** Null of what was discovered. */
  readonly legalBasis: LegalBasis | null;
  readonly expiry: Date | null;
}

/** Entries of a page of history at most. */
export const LARGEST_HISTORY_PAGE = 100;
const RECORDS_AT_ONCE = 100;

/** What is asked for comes as three lists, one entry for each record; the rows say by `n` to which of them they belong. */
const ofEach = (rows: string): string => `
  select asked.n::int, entry.* from unnest($1::uuid[], $2::int[], $3::int[]) with ordinality as asked (id, after, most, n)
  cross join lateral (${rows} order by number limit asked.most) entry order by asked.n, entry.number`;

/** What was recorded, and what a sweep is still to write down: an expiry that has passed, or the termination of the Data User, at its instant. */
const TRANSITIONS = {
  name: 'access_record_transitions',
  text: ofEach(`select * from (
      select number, case cause when 'expired' then (select expiry from access_record where id = asked.id)
          when 'data-user-terminated' then (select revoked_at from access_record where id = asked.id) else at end as at,
        from_state as "from", to_state as "to", cause, reason from access_record_transition where record_id = asked.id
      union all
      select (select coalesce(max(number), 0) + 1 from access_record_transition where record_id = record.id),
        coalesce(${revokedAtNow('record')}, expiry), state, ${stateNow('record')},
        case ${stateNow('record')} when 'REVOKED' then 'data-user-terminated' else 'expired' end, null
      from access_record record where id = asked.id and state in ('ACTIVE', 'DISCOVERED') and ${stateNow('record')} <> state
    ) transition where number > asked.after`),
};

const VERSIONS = {
  name: 'access_record_versions',
  text: ofEach(`select version as number, version, recorded_at as "recordedAt", legal_basis as "legalBasis", expiry
    from access_record_version where record_id = asked.id and version > asked.after`),
};

interface Asked extends PageRequest {
  readonly recordId: string;
}

type Numbered<Entry> = Entry & { readonly number: number };
type HistoryReader<Entry> = (recordId: string, page: PageRequest) => Promise<Connection<Entry>>;

/** What became of records, oldest first: the histories of a page of records are read by one statement for 100 of them. */
export class RecordHistory {
  /** Every state change. */
  readonly transitions: HistoryReader<Transition>;
  /** Every version. */
  readonly versions: HistoryReader<Version>;

  constructor(private readonly database: Database) {
    this.transitions = this.reader<Transition>(TRANSITIONS);
    this.versions = this.reader<Version>(VERSIONS);
  }

  private reader<Entry>(statement: NamedStatement): HistoryReader<Entry> {
    const loader = new DataLoader<Asked, Numbered<Entry>[]>((asked) => this.read<Entry>(statement, asked), {
      cache: false,
      maxBatchSize: RECORDS_AT_ONCE,
      batchScheduleFn: (run) => void setImmediate(run),
    });
    return async (recordId, page) => {
      requirePageSize(page.first, LARGEST_HISTORY_PAGE);
      const rows = await loader.load({ recordId, ...page, after: page.after === null ? null : numberOf(page.after) });
      return connectionOf(rows, page, ({ number }) => String(number));
    };
  }

  private async read<Entry>(statement: NamedStatement, asked: readonly Asked[]): Promise<Numbered<Entry>[][]> {
    const { rows } = await this.database.pool.query<Numbered<Entry> & { readonly n: number }>({
      ...statement,
      values: [
        asked.map(({ recordId }) => recordId),
        asked.map(({ after }) => after ?? 0),
        asked.map(({ first }) => first + 1),
      ],
    });
    const entries = asked.map((): Numbered<Entry>[] => []);
    for (const row of rows) entries[row.n - 1]?.push(row);
    return entries;
  }
}

/** The number of the entry after which a page begins; VAL001 at `after` for anything else. */
function numberOf(cursor: string): string {
  return /^[1-9]\d{0,8}$/.test(cursor) ? cursor : refuseCursor();
}
