/** The signing secrets of the subscriptions in a table `webhook`, each with the time for which it was the current one. */
export const CREATE_WEBHOOK_SECRETS = `
  create table webhook_secret (
    id uuid primary key default gen_random_uuid(),
    webhook_id uuid not null references webhook,
    sealed bytea not null,
    created_at timestamptz not null default register_now(),
    replaced_at timestamptz
  );
  create index webhook_secret_of_webhook on webhook_secret (webhook_id, created_at)`;

/**
 * Tables of the deliveries of a subgraph before `tables.sql.ts` replaced them: part of released migrations, in the schema that is first
 * in the search path. `plan_delivery(endpoint, event, subject, urgent)` added a delivery in the transaction of its event.
 *
 * @param jobs schema of the subgraph's jobs
 */
export const CREATE_DELIVERIES = (jobs: string): string =>
  [TABLES, INDEXES, WAKE(jobs), PLAN, AGAIN, STANDING].join(';\n');

/**
 * A lane orders the deliveries of one subject at one endpoint by `sequence`. `held` counts deferrals without an attempt, `faults`
 * failed assemblies; `delivery_resumption` counts resumptions. A fill factor below 100 keeps updates on their page.
 */
const TABLES = `
  create table delivery_lane (
    endpoint_id uuid not null,
    subject text not null,
    last_sequence integer not null,
    primary key (endpoint_id, subject)
  ) with (fillfactor = 80);
  create table delivery (
    endpoint_id uuid not null,
    event_id text not null,
    subject text not null,
    sequence integer not null,
    slot smallint not null,
    urgent boolean not null default false,
    state text not null default 'pending' check (state in ('pending', 'delivered', 'undelivered', 'superseded')),
    attempt smallint not null default 0,
    held smallint not null default 0,
    faults smallint not null default 0,
    next_attempt_at timestamptz not null default register_now(),
    created_at timestamptz not null default register_now(),
    ended_at timestamptz,
    redelivered_at timestamptz,
    alerted_at timestamptz,
    primary key (endpoint_id, event_id),
    unique (endpoint_id, subject, sequence)
  ) with (fillfactor = 80);
  create table delivery_attempt (
    endpoint_id uuid not null,
    event_id text not null,
    number integer not null,
    at timestamptz not null default register_now(),
    status integer,
    duration_ms integer not null,
    error text,
    primary key (endpoint_id, event_id, number)
  );
  create table delivery_slot (
    endpoint_id uuid not null,
    slot smallint not null,
    leased_by text,
    leased_until timestamptz,
    primary key (endpoint_id, slot)
  ) with (fillfactor = 50);
  create table delivery_slow_endpoint (
    endpoint_id uuid primary key,
    since timestamptz not null default register_now()
  );
  create table delivery_resumption (
    endpoint_id uuid primary key,
    number integer not null
  )`;

const INDEXES = `
  create index delivery_due on delivery (endpoint_id, slot, urgent, next_attempt_at) where state = 'pending';
  create index delivery_log on delivery (endpoint_id, created_at, event_id);
  create index delivery_without_alert on delivery (endpoint_id) where state = 'undelivered' and alerted_at is null;
  create index delivery_ended on delivery using brin (ended_at);
  create index delivery_attempt_at on delivery_attempt using brin (at)`;

/**
 * Adds a job for a slot at an instant of real time. At most one job of a slot is pending, except while a transaction replaces it or a
 * worker runs it.
 */
const WAKE = (jobs: string): string => `
  create function wake_deliveries(endpoint uuid, which smallint, is_urgent boolean, at timestamptz) returns void
  language plpgsql set search_path from current as $$
  declare
    is_slow constant boolean := exists (select from delivery_slow_endpoint slow where slow.endpoint_id = endpoint);
    task constant text := case when is_slow then 'deliver-slow' when is_urgent then 'deliver-urgent' else 'deliver' end;
    usual constant text :=
      format('deliver:%s:%s%s%s', endpoint, which, case when is_urgent then ':urgent' end, case when at > now() then ':later' end);
    own constant text := usual || ':' || pg_current_xact_id();
    is_added boolean;
    is_taken boolean;
  begin
    select coalesce(bool_or(job.locked_by is null and job.run_at <= at and job.xmin = pg_current_xact_id()::xid), false),
        coalesce(bool_or(job.locked_by is not null and job.key = usual), false)
      into is_added, is_taken from ${jobs}._private_jobs job where job.key in (usual, own);
    if is_added then return; end if;
    perform from ${jobs}.add_job(task, json_build_object('endpoint', endpoint, 'slot', which), run_at := at,
      job_key := case when not is_taken and pg_try_advisory_xact_lock(hashtextextended(usual, 0)) then usual else own end,
      priority := case when is_slow and is_urgent then -1 else 0 end);
  end $$`;

