import { ForwardMigration } from '../../server/database/forward-migration';

/** Creates the tables of base models: full models of a licence area, to which projects are applied. */
export class BaseModels1790000000004 extends ForwardMigration {
  readonly statements = ['set local search_path = grid_models, register', BASES, ITEMS, PLANNING, GUARDS];
}

/**
 * A base model is staged without a number in many short transactions; one update makes it visible. `number` is a short key for its many
 * rows. The archive is stored as published.
 */
const BASES = `
  create table base_model (
    id uuid primary key default gen_random_uuid(),
    number integer generated always as identity unique,
    area text not null,
    publication_year smallint not null,
    period text not null check (period in ('01', '02')),
    version integer check (version >= 1),
    staged_at timestamptz not null default now(),
    published_at timestamptz,
    account_id text,
    archive_sha256 bytea not null check (octet_length(archive_sha256) = 32),
    unique (area, publication_year, period, version),
    constraint published_whole check (num_nulls(version, published_at) in (0, 2))
  );
  create index base_model_newest on base_model (area, publication_year desc, period desc, version desc) where version is not null;
  create index base_model_staged on base_model (staged_at) where version is null;
  create table base_file (
    base integer not null references base_model (number) on delete cascade,
    file text not null check (file in ('EQ', 'SC', 'GL')),
    mrid text not null,
    created text not null,
    scenario_time text not null,
    modeling_authority_set text not null,
    profile text[] not null,
    description text not null,
    model_version text not null,
    dependent_on text[] not null,
    supersedes text[] not null,
    items integer not null,
    statements integer not null,
    primary key (base, file)
  );
  create table base_chunk (
    base integer not null references base_model (number) on delete cascade,
    number integer not null,
    bytes bytea not null,
    primary key (base, number)
  );
  alter table base_chunk alter column bytes set storage external`;

/**
 * Items in the order of their file, in the form of `difference_item`, and the targets of their associations. Triggers ensure that rows belong
 * to a staged base model: they check once per statement, a foreign key once per row.
 */
const ITEMS = `
  create table base_item (
    base integer not null,
    file text not null,
    number integer not null,
    mrid text not null,
    mrid_key text collate "C" generated always as (lower(mrid)) stored,
    type text not null,
    is_object boolean not null,
    statements jsonb not null,
    primary key (base, file, number)
  );
  create index base_item_object on base_item (base, mrid_key);
  create table base_reference (
    base integer not null,
    target_key text collate "C" not null,
    file text not null,
    item integer not null,
    primary key (base, target_key, file, item)
  )`;

/** Disables planner statistics of the key columns, as migration 0001 does and for its reason. */
const PLANNING = `
  alter table base_item alter base set statistics 0, alter file set statistics 0, alter number set statistics 0,
    alter mrid_key set statistics 0;
  alter table base_reference alter base set statistics 0, alter target_key set statistics 0, alter file set statistics 0,
    alter item set statistics 0`;

const guarded = (table: string): string => `
  create trigger never_added after insert on ${table} referencing new table as parts for each statement
    execute function guard_parts_of_bases();
  create trigger never_removed after delete on ${table} referencing old table as parts for each statement
    execute function guard_parts_of_bases();
  create trigger never_changed before update on ${table} for each row execute function refuse_change();`;

/** A published base model and its rows never change. Inserts lock its row, so that a concurrent transaction cannot publish it before. */
const GUARDS = `
  create trigger never_changed before update or delete on base_model for each row
    when (old.version is not null) execute function refuse_change();
  create function guard_parts_of_bases() returns trigger language plpgsql set search_path = grid_models as $$
    begin
      perform from base_model where number in (select base from parts) for key share;
      if exists (select from (select distinct base from parts) part left join base_model b on b.number = part.base
          where b.version is not null or (tg_op = 'INSERT' and b.number is null)) then
        raise exception 'a published base model never changes' using errcode = 'restrict_violation';
      end if;
      return null;
    end $$;
  ${['base_file', 'base_chunk', 'base_item', 'base_reference'].map(guarded).join('')}`;
