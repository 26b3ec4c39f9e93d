import type { Pool } from 'pg';
import { type Session, inTransaction } from '../server/transaction';
import { grouped } from './grouped';
import type { LaneDelivery, Outcome } from './pass';

/** An attempt that was made, and what it makes of its delivery. */
export interface Result {
  readonly delivery: LaneDelivery;
  readonly slot: number;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** What is known once a result is kept. */
export interface Kept {
  /** Whether another delivery that is urgent waits in the slot. */
  readonly urgentHasCome: boolean;
}

/** How a lane is put off. */
export interface Hold {
  readonly seconds: number;
  /** Only unless its endpoint was resumed since it had been so often. */
  readonly resumptions?: number;
  /** The delivery could not be assembled, which counts. */
  readonly isFaulty?: boolean;
}

/** Keeps what becomes of deliveries. */
export interface Results {
  record(result: Result): Promise<Kept>;
  /** How often what was suspended at an endpoint has been resumed. */
  resumptions(endpointId: string): Promise<number>;
  /** Puts off what is due in the lane of a delivery: nothing was sent, no attempt counts. */
  hold(delivery: LaneDelivery, hold: Hold): Promise<void>;
  /** Puts off a delivery that cannot be assembled; without seconds it is given up. Nothing was sent, no attempt counts. */
  fault(delivery: LaneDelivery, seconds: number | undefined): Promise<void>;
  /** Ends a delivery that is wanted no more. */
  drop(delivery: LaneDelivery): Promise<void>;
}

/**
 * An attempt counts for a delivery that is pending; success counts also for one that was superseded meanwhile. When it was asked for once
 * more since it was looked up, it is still to be made, whatever came of the attempt. Each is noted. Rows that another transaction has are
 * passed over in a group, so that it holds up no other: they are written alone.
 */
const RECORD = (passOver: boolean) => `
  with result as (
    select * from unnest($1::uuid[], $2::text[], $3::smallint[], $4::text[], $5::smallint[], $6::float8[], $7::integer[], $8::integer[], $9::text[], $10::timestamptz[])
      with ordinality as r(endpoint_id, event_id, slot, outcome, made, after_seconds, status, duration_ms, error, asked_at, n)),
  found as materialized (
    select r.*, d.redelivered_at is not distinct from r.asked_at and (
      d.state = 'pending' and (r.outcome = 'delivered' or d.attempt = r.made)
      or d.state = 'superseded' and r.outcome = 'delivered') as counts
    from result r join delivery d using (endpoint_id, event_id)
    order by d.endpoint_id, d.event_id for update of d ${passOver ? 'skip locked' : ''}),
  counted as (
    update delivery d set
      state = case when f.outcome = 'again' then d.state else f.outcome end,
      attempt = case when f.outcome = 'again' and f.after_seconds is null then d.attempt else d.attempt + 1 end,
      held = 0,
      faults = 0,
      next_attempt_at = case when f.after_seconds is null then d.next_attempt_at
        else register_now() + f.after_seconds * interval '1 s' end,
      ended_at = case when f.outcome = 'again' then null else register_now() end
    from found f where f.counts and d.endpoint_id = f.endpoint_id and d.event_id = f.event_id),
  noted as (
    insert into delivery_attempt (endpoint_id, event_id, number, at, status, duration_ms, error)
    select f.endpoint_id, f.event_id,
      1 + coalesce((select max(number) from delivery_attempt a where a.endpoint_id = f.endpoint_id and a.event_id = f.event_id), 0),
      register_now() - f.duration_ms * interval '1 ms', f.status, f.duration_ms, f.error
    from found f
    on conflict do nothing)
  select f.n is not null as kept, coalesce(f.counts and f.outcome = 'undelivered', false) as "isUndelivered",
    exists (
      select from delivery u where u.endpoint_id = r.endpoint_id and u.slot = r.slot and u.state = 'pending' and u.urgent
        and u.next_attempt_at <= register_now() and u.event_id <> r.event_id) as "urgentHasCome"
  from result r left join found f using (n) order by r.n`;

interface Written extends Kept {
  readonly kept: boolean;
  readonly isUndelivered: boolean;
}

const RESUMPTIONS = 'select number from delivery_resumption where endpoint_id = $1';

const HOLD = 'select hold_deliveries($1, $2, $3, $4, $5)';

const FAULT = `
  update delivery set faults = least(faults + 1, 1000), held = least(held + 1, 1000),
    state = case when $4::float8 is null then 'undelivered' else state end,
    ended_at = case when $4 is null then register_now() end,
    next_attempt_at = case when $4 is null then next_attempt_at else register_now() + $4 * interval '1 s' end
  where endpoint_id = $1 and event_id = $2 and state || '' = 'pending' and redelivered_at is not distinct from $3::timestamptz`;

const DROP = `
  update delivery set state = 'superseded', ended_at = register_now() where endpoint_id = $1 and event_id = $2 and state = 'pending'`;

/** The results in the tables of the deliveries. */
export function resultTable(pool: Pool, undelivered: (session: Session, endpointId: string) => Promise<void>): Results {
  const together = grouped<Result, Written>((results) => write(pool, results, true), { most: 64, atOnce: 2 });
  const alone = (result: Result) =>
    inTransaction(pool, async (session) => {
      const [written] = await write(session, [result], false);
      if (written?.isUndelivered) await undelivered(session, result.delivery.endpointId);
      return written ?? { urgentHasCome: false };
    });
  return {
    async record(result) {
      if (result.outcome.kind === 'undelivered') return alone(result);
      const written = await together(result);
      return written.kept ? written : alone(result);
    },
    async resumptions(endpointId) {
      return (await pool.query<{ number: number }>(RESUMPTIONS, [endpointId])).rows[0]?.number ?? 0;
    },
    async hold({ endpointId, eventId, subject }, { seconds, resumptions, isFaulty }) {
      const values = [endpointId, subject, seconds, resumptions, isFaulty ? eventId : null];
      await pool.query({ name: 'delivery_hold', text: HOLD, values });
    },
    async fault({ endpointId, eventId, redeliveredAt }, seconds) {
      const values = [endpointId, eventId, redeliveredAt, seconds];
      await inTransaction(pool, async (session) => {
        const { rowCount } = await session.query({ name: 'delivery_fault', text: FAULT, values });
        if (rowCount === 1 && seconds === undefined) await undelivered(session, endpointId);
      });
    },
    async drop({ endpointId, eventId }) {
      await pool.query({ name: 'delivery_drop', text: DROP, values: [endpointId, eventId] });
    },
  };
}

async function write(session: Session, results: readonly Result[], passOver: boolean): Promise<Written[]> {
  const values = [
    results.map(({ delivery }) => delivery.endpointId),
    results.map(({ delivery }) => delivery.eventId),
    results.map(({ slot }) => slot),
    results.map(({ outcome }) => outcome.kind),
    results.map(({ delivery }) => delivery.attempt),
    results.map(({ outcome }) => (outcome.kind === 'again' ? outcome.afterSeconds : null)),
    results.map(({ status }) => status),
    results.map(({ durationMs }) => Math.round(durationMs)),
    results.map(({ error }) => error),
    results.map(({ delivery }) => delivery.redeliveredAt),
  ];
  const name = passOver ? 'delivery_results' : 'delivery_result';
  return (await session.query<Written>({ name, text: RECORD(passOver), values })).rows;
}
