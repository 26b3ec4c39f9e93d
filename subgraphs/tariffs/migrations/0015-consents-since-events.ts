import { ForwardMigration } from '../../server/database/forward-migration';

/**
 * An event belongs to the coverage in which it was recorded: a consent that is granted later receives it no more, however long its delivery
 * waits. A process of the previous release calls the same function.
 */
export class TariffConsentsSinceEvents1790000000015 extends ForwardMigration {
  readonly statements = ['set local search_path = tariffs, register', RECEIVES];
}

const COUNTS_FROM = 'greatest(valid_from, recorded_at)';

/**
 * As in 0013, except that the consent must have covered the meter point when the event was recorded: a consumer who consents later has read
 * the tariffs since.
 */
const RECEIVES = `
  create or replace function consent_receives(told event, point consent_meter_point) returns boolean language sql stable
  set search_path = tariffs, register, pg_temp as $$
    select point.covered_at <= told.recorded_at and consent_covers(point.mpxn_hash, point.covered_at, told.mpid)
        and (told.type = 'supplier.change' or told.ceased_at is null)
      or exists (
        select from unnest(array[point.added_at, point.covered_at]) start
        where told.ceased_at > start and not exists (
          select from tariff_step
          where mpxn_hash = point.mpxn_hash and ${COUNTS_FROM} > start and ${COUNTS_FROM} < told.ceased_at
            and withdrawn_at is null and tariff_id is null and (mpid = told.mpid or ends_assignment(tariff_step)))) $$`;
