import type { Pool } from 'pg';
import { type Session, inTransaction } from '../server/database/transaction';
import { batched } from '../server/database/batched';
import { clocksAgree } from '../server/database/register-clock';
import { END_OBSOLETE } from './fan-out.sql';
import { type LaneDelivery, MAX_LANE_WAIT_SECONDS, type Outcome } from './lane';

/** An attempt and its effect on the delivery. */
interface Result {
  readonly delivery: LaneDelivery;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** When the request was sent, as `performance.now()`. */
  readonly sentAt: number;
}

/** A delivery that is obsolete. */
interface ObsoleteDelivery {
  readonly delivery: LaneDelivery;
  /** The time of the database by which it is obsolete; undefined if no time decides. */
  readonly now: Date | undefined;
}

/** Writes the results of deliveries. */
export interface Results {
  /** Records a result, `alone` or together with others: a statement for several fails for all of them. */
  record(result: Result, alone: boolean): Promise<void>;
  /** Defers the due deliveries of a lane whose delivery failed to assemble; adds one to its failures if `counts`. */
  deferLane(delivery: LaneDelivery, seconds: number, counts: boolean): Promise<void>;
  /** Defers a delivery that failed to assemble, and adds one to its failures; without seconds it is undelivered. */
  assemblyFailed(delivery: LaneDelivery, seconds: number | undefined): Promise<void>;
  /**
   * Ends an obsolete delivery as superseded, or as delivered if an earlier attempt succeeded. A row that is locked, or was changed since the
   * read, is passed over: the delivery stays pending and is read again. If the clock by which it is obsolete has jumped, it is read again after
   * a minute: by the right clock it may have to be sent.
   */
  drop(obsolete: ObsoleteDelivery): Promise<void>;
}

/** SQL: the stored attempts of `d` that remain when one is added: the last 99, and the last successful one before them (`END_OBSOLETE` reads it). */
const REMAINING_ATTEMPTS = `
        jsonb_path_query_array(jsonb_path_query_array(d.attempts, '$[0 to last - 99] ? (@.error == null)'), '$[last]')
        || jsonb_path_query_array(d.attempts, '$[last - 98 to last]')`;

/**
 * Adds each attempt to the log of its delivery. The attempt counts only if no redelivery was requested since the read. Then a success
 * ends a pending or superseded delivery, and a failure of a pending one counts if no other attempt has counted since.
 */
const RECORD = (skipLocked: boolean) => `
  with result as (
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::smallint[], $5::float8[], $6::integer[], $7::integer[],
        $8::text[], $9::timestamptz[], $10::float8[])
      with ordinality as r(endpoint_id, event_id, outcome, made, after_seconds, status, duration_ms, error, requested_at, age_ms, n)),
  found as materialized (
    select r.*, d.redelivered_at is not distinct from r.requested_at and (
      d.state = 'pending' and (r.outcome = 'delivered' or d.attempt = r.made)
      or d.state = 'superseded' and r.outcome = 'delivered') as counts
    from result r join delivery d using (endpoint_id, event_id)
    order by d.endpoint_id, d.event_id for update of d ${skipLocked ? 'skip locked' : ''}),
  recorded as (
    update delivery d set
      attempts = ${REMAINING_ATTEMPTS} || jsonb_build_object('at', register_now() - f.age_ms * interval '1 ms', 'status', f.status,
        'durationMs', f.duration_ms, 'error', f.error),
      state = case when f.counts and f.outcome <> 'again' then f.outcome else d.state end,
      attempt = d.attempt + case when f.counts and (f.outcome <> 'again' or f.after_seconds is not null) then 1 else 0 end,
      faults = case when f.counts then 0 else d.faults end,
      next_attempt_at = case when f.counts and f.after_seconds is not null
        then register_now() + f.after_seconds * interval '1 s' else d.next_attempt_at end,
      ended_at = case when f.counts and f.outcome <> 'again' then register_now() else d.ended_at end
    from found f where d.endpoint_id = f.endpoint_id and d.event_id = f.event_id)
  select f.n is not null as "isRecorded", coalesce(f.counts and f.outcome = 'undelivered', false) as "isUndelivered"
  from result r left join found f using (n) order by r.n`;

interface Recorded {
  /** False if the row is locked or deleted. */
  readonly isRecorded: boolean;
  readonly isUndelivered: boolean;
}

const DEFER_LANE = `
  update delivery set next_attempt_at = register_now() + $3 * interval '1 s',
    faults = least(faults + case when event_id = $4 then 1 else 0 end, 1000)
  where endpoint_id = $1 and subject = $2 and state || '' = 'pending' and next_attempt_at <= register_now()`;

const ASSEMBLY_FAILED = `
  update delivery set faults = least(faults + 1, 1000),
    state = case when $4::float8 is null then 'undelivered' else state end,
    ended_at = case when $4 is null then register_now() end,
    next_attempt_at = case when $4 is null then next_attempt_at else register_now() + $4 * interval '1 s' end
  where endpoint_id = $1 and event_id = $2 and state || '' = 'pending' and redelivered_at is not distinct from $3::timestamptz`;

