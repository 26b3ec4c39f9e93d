import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * An event belongs to the occupancy in which it took effect: a change that is applied late is not sent on the consent of the next occupant. A
 * process of the previous release calls the same function.
 */
export class TariffEventsOfFormerOccupants1790000000017 extends ForwardMigration {
  readonly statements = ['set local search_path = tariffs, register', RECEIVES];
}

const COUNTS_FROM = 'greatest(valid_from, recorded_at)';

/**
 * As in 0015, except that no assignment may have ended between the event and a consent that was granted before the event was recorded. An end
 * at the instant of the event counts: what the event reports was the former occupant's.
 */
const RECEIVES = `
  create or replace function consent_receives(told event, point consent_meter_point) returns boolean language sql stable
  set search_path = tariffs, register, pg_temp as $$
    select point.covered_at <= told.recorded_at and (told.type = 'supplier.change' or told.ceased_at is null)
        and consent_covers(point.mpxn_hash, least(point.covered_at, told.occurred_at - interval '1 microsecond'), told.mpid)
      or exists (
        select from unnest(array[point.added_at, point.covered_at]) start
        where start < told.ceased_at and not exists (
          select from tariff_step
          where mpxn_hash = point.mpxn_hash and ${COUNTS_FROM} > start and ${COUNTS_FROM} < told.ceased_at
            and withdrawn_at is null and tariff_id is null and (mpid = told.mpid or ends_assignment(tariff_step)))) $$`;
