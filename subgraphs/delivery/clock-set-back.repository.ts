import type { Pool } from 'pg';
import { inTransaction } from '../server/database/transaction';
import type { RetrySchedule } from './schedule';

/** Seconds that the database's clock may lose between two calls before it counts as set back. */
const TOLERANCE_SECONDS = 5;
const BATCH_SIZE = 1_000;

const NOW = 'select extract(epoch from register_now())::float8 as now';

/** Delay after the last attempt that counts, from the delays of the schedule ($1); none before the first attempt. */
const DELAY = `coalesce(($1::float8[])[attempt], 0) * interval '1 s'`;

/**
 * Whether a pending delivery waits longer than its schedule says, because it was planned, requested again or attempted at a
 * time that is still to come; or longer than the longest delay ($2).
 */
const WAITS_TOO_LONG = `state || '' = 'pending' and next_attempt_at > register_now() + ${DELAY} and (
  greatest(created_at, redelivered_at, (attempts -> -1 ->> 'at')::timestamptz) > register_now()
  or next_attempt_at > register_now() + $2 * interval '1 s')`;

/** The partial index of pending deliveries finds them. */
const FIND = `
  select endpoint_id as "endpointId", event_id as "eventId" from delivery
  where state = 'pending' and next_attempt_at > register_now() and ${WAITS_TOO_LONG} limit ${BATCH_SIZE}`;

/** Endpoints are locked before deliveries, as by the fan-out. */
const WAKE = `
  update delivery_endpoint e set due_at = register_now(), generation = generation + 1 from (
    select id from delivery_endpoint where id = any($1) order by id for update) found
  where e.id = found.id`;

const PLAN_AGAIN = `
  update delivery d set next_attempt_at = register_now() + ${DELAY} from (
    select endpoint_id, event_id from unnest($3::uuid[], $4::text[]) as found(endpoint_id, event_id) join delivery using (endpoint_id, event_id)
    where ${WAITS_TOO_LONG} for update of delivery skip locked) found
  where d.endpoint_id = found.endpoint_id and d.event_id = found.event_id`;

/** Ends deferrals that began at a time that is still to come. */
const WAKE_DEFERRED = `
  update delivery_endpoint e set due_at = register_now(), generation = generation + 1, put_off_at = register_now() from (
    select id from delivery_endpoint where put_off_at > register_now() order by id for update) found
  where e.id = found.id`;

/**
 * Returns a function that corrects the times of pending deliveries when it is called first, and whenever the database's
 * clock was set back since the last call: otherwise what was planned while the clock was ahead would wait for that time.
 * The first attempt is then due at once, and a retry after the delay of its schedule.
 */
export function clockSetBack(pool: Pool, { delays }: RetrySchedule): () => Promise<void> {
  let last: { readonly database: number; readonly process: number } | undefined;
  return async () => {
    const database = (await pool.query<{ now: number }>(NOW)).rows[0]?.now ?? 0;
    const now = { database, process: performance.now() / 1000 };
    const isSetBack =
      last === undefined || now.database - last.database < now.process - last.process - TOLERANCE_SECONDS;
    if (isSetBack) await correct(pool, delays);
    last = now;
  };
}

async function correct(pool: Pool, delays: readonly number[]): Promise<void> {
  await pool.query(WAKE_DEFERRED);
  const bounds = [delays, Math.max(...delays)];
  let corrected: number;
  do {
    corrected = await inTransaction(pool, async (session) => {
      const { rows } = await session.query<{ endpointId: string; eventId: string }>(FIND, bounds);
      const endpoints = rows.map(({ endpointId }) => endpointId);
      await session.query(WAKE, [endpoints]);
      const events = rows.map(({ eventId }) => eventId);
      return (await session.query(PLAN_AGAIN, [...bounds, endpoints, events])).rowCount ?? 0;
    });
  } while (corrected > 0);
}
