/**
 * Replaces the tables of `CREATE_DELIVERIES` (`released-sql.ts`) in the first schema of the search path, as part of a
 * migration of its own. Pending and ended rows stay. A process of the previous version can send nothing from then on: the
 * tables from which it takes work are dropped.
 *
 * The subgraph adds `receivers_of(event text, only uuid)`, which returns the endpoints that receive an event, and a
 * trigger that writes each event to `fanout` in the transaction of the change.
 *
 * @param makeEvents name of a function of the subgraph. The fan-out calls it with the subject of each row of `fanout`
 * without an event; it writes the events, or returns false if the row must wait
 */
export const REPLACE_DELIVERIES = (makeEvents?: string): string =>
  [TABLES, MOVE_ROWS, INDEXES, WAKE, REQUESTS, fanOut(makeEvents)].join(';\n');

/**
 * `fanout` is the outbox: one row per event. `delivery_endpoint.due_at` is the time of the next attempt at an endpoint,
 * null if none is pending; `generation` increases with every wake; `leased_by` is the id of the worker, a process that
 * holds an advisory lock on this id. `put_off_at` is the last deferral with an external cause. `delivery_lane` stores the
 * last number of lanes whose deliveries were deleted.
 */
const TABLES = `
  create table fanout (
    id bigint generated always as identity primary key,
    event_id text,
    subject text not null,
    urgent boolean not null default false,
    replaceable boolean not null default false,
    supersedes boolean not null default false,
    endpoint_id uuid
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
  create index fanout_urgent on fanout (id) where urgent;
  create index fanout_subject on fanout (subject);
  create table delivery_endpoint (
    id uuid primary key,
    due_at timestamptz,
    urgent boolean not null default false,
    ended boolean not null default false,
    generation bigint not null default 1,
    leased_by uuid,
    put_off_at timestamptz
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
  create index delivery_endpoint_due on delivery_endpoint (urgent, due_at) where leased_by is null;
  create index delivery_endpoint_leased on delivery_endpoint (leased_by) where leased_by is not null;
  alter table delivery
    add column replaceable boolean not null default false,
    add column attempts jsonb not null default '[]'`;

const MOVE_ROWS = `
  update delivery set attempts = made.attempts from (
    select endpoint_id, event_id, jsonb_agg(
      jsonb_build_object('at', at, 'status', status, 'durationMs', duration_ms, 'error', error) order by number) as attempts
    from delivery_attempt group by endpoint_id, event_id) made
  where delivery.endpoint_id = made.endpoint_id and delivery.event_id = made.event_id;
  insert into delivery_endpoint (id, due_at, urgent)
    select endpoint_id, min(next_attempt_at), bool_or(urgent) from delivery where state = 'pending' group by endpoint_id;
  drop function plan_delivery(uuid, text, text, boolean);
  drop function hold_deliveries(uuid, text, float8, integer, text);
  drop function wake_deliveries(uuid, smallint, boolean, timestamptz);
  drop function redeliver(uuid, text);
  drop function resume_deliveries(uuid);
  drop function end_deliveries(uuid);
  drop table delivery_attempt, delivery_slot, delivery_slow_endpoint, delivery_resumption;
  drop index delivery_due;
  alter table delivery drop column slot, drop column held`;

const INDEXES = `
  create index delivery_due on delivery (endpoint_id, urgent, next_attempt_at) where state = 'pending';
  create index delivery_replaceable on delivery (subject) where replaceable;
  create index delivery_failing on delivery (endpoint_id) where state = 'pending' and attempt > 0;
  create index delivery_faulty on delivery (endpoint_id) where state = 'pending' and faults > 0`;

/**
 * Notifications of the channel `<schema>_deliveries`: empty if the outbox has a row; else `due` or `urgent` and the ids of
 * endpoints. More than 100 ids are left out, because a payload has at most 8,000 bytes.
 */
const WAKE = `
  create function notify_deliveries(kind text, endpoints uuid[]) returns void language sql set search_path from current as $$
    select pg_notify(current_schema() || '_deliveries',
      case when cardinality(endpoints) > 100 then kind else kind || ' ' || array_to_string(endpoints, ' ') end)
    where cardinality(endpoints) > 0 $$;
  create function wake_endpoint(endpoint uuid, ends boolean default false) returns void
  language plpgsql set search_path from current as $$
  begin
    insert into delivery_endpoint as known (id, due_at, ended) values (endpoint, register_now(), ends)
    on conflict (id) do update set due_at = least(known.due_at, excluded.due_at), ended = known.ended or excluded.ended,
      generation = known.generation + 1;
    perform notify_deliveries('urgent', array[endpoint]);
  end $$`;

/**
 * `redeliver` sends a delivery again, with a new schedule if it had ended; false if the endpoint does not receive the
 * event. Does nothing for an event that is still in the outbox. The second round finds a delivery that the fan-out
 * commits between the two statements of the first round. `resume_deliveries` ends a deferral, and `end_deliveries` ends
 * the pending deliveries of an endpoint; neither rewrites a delivery in the transaction of the caller.
 */
