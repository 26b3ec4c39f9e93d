import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/**
 * The key of an occupancy that no end of an assignment starts is due: its planned start was withdrawn, or was recorded while the clock was
 * ahead. An end after it may never come, so that its copy of the MPxN stayed readable.
 */
export class TariffKeysWithoutOccupancy1790000000025 extends ForwardMigration {
  readonly statements = ['set local search_path = tariffs, register', DUE, TEMPORARY_OBJECTS_LAST('tariffs')];
}

const COUNTS_FROM = 'greatest(valid_from, recorded_at)';
const ENDS = 'withdrawn_at is null and tariff_id is null and ends_assignment(tariff_step)';

/** As in 0013, and for occupancies that do not start. */
const DUE = `
  create or replace function occupancy_key_is_due(of_key tariffs_keys.occupancy_key) returns boolean language sql stable
  set search_path = tariffs, register, pg_temp as $$
    select exists (
      select from tariff_step
      where mpxn_hash = of_key.premises and ${COUNTS_FROM} > of_key.began
        and ${COUNTS_FROM} <= register_now() - case
          when exists (select from occupancy_erasure where key_id = of_key.id) then interval '0' else interval '13 months' end
        and ${ENDS})
    or isfinite(of_key.began) and not exists (
      select from tariff_step where mpxn_hash = of_key.premises and ${COUNTS_FROM} = of_key.began and ${ENDS}) $$`;
