import { ADVISORY_LOCKS } from '../database/advisory-locks';

/**
 * True if the log contains transaction ids that this server has not issued, or the timeline differs from that of the
 * current epoch.
 */
const IS_EPOCH_OVER = `(exists (select from event where (era, tx) >= (event_era(), pg_snapshot_xmax(pg_current_snapshot())))
        or exists (select from event_timeline where timeline <> present))`;

/**
 * Installs `renew_event_era()` and runs it. The function starts a new log epoch if the database is not the one in which
 * the log was written: its transaction ids may have been used before, by lost events whose cursors clients still hold.
 * That is the case if
 *
 * - the log contains transaction ids that this server has not issued: it was restored into a newer database cluster.
 * The log and the next id are read in one snapshot, so a concurrent transaction cannot cause this;
 * - the database timeline differs from that of the epoch: the server was recovered to a point in time, or is a promoted
 * standby. If the login may not read the timeline, the epoch continues.
 *
 * The owner runs it at each start, and every session runs it before its first statement ({@link RENEW_AT_CONNECT}). It fails on a standby, so
 * that no session remains from before the promotion, which would write in the former epoch.
 */
export const RENEW_EVENT_ERA = (schema: string): string => `
  create or replace function ${schema}.renew_event_era() returns void language plpgsql security definer
  set search_path = ${schema}, register, pg_temp as $$
    declare
      present bigint;
    begin
      if pg_is_in_recovery() then
        raise exception using errcode = 'read_only_sql_transaction', message = 'the server is a standby';
      end if;
      present := server_timeline();
      if not ${IS_EPOCH_OVER} and (present is null or exists (select from event_timeline)) then return; end if;
      perform pg_advisory_xact_lock(${ADVISORY_LOCKS.eventEra});
      if ${IS_EPOCH_OVER} then perform begin_event_era(greatest((select max(era) from event), event_era())); end if;
      if present is not null then
        insert into event_timeline (timeline) values (present)
        on conflict (is_only) do update set timeline = excluded.timeline where event_timeline.timeline <> excluded.timeline;
      end if;
    end $$;
  select ${schema}.renew_event_era()`;

/**
 * Starts a new log epoch, as the owner, for a server that continues its timeline although it may lack the latest events:
 * a snapshot of its disk or machine replaced it. No session may write events meanwhile.
 */
export const BEGIN_EVENT_ERA = (schema: string): string => `
  select pg_advisory_xact_lock(${ADVISORY_LOCKS.eventEra});
  select ${schema}.begin_event_era(greatest((select max(era) from ${schema}.event), ${schema}.event_era()))`;

/**
 * The first statement of every session that writes events. A connection to another server, such as a promoted standby,
 * is a new session, so no event is written there in the epoch of the lost server.
 */
export const RENEW_AT_CONNECT = 'select renew_event_era()';