const REQUESTS = `
  create function redeliver(endpoint uuid, event text) returns boolean language plpgsql set search_path from current as $$
  begin
    for round in 1..2 loop
      update delivery set state = 'pending', attempt = case when state = 'pending' then attempt else 0 end, faults = 0,
          next_attempt_at = register_now(), redelivered_at = register_now(), ended_at = null, alerted_at = null
        where endpoint_id = endpoint and event_id = event;
      if found then
        perform wake_endpoint(endpoint);
        return true;
      end if;
      if exists (
        select from fanout waiting
        where waiting.event_id = event and endpoint in (select receivers_of(event, waiting.endpoint_id)))
      then return true; end if;
    end loop;
    return false;
  end $$;
  create function resume_deliveries(endpoint uuid) returns void language sql set search_path from current as $$
    select wake_endpoint(endpoint) $$;
  create function end_deliveries(endpoint uuid) returns void language sql set search_path from current as $$
    select wake_endpoint(endpoint, true) $$`;

/**
 * Moves events from the outbox to numbered deliveries (`made`), ends superseded ones, and wakes the endpoints. Superseded deliveries are
 * read by subject (`offset 0`), and `state || ''` excludes the index of all pending ones, which old statistics prefer.
 */
const PLAN_BATCH = `
    with batch as (delete from fanout where id = any(taken) and event_id is not null returning *),
    recipient as (
      select batch.*, receiver as endpoint,
        replaceable and id < greatest(
          max(id) filter (where supersedes and endpoint_id is null) over (partition by subject),
          max(id) filter (where supersedes) over (partition by subject, endpoint_id)) as is_superseded
      from batch left join lateral receivers_of(batch.event_id, batch.endpoint_id) receiver on true),
    superseded as (
      update delivery d set state = 'superseded', ended_at = register_now() from batch
      cross join lateral (
        select endpoint_id, event_id from delivery
        where delivery.subject = batch.subject and replaceable and state || '' = 'pending'
          and (batch.endpoint_id is null or delivery.endpoint_id = batch.endpoint_id) offset 0) earlier
      where batch.supersedes and (d.endpoint_id, d.event_id) = (earlier.endpoint_id, earlier.event_id)
        and d.state || '' = 'pending'),
    made as (
      insert into delivery (endpoint_id, event_id, subject, sequence, urgent, replaceable, state, ended_at)
      select endpoint, event_id, subject,
        coalesce(greatest(
            (select sequence from delivery d where d.endpoint_id = endpoint and d.subject = recipient.subject order by sequence desc limit 1),
            (select last_sequence from delivery_lane lane where lane.endpoint_id = endpoint and lane.subject = recipient.subject)), 0)
          + row_number() over (partition by endpoint, subject order by id),
        urgent, replaceable, case when is_superseded then 'superseded' else 'pending' end, case when is_superseded then register_now() end
      from recipient where endpoint is not null
      on conflict (endpoint_id, event_id) do nothing
      returning endpoint_id, urgent, state),
    woken as (
      insert into delivery_endpoint as known (id, due_at, urgent)
      select endpoint_id, register_now(), bool_or(urgent) from made where state = 'pending' group by endpoint_id order by endpoint_id
      on conflict (id) do update set due_at = least(known.due_at, excluded.due_at), urgent = known.urgent or excluded.urgent,
        generation = known.generation + 1)`;

const MAKE_EVENTS = (makeEvents: string) => `
    announced := array(select id from fanout where id = any(taken) and event_id is null and ${makeEvents}(subject));
    delete from fanout where id = any(announced);
    with waiting as (delete from fanout where id = any(taken) and event_id is null returning *)
    insert into fanout (subject, urgent, replaceable, supersedes, endpoint_id)
      select subject, urgent, replaceable, supersedes, endpoint_id from waiting order by id;`;

/**
 * `fan_out` plans the deliveries of up to `most` events in one transaction, in one process at a time. Urgent events come
 * first, each after all older events of its subject. Lanes are numbered in the order of the outbox. A superseding event
 * ends the replaceable deliveries of its subject that are pending, or planned for earlier events of the same call. A row
 * that must wait moves to the end of the outbox. Returns the number of completed rows and of new deliveries; -1 rows if
 * another process is planning. Every call is planned for the present size of the tables.
 */
const fanOut = (makeEvents?: string): string => `
  create function fan_out(most integer, out events integer, out deliveries integer)
  language plpgsql set search_path from current set plan_cache_mode = force_custom_plan as $$
  declare
    taken bigint[];
    announced bigint[];
    urgent_endpoints uuid[];
    other_endpoints uuid[];
  begin
    events := -1;
    deliveries := 0;
    if not pg_try_advisory_xact_lock(hashtextextended('fan out ' || current_schema(), 0)) then return; end if;
    taken := array(select id from fanout where urgent order by id limit most);
    if cardinality(taken) = 0 then
      taken := array(select id from fanout order by id limit most);
    else
      taken := taken || array(
        select distinct older.id from fanout later join fanout older on older.subject = later.subject and older.id < later.id
        where later.id = any(taken) and not older.urgent);
    end if;
    ${makeEvents === undefined ? '' : MAKE_EVENTS(makeEvents)}
    ${PLAN_BATCH}
    select (select count(*) from batch) + coalesce(cardinality(announced), 0), count(*), array_agg(distinct endpoint_id) filter (where urgent),
        array_agg(distinct endpoint_id) filter (where not urgent)
      into events, deliveries, urgent_endpoints, other_endpoints from made;
    perform notify_deliveries('urgent', urgent_endpoints), notify_deliveries('due', other_endpoints);
  end $$`;

/** Returns the privileges of a subgraph's login on its deliveries. */
export const deliveryRights = (role: string): string => `
  grant select, insert, update, delete on fanout, delivery_endpoint, delivery_lane, delivery to ${role}`;
