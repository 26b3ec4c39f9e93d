import type { Pool } from 'pg';
import { NEXT_OF_SLOT, WAKE } from './slots.repository';

/** What is looked after besides the deliveries themselves. */
export interface Upkeep {
  /** Seconds by which the register's clock differs from real time. */
  clockOffset(): Promise<number>;
  /** Frees the slots of the dead and adds jobs for them. */
  takeOver(): Promise<void>;
  /** Adds jobs for all slots in which something is due and nobody works: jobs are only wake-ups, the rows are the truth. */
  wakeAll(): Promise<void>;
  /** Forgets some deliveries that ended long ago; how many. */
  forget(): Promise<number>;
  pending(): Promise<number>;
}

/** Deliveries that are forgotten in one go. */
const BATCH = 1_000;

const OFFSET = 'select extract(epoch from register_now() - statement_timestamp())::float8 as seconds';

const TAKE_OVER = `
  with dead as materialized (
    select leased_by from (select distinct leased_by from delivery_slot where leased_by is not null) holder
    where pg_try_advisory_xact_lock(hashtextextended(leased_by, 0))),
  s as (
    update delivery_slot slot set leased_by = null, leased_until = null from dead where slot.leased_by = dead.leased_by
    returning slot.endpoint_id, slot.slot)
  select ${WAKE()} from s ${NEXT_OF_SLOT}`;

const WAKE_ALL = `
  select wake_deliveries(endpoint_id, slot, urgent, now()) from (
    select distinct endpoint_id, slot, urgent from delivery where state = 'pending' and next_attempt_at <= register_now()) due
  where not exists (
    select from delivery_slot busy where busy.endpoint_id = due.endpoint_id and busy.slot = due.slot and busy.leased_until > now())`;

/**
 * Kept for 90 days (2-decisions-a-b.md, section 6). A lane stays, so that its numbers go on: a receiver may pass over a number below
 * one that it has had. The lane of an event of its own ends with it.
 */
const FORGET = `
  with old as (
    delete from delivery where (endpoint_id, event_id) in (
      select endpoint_id, event_id from delivery
      where ended_at < register_now() - interval '90 days' and state <> 'pending' limit ${BATCH} for update skip locked)
    returning endpoint_id, event_id, subject),
  attempts as (delete from delivery_attempt a using old where a.endpoint_id = old.endpoint_id and a.event_id = old.event_id),
  lanes as (
    delete from delivery_lane l using old where l.endpoint_id = old.endpoint_id and l.subject = old.subject and old.subject = old.event_id)
  select count(*)::int as count from old`;

const PENDING = `select count(*)::int as count from delivery where state = 'pending'`;

/** Upkeep of the tables of the deliveries. */
export function upkeepOf(pool: Pool): Upkeep {
  const count = async (text: string) => (await pool.query<{ count: number }>(text)).rows[0]?.count ?? 0;
  return {
    clockOffset: async () => (await pool.query<{ seconds: number }>(OFFSET)).rows[0]?.seconds ?? 0,
    takeOver: async () => void (await pool.query(TAKE_OVER)),
    wakeAll: async () => void (await pool.query(WAKE_ALL)),
    forget: () => count(FORGET),
    pending: () => count(PENDING),
  };
}
