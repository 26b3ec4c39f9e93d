import { RELEASED_FAN_OUT } from './fan-out-versions.sql';

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
  [TABLES, MOVE_ROWS, INDEXES, WAKE, REQUESTS, RELEASED_FAN_OUT(makeEvents)].join(';\n');

/**
 * `fanout` is the outbox: one row per event, and one without an event for events that the fan-out writes. A `replaceable` event is ended by a
 * later one of its subject that `supersedes`. `delivery_endpoint.due_at` is the time of the next attempt at an endpoint,
 * null if none is pending; `generation` increases with every wake; `leased_by` is the id of the worker, a process that
 * holds an advisory lock on this id; `ended` says that the endpoint was removed. `put_off_at` is the last deferral with an external cause. `delivery_lane` stores the
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
 * The function `redeliver` makes a delivery due again; it returns false if the endpoint does not receive the event. Does
 * nothing for an event that is still in the outbox. The second round finds a delivery that the fan-out commits between the
 * two statements of the first round.
 *
 * @param attempt SQL of the number of attempts that count from then on
 * @param before statements before all others
 */
const redelivery = (create: string, attempt: string, before = ''): string => `\
  ${create} function redeliver(endpoint uuid, event text) returns boolean language plpgsql set search_path from current as $$
  begin
    ${before}for round in 1..2 loop
      update delivery set state = 'pending', attempt = ${attempt}, faults = 0,
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
  end $$`;

/**
 * `resume_deliveries` ends a deferral, and `end_deliveries` ends the pending deliveries of an endpoint; neither rewrites a
 * delivery in the transaction of the caller.
 */
const REQUESTS = `
${redelivery('create', "case when state = 'pending' then attempt else 0 end")};
  create function resume_deliveries(endpoint uuid) returns void language sql set search_path from current as $$
    select wake_endpoint(endpoint) $$;
  create function end_deliveries(endpoint uuid) returns void language sql set search_path from current as $$
    select wake_endpoint(endpoint, true) $$`;

/**
 * Replaces `redeliver`: a redelivery also restarts the schedule of a pending delivery, so that it uses up no attempt
 * (decisions A/B, 6). The result of a running attempt does not count.
 */
export const REDELIVER_FROM_FIRST_ATTEMPT = redelivery('create or replace', '0');

const LOCK_ENDPOINT = `perform from delivery_endpoint where id = endpoint for no key update;
    `;

/**
 * Changes `REDELIVER_FROM_FIRST_ATTEMPT`: it locks the endpoint before the delivery, as the fan-out does, so that neither waits for the other
 * in a circle.
 */
export const REDELIVER_AFTER_LOCKING_ENDPOINT = redelivery('create or replace', '0', LOCK_ENDPOINT);

/** Ends the jobs of `CREATE_DELIVERIES` (`released-sql.ts`). A new installation creates the queue after its migrations. */
export const END_JOBS_OF_DELIVERIES = (jobs: string): string => `
  do $$ begin
    if to_regclass('${jobs}.jobs') is not null then
      perform ${jobs}.complete_jobs(array(
        select id from ${jobs}.jobs where task_identifier in ('deliver', 'deliver-urgent', 'deliver-slow')));
    end if;
  end $$`;

/** Returns the privileges of a subgraph's login on its deliveries. */
export const deliveryRights = (role: string): string => `
  grant select, insert, update, delete on fanout, delivery_endpoint, delivery_lane, delivery to ${role}`;
