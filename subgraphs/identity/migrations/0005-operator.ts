import { ForwardMigration } from '../../server/database/forward-migration';

/** What the communications operator tells of meter points: changes of tenancy, and where access was discovered. */
export class Operator1790000000005 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', CHANGES, GUARD_CHANGES, DISCOVERED_AT];
}

/** MPxN and reference are sealed together. What `access` has found when it announced the change is noted once, and answers repeats. */
const CHANGES = `
  alter table change_of_tenancy
    add column id uuid primary key default gen_random_uuid(),
    add column reference_hash bytea check (octet_length(reference_hash) = 32),
    add column sealed bytea,
    add column announced_at timestamptz,
    add column records_affected integer,
    add column duids text[],
    add constraint change_of_tenancy_once unique (mpxn_index, effective_date, reference_hash),
    add constraint sealed_with_reference check ((sealed is null) = (reference_hash is null)),
    add constraint announced_whole check ((announced_at is null) = (records_affected is null) and (announced_at is null) = (duids is null));
  create index change_of_tenancy_to_announce on change_of_tenancy (recorded_at) where announced_at is null and sealed is not null`;

const GUARD_CHANGES = `
  create function guard_change_of_tenancy() returns trigger language plpgsql as $$
    declare noted constant text[] := '{announced_at,records_affected,duids}';
    begin
      if old.announced_at is not null or to_jsonb(new) - noted <> to_jsonb(old) - noted then
        raise exception 'a change of tenancy is not rewritten' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
  create trigger not_rewritten before update on change_of_tenancy for each row execute function guard_change_of_tenancy()`;

/** `access` knows a meter point by its opaque id only: here is which it is. */
const DISCOVERED_AT = `
  create table discovered_meter_point (
    meter_point_id text primary key,
    sealed bytea not null,
    recorded_at timestamptz not null default register_now()
  )`;
