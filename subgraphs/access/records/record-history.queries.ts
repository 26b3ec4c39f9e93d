import type { Database } from '../../server/database/database';
import {
  type HistoryReader,
  type VersionReader,
  historyReader,
  ofEachHistory,
  versionReader,
} from '../../server/lists/history';
import type { DataType } from '../../../schema/data-types';
import type { AccessState, LegalBasis, RevocationReason } from './access-record';
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

/** Stored transitions, and those that a sweep has yet to store: a passed expiry, or the termination of the Data User, at its instant. */
const TRANSITIONS = {
  name: 'access_record_transitions',
  text: ofEachHistory(`select * from (
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

const VERSIONS = {
  name: 'access_record_versions',
  text: ofEachHistory(`${VERSION} and version.version > requested.after`),
};

const NEWEST_VERSIONS = {
  name: 'access_record_newest_versions',
  text: ofEachHistory(`${VERSION} and (requested.after = 0 or version.version < requested.after)`, 'desc'),
};

/** History of records. One statement reads the histories of up to 100 records. */
export class RecordHistory {
  /** Returns a page of state transitions, oldest first. */
  readonly transitions: HistoryReader<Transition>;
  /** Returns a page of versions, oldest first by default; `since` omits those that were replaced before an instant. */
  readonly versions: VersionReader<Version>;

  constructor(database: Database) {
    this.transitions = historyReader(database, TRANSITIONS);
    this.versions = versionReader(database, { oldestFirst: VERSIONS, newestFirst: NEWEST_VERSIONS });
  }
}
