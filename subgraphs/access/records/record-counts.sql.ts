import { hasRecentlyExpired, stateNow } from './record-state.sql';

/**
 * SQL of the counts of access records (migration 0016). The counts contain the changes of every transaction below a position of the event
 * log; the changes after it are read from the log, in the same snapshot. So a total is exact, and a registration writes no row for it.
 */

/** The position of the counts; no row if they belong to an ended epoch of the log, or nothing is counted yet. */
export const POSITION = 'select tx::text from record_count_position where era = event_era()';

/** Whether the counts belong to the present epoch, and contain all events. The newest event is the last entry of an index. */
export const COUNTS_STATE = `
  select counted.era = event_era() as "isOfEpoch", not coalesce((
    select (era, tx) >= (counted.era, counted.tx) from event order by era desc, tx desc, position desc limit 1), false)
    and not exists (select from legal_basis_change change where (change.era, change.tx) >= (counted.era, counted.tx)) as "isUpToDate"
  from record_count_position counted`;

/** Locks the position; no row if another transaction is changing the counts. */
export const LOCK_POSITION = `
  select tx::text, era = event_era() as "isOfEpoch" from record_count_position for update skip locked`;

/** Transactions of about this many events are added to the counts by one statement. */
const EVENTS_PER_STATEMENT = 10_000;

/**
 * The position up to which the next statement adds changes, at most the oldest transaction that is still running, and whether there is more
 * to add after it. `$1` is the present position. A position is never within a transaction.
 */
export const NEXT_POSITION = `
  select coalesce(batch.tx, stable.tx)::text as tx, batch.tx is not null as "hasMore"
  from (select pg_snapshot_xmin(pg_current_snapshot()) as tx) stable left join lateral (
    select tx from event where era = event_era() and tx >= $1::xid8 and tx < stable.tx
    order by era, tx, position limit 1 offset ${EVENTS_PER_STATEMENT}) batch on batch.tx > $1::xid8`;

/**
 * Selects the changes of the counts (`duid`, `state`, `legal_basis`, +1 or -1) that the transactions of `range` made, a condition on `era`
 * and `tx`. A first state counts under the basis of version 1, any later state under the present basis. Subselects prevent PostgreSQL from
 * joining whole tables.
 */
const changes = (range: string, basisChanges: string): string => `
  select event.duid, side.state, moved.legal_basis, side.change
  from (select duid, record_id, transition from event where ${range} and transition is not null offset 0) event
    cross join lateral (
      select from_state, to_state, case number
          when 1 then (select legal_basis from access_record_version where record_id = event.record_id and version = 1)
          else (select legal_basis from access_record where id = event.record_id) end as legal_basis
      from access_record_transition
      where record_id = event.record_id and number = event.transition and from_state is distinct from to_state offset 0) moved
    cross join lateral (values (moved.from_state, -1), (moved.to_state, 1)) side (state, change)
  where side.state is not null
  union all
  select duid, 'ACTIVE', side.legal_basis, side.change
  from (${basisChanges}) moved
    cross join lateral (values (moved.from_basis, -1), (moved.to_basis, 1)) side (legal_basis, change)`;

const ADD = (rows: string): string => `
    insert into record_count as counted (duid, state, legal_basis, total)
    select duid, state, legal_basis, sum(change) from (${rows}) changed group by duid, state, legal_basis having sum(change) <> 0
    on conflict (duid, state, legal_basis) do update set total = counted.total + excluded.total`;

/** Condition for the events from the position `$1` to before `$2`. */
const BETWEEN = 'era = event_era() and tx >= $1::xid8 and tx < $2::xid8';

/** Adds the changes from the position `$1` to `$2`, and moves the position. Every change before `$2` is in the counts then. */
export const ADD_CHANGES = `
  with counted_basis_change as (
    delete from legal_basis_change where (era, tx) < (event_era(), $2::xid8) returning *),
  added as (${ADD(changes(BETWEEN, `select * from counted_basis_change where ${BETWEEN}`))})
  update record_count_position set tx = $2::xid8`;

/** The present position in the snapshot of the transaction. */
export const PRESENT = 'select pg_snapshot_xmin(pg_current_snapshot())::text as tx';

/** Changes after a position; `scope` is a condition on `duid`. */
function changesAfter(position: string, scope = 'true'): string {
  const range = `era = event_era() and tx >= ${position}::xid8 and ${scope}`;
  return changes(range, `select * from legal_basis_change where ${range}`);
}

/** Counts all records, as they were at the position `$1` of this snapshot. Later changes that the snapshot contains are taken off. */
export const COUNT_ALL = `
  with removed as (delete from legal_basis_change where (era, tx) < (event_era(), $1::xid8)),
  added as (${ADD(`
    select duid, state, legal_basis, count(*) as change from access_record group by duid, state, legal_basis
    union all select duid, state, legal_basis, -change from (${changesAfter('$1')}) later`)})
  update record_count_position set era = event_era(), tx = $1::xid8`;

/** The state that callers read of an unexpired record: an ACTIVE record of a terminated Data User reads REVOKED. */
const STATE_UNEXPIRED = `case when state = 'ACTIVE' and data_user_terminations() ? duid then 'REVOKED' else state end`;

/**
 * The stored records as `listed`, by Data User, the state that callers read, and legal basis; `scope` is a condition on `duid`. The
 * parameter `position` is the position of the counts in this snapshot. Records whose expiry has passed since the last sweep are counted one
 * by one.
 */
function listed(scope: string, position: string): string {
  return `
    with stored as (
      select duid, state, legal_basis, total from record_count where ${scope}
      union all select duid, state, legal_basis, change from (${changesAfter(position, scope)}) later),
    overdue as (
      select duid, state, legal_basis, ${stateNow()} as state_now, count(*) as total
      from access_record where ${hasRecentlyExpired()} and ${scope} group by 1, 2, 3, 4),
    listed as (
      select duid, ${STATE_UNEXPIRED} as state, legal_basis, total from stored
      union all select duid, ${STATE_UNEXPIRED}, legal_basis, -total from overdue
      union all select duid, state_now, legal_basis, total from overdue)`;
}

/** The records of the Data User in `$1`, or all. */
const scopeOf = (isOfDataUser: boolean): string => (isOfDataUser ? 'duid = $1' : '$1::text is null');

/** The total of a list with the state `$2` and the legal basis `$3` if they are not null; `$4` is the position of the counts. */
export const totalOf = (isOfDataUser: boolean): string => `${listed(scopeOf(isOfDataUser), '$4')}
  select coalesce(sum(total), 0)::text as total from listed
  where ($2::text is null or state = $2) and ($3::text is null or legal_basis = $3)`;

/** The total of each state and legal basis that a record has; `$2` is the position of the counts. */
export const totalsOf = (isOfDataUser: boolean): string => `${listed(scopeOf(isOfDataUser), '$2')}
  select state, legal_basis as "legalBasis", sum(total)::float8 as total from listed
  group by state, legal_basis having sum(total) <> 0 order by state, legal_basis nulls last`;

/**
 * The totals of each Data User that has records, in the order of their DUIDs: of at most `$2` after `$1`. `$3` is the position of the counts.
 */
export const TOTALS_BY_DATA_USER = `${listed('duid > $1', '$3')},
  counted as (
    select duid, state, legal_basis, sum(total)::float8 as total from listed
    group by duid, state, legal_basis having sum(total) <> 0)
  select duid, json_agg(json_build_object('state', state, 'legalBasis', legal_basis, 'total', total)
    order by state, legal_basis nulls last) as counts
  from counted group by duid order by duid limit $2`;
