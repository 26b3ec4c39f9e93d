import type { Pool } from 'pg';
import { LOWEST_UUID } from '../../schema/identifiers';
import { MAX_DEFERRAL_SECONDS } from './delivery';
import { MAX_BLOCKING_FAILURES, MAX_LANE_WAIT_SECONDS } from './lane';
import { whenSetBack } from '../server/database/register-clock';
import { inTransaction } from '../server/database/transaction';
import type { RetrySchedule } from './schedule';

/** Waiting deliveries or endpoints that one transaction reads, corrected or not, which bounds its time: after an outage of a receiver many wait. */
const BATCH_SIZE = 1_000;

/** Delay after the last attempt that counts, from the delays of the schedule ($1); none before the first attempt. */
const DELAY = `coalesce(($1::float8[])[attempt], 0) * interval '1 s'`;

/**
 * Whether a pending delivery waits longer than its schedule says, because it was planned, requested again or attempted at a
 * time that is still to come; or longer than the longest delay ($2), or than its lane may wait before its first attempt.
 */
const WAITS_TOO_LONG = `state || '' = 'pending' and next_attempt_at > register_now() + ${DELAY} and (
  greatest(created_at, redelivered_at, (attempts -> -1 ->> 'at')::timestamptz) > register_now()
  or next_attempt_at > register_now() + $2 * interval '1 s'
  or attempt = 0 and faults <= ${MAX_BLOCKING_FAILURES} and next_attempt_at > register_now() + ${MAX_LANE_WAIT_SECONDS} * interval '1 s')`;

/** Reads the waiting deliveries after a position ($3 to $6), in the order of the partial index of pending ones. */
const READ_WAITING = `
  select endpoint_id as "endpointId", urgent, next_attempt_at::text as at, event_id as "eventId", ${WAITS_TOO_LONG} as "isTooLong"
  from delivery
  where state = 'pending' and next_attempt_at > register_now()
    and (endpoint_id, urgent, next_attempt_at, event_id) > ($3::uuid, $4::boolean, $5::timestamptz, $6::text)
  order by endpoint_id, urgent, delivery.next_attempt_at, event_id limit ${BATCH_SIZE}`;

/** A waiting delivery, and its position. */
interface WaitingDelivery {
  readonly endpointId: string;
  readonly urgent: boolean;
  readonly at: string;
  readonly eventId: string;
  readonly isTooLong: boolean;
}

const START = { endpointId: LOWEST_UUID, urgent: false, at: '-infinity', eventId: '' };

/** Endpoints are locked before deliveries, as by the fan-out. */
const WAKE = `
  update delivery_endpoint e set due_at = register_now(), generation = generation + 1 from (
    select id from delivery_endpoint where id = any($1) order by id for update) found
  where e.id = found.id`;

/** Passes over a delivery that is locked: its result is being recorded, with the time of its next attempt. */
const PLAN_AGAIN = `
  update delivery d set next_attempt_at = register_now() + ${DELAY} from (
    select endpoint_id, event_id from unnest($3::uuid[], $4::text[]) as found(endpoint_id, event_id) join delivery using (endpoint_id, event_id)
    where ${WAITS_TOO_LONG} for update of delivery skip locked) found
  where d.endpoint_id = found.endpoint_id and d.event_id = found.event_id`;

/** SQL: whether a delivery of an endpoint `e` is due before it. */
const IS_DUE_BEFORE = (urgent: boolean) => `
  exists (select from delivery where endpoint_id = e.id and state = 'pending' and urgent = ${urgent} and next_attempt_at < e.due_at)`;

/**
 * Makes the next endpoints after an id ($1) due whose deferral began at a time that is still to come, or lasts longer than any deferral. An
 * endpoint that is locked is being woken or released.
 */
const WAKE_DEFERRED = `
  with found as materialized (
    select id from delivery_endpoint e
    where id > $1 and due_at > register_now() and (put_off_at > register_now()
      or due_at > coalesce(put_off_at, '-infinity') + interval '${MAX_DEFERRAL_SECONDS} s'
        and (${IS_DUE_BEFORE(true)} or ${IS_DUE_BEFORE(false)}))
    order by id limit ${BATCH_SIZE} for update skip locked),
  woken as (
    update delivery_endpoint e set due_at = register_now(), generation = generation + 1,
      put_off_at = case when put_off_at > register_now() then register_now() else put_off_at end
    from found where e.id = found.id)
  select id from found order by id desc limit 1`;

/** A secret that was replaced while the clock was ahead signs no longer than 15 minutes from now on. */
const REPLACE_SECRETS = 'update webhook_secret set replaced_at = register_now() where replaced_at > register_now()';

/**
 * Returns a function that corrects the times of pending deliveries when it is called first, and whenever the database's
 * clock was set back since the last call: otherwise what was planned while the clock was ahead would wait for that time.
 * The first attempt is then due at once, and a retry after the delay of its schedule.
 */
export function clockSetBack(pool: Pool, { delays }: RetrySchedule): () => Promise<void> {
  return whenSetBack(pool, () => correct(pool, delays));
}

async function correct(pool: Pool, delays: readonly number[]): Promise<void> {
  await pool.query(REPLACE_SECRETS);
  for (let last: string | undefined = LOWEST_UUID; last !== undefined;)
    last = (await pool.query<{ id: string }>(WAKE_DEFERRED, [last])).rows[0]?.id;
  const bounds = [delays, Math.max(...delays)];
  let after: Omit<WaitingDelivery, 'isTooLong'> | undefined = START;
  while (after !== undefined) after = await correctSome(pool, bounds, after);
}

/** Corrects the next waiting deliveries; returns the position of the last one if others may follow. */
function correctSome(pool: Pool, bounds: readonly unknown[], after: Omit<WaitingDelivery, 'isTooLong'>) {
  return inTransaction(pool, async (session) => {
    const position = [after.endpointId, after.urgent, after.at, after.eventId];
    const { rows } = await session.query<WaitingDelivery>(READ_WAITING, [...bounds, ...position]);
    const found = rows.filter(({ isTooLong }) => isTooLong);
    const endpoints = found.map(({ endpointId }) => endpointId);
    const events = found.map(({ eventId }) => eventId);
    if (found.length > 0) {
      await session.query(WAKE, [endpoints]);
      await session.query(PLAN_AGAIN, [...bounds, endpoints, events]);
    }
    return rows.length < BATCH_SIZE ? undefined : rows.at(-1);
  });
}
