import type { AccessState } from './access-record';

/** Causes of a state transition. */
export type TransitionCause =
  'registered' | 'replaced' | 'revoked' | 'withdrawn' | 'data-user-terminated' | 'expired' | 'discovered' | 'claimed';

/**
 * The table of transitions (specification, States and transitions); null is the state before a record exists. REVOKED and EXPIRED are
 * final, and no transition leads from DISCOVERED to ACTIVE: a claim adds a record. The functions of this file generate every statement that
 * changes a state; the database rejects transitions that are not in the table (migration 0012).
 */
export const STATE_TRANSITIONS: readonly (readonly [
  from: AccessState | null,
  cause: TransitionCause,
  to: AccessState,
])[] = [
  [null, 'registered', 'ACTIVE'],
  [null, 'registered', 'EXPIRED'],
  ['ACTIVE', 'revoked', 'REVOKED'],
  ['ACTIVE', 'withdrawn', 'REVOKED'],
  ['ACTIVE', 'data-user-terminated', 'REVOKED'],
  ['ACTIVE', 'expired', 'EXPIRED'],
  ['ACTIVE', 'replaced', 'EXPIRED'],
  [null, 'discovered', 'DISCOVERED'],
  ['DISCOVERED', 'claimed', 'DISCOVERED'],
  ['DISCOVERED', 'expired', 'EXPIRED'],
];

/** Whether a record in this state can be replaced or revoked: only an ACTIVE one (decisions A/B, 3). */
export function mayChange(state: AccessState): boolean {
  return state === 'ACTIVE';
}

/** SQL: an expiry has passed. Only functions of this file compare an expiry with the clock; null never passes. */
export const hasPassed = (expiry: string): string => `${expiry} <= register_now()`;

/**
 * SQL: as {@link hasPassed}, for a search of the few records that no sweep has expired yet. By its statistics PostgreSQL would expect many,
 * since it counts the records that have ended, and search all records. It expects few within bounds that it does not know.
 */
export const hasPassedRecently = (expiry: string): string =>
  `${expiry} between (select timestamptz '-infinity') and (select register_now())`;

/** SQL: an expiry is in the future, and after a second instant unless that is null. */
export const isAhead = (expiry: string, after?: string): string =>
  `${expiry} > ${after === undefined ? 'register_now()' : `greatest(register_now(), ${after})`}`;

/** SQL: the state of a record with this expiry: EXPIRED if it has passed, else ACTIVE. */
export const stateWithExpiry = (expiry: string): string =>
  `case when ${hasPassed(`${expiry}::timestamptz`)} then 'EXPIRED' else 'ACTIVE' end`;

/** Columns of a record that each version repeats. */
const CONTENT = 'legal_basis, registered_at, expiry, document, reference_sealed';

/** CTE `version`: stores the content of the CTE `record` as its present version, with the columns `more`. */
export const newVersion = (account: string, more: readonly string[] = []): string => `
    version as (
      insert into access_record_version (${['record_id, version, account_id', CONTENT, ...more].join(', ')})
      select ${['id, version', account, CONTENT, ...more].join(', ')} from record)`;

/** SQL: number of the next transition of the row `record`. */
const NEXT_NUMBER = '(select max(number) + 1 from access_record_transition where record_id = record.id)';

/** CTE `transition`: the first transition of the records that the CTE `record` inserts. */
export function firstTransition(cause: TransitionCause, account: string): string {
  rowsOf(cause, null);
  return `
    transition as (
      insert into access_record_transition (record_id, number, to_state, cause, account_id)
      select id, 1, state, '${cause}', ${account} from record)`;
}

/** A new version of an ACTIVE record; a passed expiry makes it EXPIRED. All members are SQL over `access_record`. */
interface Replacement {
  /** Assignments of the content. */
  readonly set: string;
  readonly expiry: string;
  readonly where: string;
  readonly account: string;
  /** Further columns of the version. */
  readonly more?: readonly string[];
}

/** CTEs `record`, `version` and `transition` of a replacement. `where` must admit ACTIVE records only. */
export function replacement({ set, expiry, where, account, more }: Replacement): string {
  rowsOf('replaced', 'ACTIVE');
  return `
    record as (
      update access_record set version = version + 1, ${set}, state = ${stateWithExpiry(expiry)}
      where ${where} returning *),
    ${newVersion(account, more)},
    transition as (
      insert into access_record_transition (record_id, number, from_state, to_state, cause, account_id)
      select id, ${NEXT_NUMBER}, 'ACTIVE', state, 'replaced', ${account} from record where state <> 'ACTIVE')`;
}

/** A change of the state of existing records. All members but `cause` are SQL over `access_record`. */
interface StateChange {
  readonly cause: Exclude<TransitionCause, 'registered' | 'discovered' | 'replaced' | 'claimed'>;
  /** Condition on the records, among those in a state that the table has for the cause. */
  readonly where: string;
  /** CTE that locked the records, with their `id` and `state`; required for a cause with several previous states. */
  readonly locked?: string;
  /** When the access ended; the present instant by default. */
  readonly revokedAt?: string;
  readonly reason?: string;
  readonly account?: string;
}

/** CTEs `record` and `transition` of a change. The conditional update decides between concurrent callers. */
export function stateChange({ cause, where, locked, revokedAt, reason, account }: StateChange): string {
  const rows = rowsOf(cause);
  const [[before, , after] = []] = rows;
  if (rows.length > 1 && locked === undefined)
    throw new Error(`${cause}: the state before must come from a locked row`);
  const from = locked === undefined ? `'${before}'` : `${locked}.state`;
  const end = after === 'REVOKED' ? `, revoked_at = ${revokedAt ?? 'register_now()'}` : '';
  const states = rows.map(([state]) => `'${state}'`).join(', ');
  return `
    record as (
      update access_record set state = '${after}'${end}${locked === undefined ? '' : ` from ${locked}`}
      where access_record.state in (${states}) and ${where}
      returning access_record.*, ${from} as state_before),
    transition as (
      insert into access_record_transition (record_id, number, from_state, to_state, cause, reason, account_id)
      select id, ${NEXT_NUMBER}, state_before, '${after}', '${cause}', ${reason ?? 'null'}, ${account ?? 'null'} from record)`;
}

/** Returns the rows of the table for a cause and a previous state. Throws at module load if there are none. */
function rowsOf(cause: TransitionCause, before?: AccessState | null) {
  const rows = STATE_TRANSITIONS.filter(([from, of]) => of === cause && (before === undefined || from === before));
  if (rows.length === 0) throw new Error(`${cause}: not in the table of transitions`);
  return rows;
}
