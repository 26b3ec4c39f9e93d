/**
 * Begins a new era of the event log where the database lives another life than the one in which the log was written: its numbers of
 * transactions may have been given before, to events that were lost, and whose cursors are somebody's. That is so
 *
 * - where the log holds transactions that this server has not come to: it was restored into a younger one, whose numbers begin again. Log
 *   and present number are of one snapshot, so that nothing that happens meanwhile looks like that;
 * - where the timeline of the server is another one than in this era: it was recovered to a point in time, or is a standby that was
 *   promoted. A server that does not tell its timeline goes on.
 */
export const RENEW_EVENT_ERA = `
  do $$
    declare
      present constant bigint := access.server_timeline();
    begin
      perform access.begin_event_era(greatest((select max(era) from access.event), access.event_era()))
      from (select pg_snapshot_xmax(pg_current_snapshot()) as next) server
      where exists (select from access.event where (era, tx) >= (access.event_era(), server.next))
        or exists (select from access.event_timeline where timeline <> present);
      if present is not null then
        insert into access.event_timeline (timeline) values (present)
        on conflict (is_only) do update set timeline = excluded.timeline where event_timeline.timeline <> excluded.timeline;
      end if;
    end $$`;
