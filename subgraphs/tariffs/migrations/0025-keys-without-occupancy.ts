import { ForwardMigration } from '../../server/database/forward-migration';
import { TEMPORARY_OBJECTS_LAST } from '../../server/database/released-sql';

/**
 * A key can be destroyed whose occupancy will not start: its planned start was withdrawn, or recorded while the clock was ahead. No end would
 * ever follow it, so that its copy of the MPxN stayed readable.
 */
export class TariffKeysWithoutOccupancy1790000000025 extends ForwardMigration {
  readonly statements = [
    'set local search_path = tariffs, register',
    WILL_NOT_START,
    GUARD,
    TEMPORARY_OBJECTS_LAST('tariffs'),
  ];
}

const PATH = 'set search_path = tariffs, register, pg_temp';

/** Whether the occupancy of a key lies ahead, and no end of an assignment starts it. */
const WILL_NOT_START = `
  create function occupancy_will_not_start(of_key tariffs_keys.occupancy_key) returns boolean language sql stable ${PATH} as $$
    select of_key.began > register_now() and not exists (
      select from tariff_step
      where mpxn_hash = of_key.premises and greatest(valid_from, recorded_at) = of_key.began
        and withdrawn_at is null and tariff_id is null and ends_assignment(tariff_step)) $$`;

const GUARD = `
  create or replace function guard_occupancy_key() returns trigger language plpgsql ${PATH} as $$
    begin
      if tg_op = 'UPDATE' then
        raise exception 'the key of an occupancy is not rewritten' using errcode = 'restrict_violation';
      end if;
      if not (occupancy_key_is_due(old) or occupancy_will_not_start(old)) then
        raise exception 'the key of an occupancy is not destroyed before its time' using errcode = 'restrict_violation';
      end if;
      return old;
    end $$`;
