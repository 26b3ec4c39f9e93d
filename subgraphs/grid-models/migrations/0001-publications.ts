import { ForwardMigration } from '../../server/database/forward-migration';
import { CREATE_RATE_LIMIT } from '../../server/database/released-sql';

/** Creates the tables of published archives: their bytes, and an index of their contents. */
export class Publications1790000000001 extends ForwardMigration {
  readonly statements = [
    'set local search_path = grid_models, register',
    PROJECTS,
    LATEST,
    MODELS,
    CONTENTS,
    ITEMS,
    CHANGES,
    LOCATIONS,
    PLANNING,
    UPLOADS,
    GUARDS,
    CREATE_RATE_LIMIT,
  ];
}

/**
 * A version is staged without a project in many short transactions. One update of project and number makes it visible. A clean-up job
 * deletes versions that a crashed process left staged.
 */
const PROJECTS = `
  create table development_project (
    id uuid primary key default gen_random_uuid(),
    area text not null,
    publication_year smallint not null,
    period text not null check (period in ('01', '02')),
    project_id text not null,
    latest_version integer,
    latest_published_at timestamptz,
    unique (area, publication_year, period, project_id)
  );
  create table project_version (
    id uuid primary key default gen_random_uuid(),
    project uuid references development_project,
    version integer check (version >= 1),
    staged_at timestamptz not null default now(),
    published_at timestamptz,
    account_id text,
    archive_sha256 bytea not null check (octet_length(archive_sha256) = 32),
    unplaced_points integer not null default 0,
    unique (project, version),
    constraint published_whole check (num_nulls(project, version, published_at) in (0, 3))
  );
  create index project_version_staged on project_version (staged_at) where version is null`;

/** A trigger stores the newest version of a project, by which projects are listed. Projects without a version are not listed. */
const LATEST = `
  create function remember_latest_version() returns trigger language plpgsql security definer
    set search_path = grid_models, pg_temp as $$
    begin
      update development_project set latest_version = new.version, latest_published_at = new.published_at
        where id = new.project and coalesce(latest_version, 0) < new.version;
      return null;
    end $$;
  create trigger remembered after insert or update of version on project_version
    for each row when (new.version is not null) execute function remember_latest_version();
  create index project_newest on development_project (latest_published_at desc, id desc) where latest_version is not null;
  create index project_newest_of_area on development_project (area, latest_published_at desc, id desc)
    where latest_version is not null;
  create index project_newest_of_year on development_project (publication_year, latest_published_at desc, id desc)
    where latest_version is not null;
  create index project_newest_of_area_and_year on development_project (area, publication_year, latest_published_at desc, id desc)
    where latest_version is not null;
  create index project_newest_of_id on development_project (project_id, latest_published_at desc, id desc)
    where latest_version is not null`;

/** `number` is a short key for the many rows of items. A count is null if the file has no such section. */
const MODELS = `
  create table difference_model (
    id uuid primary key default gen_random_uuid(),
    number integer generated always as identity unique,
    project_version uuid not null references project_version on delete cascade,
    file text not null check (file in ('EQ', 'SC', 'GL')),
    mrid text not null,
    mrid_key text collate "C" generated always as (lower(mrid)) stored,
    created text not null,
    scenario_time text not null,
    modeling_authority_set text not null,
    profile text[] not null,
    description text not null,
    model_version text not null,
    dependent_on text[] not null,
    supersedes text[] not null,
    forward_items integer,
    forward_statements integer,
    reverse_items integer,
    reverse_statements integer,
    unique (project_version, file)
  );
  create index difference_model_mrid on difference_model (mrid_key, number);
  create table model_dependency (
    model integer not null references difference_model (number) on delete cascade,
    mrid_key text collate "C" not null,
    primary key (model, mrid_key)
  );
  create index model_dependency_dependents on model_dependency (mrid_key, model)`;

/** Bytes of every representation: as published, and the JSON view; each also with gzip if that is smaller. */
const CONTENTS = `
  create table content (
    number integer generated always as identity primary key,
    project_version uuid not null references project_version on delete cascade,
    member text not null check (member in ('EQ', 'SC', 'GL', 'archive')),
    view text not null check (view in ('rdf', 'json', 'zip')),
    encoding text not null check (encoding in ('identity', 'gzip')),
    size integer not null,
    sha256 bytea not null check (octet_length(sha256) = 32),
    unique (project_version, member, view, encoding)
  );
  create table content_chunk (
    content integer not null references content on delete cascade,
    number integer not null,
    bytes bytea not null,
    primary key (content, number)
  );
  alter table content_chunk alter column bytes set storage external`;

/**
 * Items in the order of the file, and an index of their statements by name and value. `occurrence` numbers the items of one mRID in a
 * section. `digest` covers class, form and statements. `statements` is `[[name, kind, value], …]` in the order of the file.
 * `statement_hash` hashes the name and the normalised value (`statement_key`), which is equal for all spellings of a reference. Triggers
 * ensure that items belong to a model: they check once per statement, a foreign key once per row.
 */
const ITEMS = `
  create table difference_item (
    model integer not null,
    number integer not null,
    section text not null check (section in ('forward', 'reverse')),
    mrid text not null,
    mrid_key text collate "C" generated always as (lower(mrid)) stored,
    occurrence integer not null,
    type text not null,
    is_object boolean not null,
    name text,
    statements jsonb not null,
    digest bytea not null,
    primary key (model, number)
  );
  create index difference_item_section on difference_item (model, section, number);
  create index difference_item_type on difference_item (model, type, number);
  create index difference_item_mrid on difference_item (model, mrid_key, section, occurrence) include (digest);
  create function statement_key(value text) returns text language sql immutable parallel safe return
    regexp_replace(regexp_replace(lower(value), '^https?://[^#]*#_?([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$', '\\1'),
      '^(urn:uuid:|#|_)+', '');
  create table item_statement (
    model integer not null,
    name text not null,
    statement_hash integer not null,
    item integer not null,
    primary key (model, statement_hash, item, name)
  );
  create index item_statement_name on item_statement (model, name, item);
  create table class_count (
    model integer not null references difference_model (number) on delete cascade,
    section text not null,
    type text not null,
    items integer not null,
    statements integer not null,
    primary key (model, section, type)
  )`;

