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
import type { AccessRecordDocument } from './record-document';
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
  readonly leadControllerName: string | null;
  /** Sections of the document that differ from the version before; none of the first version that the caller can read. */
  readonly replacedSections: readonly RecordSection[];
}

/**
 * Sections of a record's document, with the path of the items of each, whose order has no meaning. The history states that a section
 * changed, not its former content.
 */
const SECTIONS = {
  controllers: '$.controllerArrangement.*[*]',
  notice: '$.notice.*[*]',
  recipients: '$.recipients[*]',
  'data-source': '$.dataSource',
  consent: '$.consent.*',
} satisfies Record<string, `$.${keyof AccessRecordDocument}${string}`>;

/** A section of the content, as the history names it. */
export type RecordSection = keyof typeof SECTIONS;

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

const LEAD_CONTROLLER = '$.controllerArrangement.controllers[*] ? (@.role == "sole" || @.role == "lead").name';

/** Items of a section; null is the same as absent. */
const itemsOf = (version: string): string =>
  `array(select item from jsonb_path_query(${version}.document, items) item where item <> 'null' order by item)`;

const VERSION = `select version.version as number, version.version, version.recorded_at as "recordedAt",
    version.legal_basis as "legalBasis", version.expiry, version.document ->> 'purpose' as purpose,
    version.document -> 'dataTypes' as "dataTypes",
    jsonb_path_query_first(version.document, '${LEAD_CONTROLLER}') #>> '{}' as "leadControllerName",
    array(select section from (values ${Object.entries(SECTIONS)
      .map(([section, items]) => `('${section}', '${items}'::jsonpath)`)
      .join(', ')}) part (section, items)
      where former.version is not null and (requested.since is null or version.recorded_at >= requested.since)
        and ${itemsOf('version')} <> ${itemsOf('former')}) as "replacedSections"
    from access_record_version version
      left join access_record_version former on former.record_id = version.record_id and former.version = version.version - 1
    where version.record_id = requested.id and not exists (select from access_record_version next
      where next.record_id = requested.id and next.version = version.version + 1 and next.recorded_at < requested.since)`;

const VERSIONS = { name: 'access_record_versions', text: ofEach(`${VERSION} and version.version > requested.after`) };

const NEWEST_VERSIONS = {
  name: 'access_record_newest_versions',
  text: ofEach(`${VERSION} and (requested.after = 0 or version.version < requested.after)`, 'desc'),
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