const PLAN = `
  create function plan_delivery(endpoint uuid, event text, about text, is_urgent boolean) returns void
  language plpgsql set search_path from current as $$
  declare
    which constant smallint := abs(hashtextextended(about, 0) % 8);
  begin
    with lane as (
      insert into delivery_lane as known (endpoint_id, subject, last_sequence) values (endpoint, about, 1)
      on conflict (endpoint_id, subject) do update set last_sequence = known.last_sequence + 1
      returning last_sequence)
    insert into delivery (endpoint_id, event_id, subject, sequence, slot, urgent)
      select endpoint, event, about, lane.last_sequence, which, is_urgent from lane;
    perform wake_deliveries(endpoint, which, is_urgent, now());
  end $$`;

/**
 * `redeliver` makes a delivery due again, with a new schedule if it had ended; it returns false if the delivery does
 * not exist.
 */
const AGAIN = `
  create function redeliver(endpoint uuid, event text) returns boolean
  language plpgsql set search_path from current as $$
  declare
    again record;
  begin
    update delivery set state = 'pending', attempt = case when state = 'pending' then attempt else 0 end, held = 0, faults = 0,
        next_attempt_at = register_now(), redelivered_at = register_now(), ended_at = null, alerted_at = null
      where endpoint_id = endpoint and event_id = event returning slot, urgent into again;
    if not found then return false; end if;
    perform wake_deliveries(endpoint, again.slot, again.urgent, now());
    return true;
  end $$`;

/** Held exclusively by a transaction that resumes an endpoint, shared by one that defers its deliveries. */
const RESUMING = `hashtextextended('resume ' || endpoint, 0)`;

/**
 * `resume_deliveries` makes deferred deliveries due; `end_deliveries` ends pending ones; `hold_deliveries` defers the due ones of a
 * lane, unless the endpoint was resumed since the caller read it. Rows are locked in the order of lanes, which excludes deadlocks.
 */
const STANDING = `
  create function resume_deliveries(endpoint uuid) returns void
  language plpgsql set search_path from current as $$
  begin
    perform pg_advisory_xact_lock(${RESUMING});
    insert into delivery_resumption as known (endpoint_id, number) values (endpoint, 1)
      on conflict (endpoint_id) do update set number = known.number + 1;
    perform from delivery where endpoint_id = endpoint and state = 'pending' and held > 0
      order by subject collate "C", sequence for update;
    update delivery set next_attempt_at = register_now() where endpoint_id = endpoint and state = 'pending' and held > 0;
    perform wake_deliveries(endpoint, due.slot, due.urgent, now()) from (
      select distinct slot, urgent from delivery
      where endpoint_id = endpoint and state = 'pending' and next_attempt_at <= register_now()) due;
  end $$;
  create function end_deliveries(endpoint uuid) returns void
  language plpgsql set search_path from current as $$
  begin
    perform from delivery where endpoint_id = endpoint and state = 'pending' order by subject collate "C", sequence for update;
    update delivery set state = 'superseded', ended_at = register_now() where endpoint_id = endpoint and state = 'pending';
  end $$;
  create function hold_deliveries(endpoint uuid, about text, seconds float8, resumptions integer, faulty text) returns void
  language plpgsql set search_path from current as $$
  begin
    if resumptions is not null then
      perform pg_advisory_xact_lock_shared(${RESUMING});
      if exists (select from delivery_resumption known where known.endpoint_id = endpoint and known.number <> resumptions) then
        return;
      end if;
    end if;
    perform from delivery
      where endpoint_id = endpoint and subject = about and state || '' = 'pending' and next_attempt_at <= register_now()
      order by sequence for update;
    update delivery set held = least(held + 1, 1000), next_attempt_at = register_now() + seconds * interval '1 s',
        faults = least(faults + case when event_id = faulty then 1 else 0 end, 1000)
      where endpoint_id = endpoint and subject = about and state || '' = 'pending' and next_attempt_at <= register_now();
  end $$`;