/** The change of each object in a version, over its three files (see `changes/object-changes.ts`). */
const CHANGES = `
  create table object_change (
    project_version uuid not null references project_version on delete cascade,
    mrid_key text collate "C" not null,
    mrid text not null,
    type text not null,
    kind text not null check (kind in ('added', 'removed', 'changed')),
    name text,
    files text[] not null,
    primary key (project_version, mrid_key)
  );
  create index object_change_kind on object_change (project_version, kind, mrid_key);
  create index object_change_type on object_change (project_version, type, kind, mrid_key)`;

/** Locations that items of the GL file of a version describe, or whose points they describe. */
const LOCATIONS = `
  create table grid_location (
    project_version uuid not null references project_version on delete cascade,
    mrid_key text collate "C" not null,
    mrid text not null,
    kind text not null check (kind in ('added', 'removed', 'changed')),
    primary key (project_version, mrid_key)
  )`;

/** Index columns of the large tables. */
const KEYS_OF_TABLES = {
  difference_item: ['model', 'number', 'section', 'mrid_key', 'occurrence', 'type'],
  item_statement: ['model', 'name', 'statement_hash', 'item'],
  object_change: ['project_version', 'mrid_key', 'type', 'kind'],
  grid_location: ['project_version', 'mrid_key'],
};

/**
 * Disables planner statistics on these columns. From statistics older than a model the planner would estimate zero rows for it, consider
 * all indexes that start with the model equally good, and scan the whole model for each item.
 */
const PLANNING = Object.entries(KEYS_OF_TABLES)
  .map(
    ([table, columns]) => `alter table ${table} ${columns.map((each) => `alter ${each} set statistics 0`).join(', ')};`,
  )
  .join('');

/** One-time addresses for uploads by admins. A used one stores the version, and the digest of the archive. */
const UPLOADS = `
  create table upload (
    token_hash bytea primary key check (octet_length(token_hash) = 32),
    area text not null,
    publication_year smallint not null,
    period text not null,
    project_id text not null,
    account_id text not null,
    expires_at timestamptz not null,
    project_version uuid references project_version,
    archive_sha256 bytea,
    constraint used_whole check ((project_version is null) = (archive_sha256 is null))
  );
  create index upload_expired on upload (expires_at)`;

/** Tables with rows of a version, and tables with rows of one of its models. */
const PARTS_OF_VERSIONS = ['difference_model', 'content', 'object_change', 'grid_location'];
const PARTS_OF_MODELS = ['model_dependency', 'difference_item', 'item_statement', 'class_count'];

/** Statement-level triggers for tables with bulk inserts and deletes. */
const guarded = (table: string, guard: string): string => `
  create trigger never_added after insert on ${table} referencing new table as parts for each statement execute function ${guard}();
  create trigger never_removed after delete on ${table} referencing old table as parts for each statement execute function ${guard}();
  create trigger never_changed before update on ${table} for each row execute function refuse_change();`;

/**
 * A published version and its rows never change; rows may be inserted and deleted only while the version is staged. Inserts lock the row of
 * the version (`for key share`), so that a concurrent transaction cannot publish it before they commit.
 */
const GUARDS = `
  create function refuse_change() returns trigger language plpgsql set search_path = grid_models as $$
    begin
      raise exception 'a published version never changes' using errcode = 'restrict_violation';
    end $$;
  create trigger never_changed before update or delete on project_version for each row
    when (old.version is not null) execute function refuse_change();
  create function guard_parts_of_versions() returns trigger language plpgsql set search_path = grid_models as $$
    begin
      perform from project_version where id in (select project_version from parts) for key share;
      if exists (select from (select distinct project_version as id from parts) part
          left join project_version v on v.id = part.id
          where v.version is not null or (tg_op = 'INSERT' and v.id is null)) then
        raise exception 'a published version never changes' using errcode = 'restrict_violation';
      end if;
      return null;
    end $$;
  create function guard_parts_of_models() returns trigger language plpgsql set search_path = grid_models as $$
    begin
      perform from project_version where id in (select m.project_version from difference_model m
        where m.number in (select model from parts)) for key share;
      if exists (select from (select distinct model as number from parts) part
          left join difference_model m on m.number = part.number
          left join project_version v on v.id = m.project_version
          where v.version is not null or (tg_op = 'INSERT' and v.id is null)) then
        raise exception 'a published version never changes' using errcode = 'restrict_violation';
      end if;
      return null;
    end $$;
  create function guard_chunk() returns trigger language plpgsql set search_path = grid_models as $$
    begin
      perform from project_version v join content c on c.project_version = v.id
        where c.number = case tg_op when 'INSERT' then new.content else old.content end and v.version is not null;
      if found then
        raise exception 'a published version never changes' using errcode = 'restrict_violation';
      end if;
      return coalesce(new, old);
    end $$;
  create trigger never_added before insert or delete on content_chunk for each row execute function guard_chunk();
  create trigger never_changed before update on content_chunk for each row execute function refuse_change();
  ${PARTS_OF_VERSIONS.map((table) => guarded(table, 'guard_parts_of_versions')).join('')}
  ${PARTS_OF_MODELS.map((table) => guarded(table, 'guard_parts_of_models')).join('')}`;
