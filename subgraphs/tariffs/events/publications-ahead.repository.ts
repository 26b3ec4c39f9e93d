import type { Pool } from 'pg';
import { inTransaction } from '../../server/database/transaction';
import { LOCK_CHANGES } from '../catalogue/tariff.repository';

/** Tariffs or versions that one statement corrects. */
const BATCH_SIZE = 500;

/** SQL: the present instant in the precision of the API. */
const NOW = `date_trunc('milliseconds', register_now())`;

/**
 * Corrects when tariffs were published, and returns a row for each. A replacement is due when it takes effect. Starts and ends that had
 * passed by the clock ahead have no scheduled change, or an applied one. What has passed by the present clock, too, is due now: the former
 * tariff may have been published again since the clock was set back. Passes over a tariff that a publication has locked: the repetition of
 * the correction finds it.
 */
const CORRECT_TARIFFS = `
  with ahead as (
    select tariff_id from tariff where published_at > register_now() order by tariff_id limit ${BATCH_SIZE}
    for no key update skip locked),
  corrected as (
    update tariff set published_at = ${NOW} from ahead where tariff.tariff_id = ahead.tariff_id
    returning tariff.tariff_id, valid_from, valid_to, published_at, greatest(valid_from, published_at) as effective),
  replacements as (
    update tariff_effect effect set due_at = effective, turn_at = null from corrected
    where effect.tariff_id = corrected.tariff_id and kind = 'replacement' and done_at is null and cancelled_at is null
      and due_at > effective),
  bounds as (
    insert into tariff_effect (kind, due_at, tariff_id)
    select 'validity', greatest(bound, published_at), tariff_id
    from corrected cross join lateral unnest(array[valid_from, valid_to]) bound
    where bound is not null and not exists (
      select from tariff_effect planned
      where planned.tariff_id = corrected.tariff_id and done_at is null and cancelled_at is null
        and case kind when 'replacement' then bound = valid_from else due_at = bound end))
  select from corrected`;

const CORRECT_VERSIONS = `
  with ahead as (
    select tariff_id, version from tariff_version where published_at > register_now()
    order by tariff_id, version limit ${BATCH_SIZE} for no key update)
  update tariff_version set published_at = ${NOW} from ahead
  where tariff_version.tariff_id = ahead.tariff_id and tariff_version.version = ahead.version`;

/**
 * Corrects tariffs and versions that were published while the clock was ahead: until it shows that time again, a replacement would not take
 * effect. No scheduled change is applied meanwhile: one that is in progress would seem planned. `last_modified` does not change: clients
 * that follow it have read it.
 */
export async function correctPublicationsAhead(pool: Pool): Promise<void> {
  const correct = (statement: string) =>
    inTransaction(pool, async (session) => {
      await session.query(LOCK_CHANGES);
      return (await session.query(statement)).rowCount;
    });
  for (const statement of [CORRECT_TARIFFS, CORRECT_VERSIONS]) while ((await correct(statement)) === BATCH_SIZE);
}
