/**
 * Creates the table `rate_limit` in a subgraph that has rate limits. Unlogged: a crash of the server resets the counts.
 */
export const CREATE_RATE_LIMIT =
  'create unlogged table rate_limit (key varchar(255) primary key, points integer not null default 0, expire bigint)';

/** Creates the table `idempotency_key` in a subgraph that has POST operations. */
export const CREATE_IDEMPOTENCY_KEY = `
  create table idempotency_key (
    account_id text not null,
    operation text not null,
    key_hash bytea not null,
    body_hash bytea not null,
    answer bytea not null,
    expires_at timestamptz not null,
    primary key (account_id, operation, key_hash)
  );
  create index idempotency_key_expiry on idempotency_key (expires_at)`;

/**
 * Creates the order of an event log. Transaction ids order the events of one epoch (`era`). A restored database starts
 * a new epoch, so that no cursor of the earlier epoch skips later events. The epoch is its start in milliseconds since
 * 1970, and greater than the earlier epoch. `event_timeline` stores the database timeline of the current epoch.
 * `server_timeline()` derives it from the current WAL file, because `pg_control_checkpoint` shows a promotion only
 * after the next checkpoint; it returns null if the login may not read it.
 *
 * @param schema the subgraph's schema, first in the search path; its table `event` has the columns of {@link
 * EVENT_ORDER}
 */
export const CREATE_EVENT_ERA = (schema: string): string => `
  create function begin_event_era(another bigint) returns void language plpgsql as $$
    begin
      execute format('create or replace function ${schema}.event_era() returns bigint language sql stable parallel safe as %L',
        format('select %s::bigint', greatest(floor(extract(epoch from clock_timestamp()) * 1000), another + 1)));
    end $$;
  select begin_event_era(0);
  create table event_timeline (
    is_only boolean primary key default true check (is_only),
    timeline bigint not null
  );
  create function server_timeline() returns bigint language plpgsql as $$
    begin
      return ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint;
    exception when insufficient_privilege or undefined_function or feature_not_supported then
      return null;
    end $$;
  create function new_event_id() returns text language sql volatile parallel safe as
    $$ select 'evt_' || overlay(encode(uuid_send(gen_random_uuid()), 'hex') placing '' from 13 for 8) $$`;

/** Columns that identify and order events. Create an index on the last three in this order. */
export const EVENT_ORDER = `
    id text primary key default new_event_id(),
    era bigint not null default event_era(),
    tx xid8 not null default pg_current_xact_id(),
    position bigint not null generated always as identity`;

/**
 * Sets the search path of functions of a schema, with temporary objects last: a function without one, or whose path omits
 * `pg_temp`, searches the types and tables that its caller has created before all others. Applies to functions that have a
 * path or run as the owner. Since PostgreSQL 18 that includes deferred triggers: they run as the role of their statement,
 * at commit, with the path of the session.
 */
export const TEMPORARY_OBJECTS_LAST = (schema: string): string => `
  do $$ declare found regprocedure; begin
    for found in select p.oid from pg_proc p where pronamespace = '${schema}'::regnamespace
      and (prosecdef or exists (select from unnest(proconfig) setting where setting like 'search_path=%')
        or exists (select from pg_trigger where tgfoid = p.oid and tgdeferrable))
    loop execute format('alter function %s set search_path = ${schema}, register, pg_temp', found); end loop;
  end $$`;

/** Creates the audit of a subgraph, to which rows can only be added. */
export const CREATE_AUDIT = `
  create table audit_entry (
    id bigint generated always as identity primary key,
    at timestamptz not null default register_now(),
    actor text not null,
    action text not null,
    subject text not null,
    detail jsonb not null
  );
  create function forbid_audit_change() returns trigger language plpgsql as $$
    begin raise exception 'rows of % are append-only', tg_table_name using errcode = 'restrict_violation'; end $$;
  create trigger append_only before update or delete or truncate on audit_entry
    for each statement execute function forbid_audit_change()`;
