import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_OCCUPANCY_KEYS, GUARD_OCCUPANCY_KEYS } from '../../server/occupancy-keys';
import { IDENTITY_OCCUPANCIES } from '../occupancy/identity-occupancies.queries';

/** MPxNs of the communications operator's reports under a key per meter point and occupancy (decisions A/B, 12). */
export class OccupancyKeys1790000000009 extends ForwardMigration {
  readonly statements = [
    'set local search_path = identity, register',
    CREATE_OCCUPANCY_KEYS(IDENTITY_OCCUPANCIES),
    KEYED_CHANGES,
    KEYED_DISCOVERIES,
    DUE,
    GUARD_OCCUPANCY_KEYS(IDENTITY_OCCUPANCIES),
  ];
}

/**
 * Rows without a key are sealed directly under the encryption key, as the release before did. They get a key once, by which sealed
 * content is replaced; besides, a change is rewritten by its announcement only.
 */
const KEYED_CHANGES = `
  alter table change_of_tenancy add column key_id uuid;
  create index change_of_tenancy_key on change_of_tenancy (key_id) where key_id is not null;
  create index change_of_tenancy_without_key on change_of_tenancy (id) where key_id is null and sealed is not null;
  create or replace function guard_change_of_tenancy() returns trigger language plpgsql as $$
    declare
      noted constant text[] := '{announced_at,records_affected,duids}';
      resealed constant text[] := '{sealed,key_id}';
    begin
      if old.key_id is null and new.key_id is not null and num_nulls(old.sealed, new.sealed) = 0
          and to_jsonb(new) - resealed = to_jsonb(old) - resealed then
        return new;
      end if;
      if old.announced_at is not null or to_jsonb(new) - noted <> to_jsonb(old) - noted then
        raise exception 'a change of tenancy is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$`;

/** One row for each occupancy in which access was discovered. A row without a key is replaced by one that has a key. */
const KEYED_DISCOVERIES = `
  alter table discovered_meter_point drop constraint discovered_meter_point_pkey,
    add column id uuid primary key default gen_random_uuid(), add column key_id uuid;
  create unique index discovered_meter_point_occupancy on discovered_meter_point (meter_point_id, key_id);
  create unique index discovered_meter_point_without_key on discovered_meter_point (meter_point_id) where key_id is null;
  create function guard_discovered_meter_point() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' or old.key_id is not null then
        raise exception 'a discovered meter point is not rewritten' using errcode = 'restrict_violation';
      end if;
      return old;
    end $$;
  create trigger not_rewritten before update or delete on discovered_meter_point
    for each row execute function guard_discovered_meter_point()`;

/** Changes up to this day took effect 13 months ago. */
const LONG_AGO = `((register_now() at time zone 'Europe/London') - interval '13 months')::date`;

/**
 * A key is due 13 months after the end of its occupancy, or on request; never while a change under it waits to be announced. A change
 * that was recorded late, with a day between two others, leaves the key until 13 months after the later one.
 */
const DUE = `
  create function occupancy_key_is_due(of_key identity_keys.occupancy_key) returns boolean
    language sql stable set search_path = identity, register, pg_temp as $$
    select not exists (select from change_of_tenancy where key_id = of_key.id and announced_at is null)
      and (
        exists (select from occupancy_erasure where key_id = of_key.id)
        or (
          exists (
            select from change_of_tenancy
            where mpxn_index = of_key.premises and effective_date > of_key.began and effective_date <= ${LONG_AGO})
          and not exists (select from change_of_tenancy where key_id = of_key.id and effective_date > ${LONG_AGO}))) $$`;
