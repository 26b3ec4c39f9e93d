import { ADVISORY_LOCKS } from './advisory-locks';

/**
 * The order of an event log. Transaction numbers order events within one life of the server's data. A restored database begins an era of
 * its own, so that no cursor of an earlier life skips what happens in this one: the era is the instant at which it began, in milliseconds,
 * and after another. The timeline of the server in the present era is kept beside it; null is one that may not be asked for. Asked for is
 * the one that is written now: the control file (`pg_control_checkpoint`) tells of a promotion only after the next checkpoint.
 *
 * @param schema of the subgraph whose log it is, first in the search path; its table `event` has the columns of {@link EVENT_ORDER}
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

/** The columns by which events are named and ordered: an index of the last three in this order belongs to them. */
export const EVENT_ORDER = `
    id text primary key default new_event_id(),
    era bigint not null default event_era(),
    tx xid8 not null default pg_current_xact_id(),
    position bigint not null generated always as identity`;

/** Transactions of the log that this server has not come to, or a timeline that is not the one of the present era. */
const IS_OVER = `(exists (select from event where (era, tx) >= (event_era(), pg_snapshot_xmax(pg_current_snapshot())))
        or exists (select from event_timeline where timeline <> present))`;

/**
 * Installs `renew_event_era()` and runs it. It begins a new era of an event log where the database lives another life than the one in which
 * the log was written: its numbers of transactions may have been given before, to events that were lost, and whose cursors are somebody's.
 * That is so
 *
 * - where the log holds transactions that this server has not come to: it was restored into a younger one, whose numbers begin again. Log
 *   and present number are of one snapshot, so that nothing that happens meanwhile looks like that;
 * - where the timeline of the server is another one than in this era: it was recovered to a point in time, or is a standby that was
 *   promoted. A server that does not tell its timeline goes on.
 *
 * The owner runs it at each start, and every session before its first statement ({@link RENEW_AT_CONNECT}).
 */
export const RENEW_EVENT_ERA = (schema: string): string => `
  create or replace function ${schema}.renew_event_era() returns void language plpgsql security definer
  set search_path = ${schema}, register, pg_temp as $$
    declare
      present bigint;
    begin
      if pg_is_in_recovery() then return; end if;
      present := server_timeline();
      if not ${IS_OVER} and (present is null or exists (select from event_timeline)) then return; end if;
      perform pg_advisory_xact_lock(${ADVISORY_LOCKS.eventEra});
      if ${IS_OVER} then perform begin_event_era(greatest((select max(era) from event), event_era())); end if;
      if present is not null then
        insert into event_timeline (timeline) values (present)
        on conflict (is_only) do update set timeline = excluded.timeline where event_timeline.timeline <> excluded.timeline;
      end if;
    end $$;
  select ${schema}.renew_event_era()`;

/**
 * The first statement of a session of a subgraph that writes events. Whoever comes to another server, such as a standby that was promoted,
 * comes in a new session, so nothing is written there in the era of the server that was lost.
 */
export const RENEW_AT_CONNECT = 'select renew_event_era()';