const DROP = `
  with dropped as materialized (
    select d.endpoint_id, d.event_id, obsolete.now is null or ${clocksAgree('$5', 'obsolete.now')} as is_obsolete
    from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) as obsolete(endpoint_id, event_id, version, now)
      join delivery d using (endpoint_id, event_id)
    where d.state || '' = 'pending' and d.xmin::text = obsolete.version for update of d skip locked),
  put_off as (
    update delivery d set next_attempt_at = register_now() + ${MAX_LANE_WAIT_SECONDS} * interval '1 s'
    from dropped where d.endpoint_id = dropped.endpoint_id and d.event_id = dropped.event_id and not is_obsolete)
  update delivery d set ${END_OBSOLETE}
  from dropped where d.endpoint_id = dropped.endpoint_id and d.event_id = dropped.event_id and is_obsolete`;

/**
 * Deletes deliveries 90 days after their end (decisions A/B, 6). Stores the last number of their lanes, so that numbers
 * go on: a receiver may ignore a number below one that it has received. An event that is its own subject needs none.
 */
const DELETE_EXPIRED = `
  with expired as (
    delete from delivery where (endpoint_id, event_id) in (
      select endpoint_id, event_id from delivery
      where ended_at < register_now() - interval '90 days' and state <> 'pending' and ${clocksAgree('$1')} limit 1000 for update skip locked)
    returning endpoint_id, event_id, subject, sequence),
  lanes as (
    insert into delivery_lane as known (endpoint_id, subject, last_sequence)
    select endpoint_id, subject, max(sequence) from expired where subject <> event_id group by endpoint_id, subject
    on conflict (endpoint_id, subject) do update set last_sequence = greatest(known.last_sequence, excluded.last_sequence))
  select count(*)::int as count from expired`;

const COUNT_PENDING = `select count(*)::int as count from delivery where state = 'pending'`;

const count = async (pool: Pool, text: string, values: readonly unknown[] = []) =>
  (await pool.query<{ count: number }>(text, [...values])).rows[0]?.count ?? 0;

/** Deletes up to 1,000 expired deliveries; returns their number: 0 once a clock has jumped. */
export const deleteExpired = (pool: Pool): Promise<number> => count(pool, DELETE_EXPIRED, [new Date()]);

/** Returns the number of pending deliveries. */
export const countPending = (pool: Pool): Promise<number> => count(pool, COUNT_PENDING);

/** A lane waits for the record of its result, but the next request to its endpoint does not: batches may wait a little. */
const BATCHES = { maxSize: 128, concurrency: 1, intervalMs: 20 };

/**
 * Returns the results in the tables of a subgraph.
 *
 * @param undelivered called in the transaction that makes a delivery undelivered
 */
export function resultTable(pool: Pool, undelivered: (session: Session, endpointId: string) => Promise<void>): Results {
  const recordInBatch = batched<Result, Recorded>((results) => write(pool, results, true), BATCHES);
  return {
    async record(result, alone) {
      const { outcome, delivery } = result;
      if (!alone && outcome.kind !== 'undelivered' && (await recordInBatch(result)).isRecorded) return;
      await inTransaction(pool, async (session) => {
        const [recorded] = await write(session, [result], false);
        if (recorded?.isUndelivered) await undelivered(session, delivery.endpointId);
      });
    },
    async deferLane({ endpointId, eventId, subject }, seconds, counts) {
      const values = [endpointId, subject, seconds, counts ? eventId : null];
      await pool.query({ name: 'delivery_defer_lane', text: DEFER_LANE, values });
    },
    async assemblyFailed({ endpointId, eventId, redeliveredAt }, seconds) {
      const values = [endpointId, eventId, redeliveredAt, seconds];
      await inTransaction(pool, async (session) => {
        const { rowCount } = await session.query({ name: 'delivery_assembly', text: ASSEMBLY_FAILED, values });
        if (rowCount === 1 && seconds === undefined) await undelivered(session, endpointId);
      });
    },
    drop: batched(async (dropped: readonly ObsoleteDelivery[]) => {
      const values = [
        dropped.map(({ delivery }) => delivery.endpointId),
        dropped.map(({ delivery }) => delivery.eventId),
        dropped.map(({ delivery }) => delivery.version),
        dropped.map(({ now }) => now ?? null),
        new Date(),
      ];
      await pool.query({ name: 'delivery_drop', text: DROP, values });
      return [];
    }, BATCHES),
  };
}

async function write(session: Session, results: readonly Result[], skipLocked: boolean): Promise<Recorded[]> {
  const now = performance.now();
  const values = [
    results.map(({ delivery }) => delivery.endpointId),
    results.map(({ delivery }) => delivery.eventId),
    results.map(({ outcome }) => outcome.kind),
    results.map(({ delivery }) => delivery.attempt),
    results.map(({ outcome }) => (outcome.kind === 'again' ? outcome.afterSeconds : null)),
    results.map(({ status }) => status),
    results.map(({ durationMs }) => Math.round(durationMs)),
    results.map(({ error }) => error),
    results.map(({ delivery }) => delivery.redeliveredAt),
    results.map(({ sentAt }) => now - sentAt),
  ];
  const name = skipLocked ? 'delivery_results' : 'delivery_result';
  return (await session.query<Recorded>({ name, text: RECORD(skipLocked), values })).rows;
}
