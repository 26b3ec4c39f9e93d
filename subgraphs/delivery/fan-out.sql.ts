/** Key of the advisory lock that `fan_out` holds, for sessions that have its schema in front of their search path. */
export const FAN_OUT_LOCK = `hashtextextended('fan out ' || current_schema(), 0)`;

/** Creates the first version of `fan_out`. */
export const RELEASED_FAN_OUT = (makeEvents?: string): string => `
  create ${fanOut(makeEvents, RELEASED)}`;

/**
 * Changes what `REPLACE_DELIVERIES` created, as part of a later migration: ended deliveries leave the index of replaceable
 * ones, and a call of `fan_out` for an empty outbox plans no statement.
 */
export const REPLACE_FAN_OUT = (makeEvents?: string): string => `
  drop index delivery_replaceable;
  create index delivery_replaceable on delivery (subject) where replaceable and ended_at is null;
  create or replace ${fanOut(makeEvents, PRESENT)}`;

/** Changes what `REPLACE_FAN_OUT` created: an event that was delivered before its redelivery remains delivered if it is superseded. */
export const RESTORE_IN_FAN_OUT = (makeEvents?: string): string => `create or replace ${fanOut(makeEvents, RESTORING)}`;

/**
 * Changes what `RESTORE_IN_FAN_OUT` created: a call waits for transactions that may add receivers of its events.
 *
 * @param wait statements that wait; `taken` contains the ids of the rows of the outbox
 */
export const WAIT_IN_FAN_OUT = (wait: string): string => `
  create or replace ${fanOut(undefined, { ...RESTORING, afterTaking: `${RESTORING.afterTaking}${wait}` })}`;

/**
 * Changes what `RESTORE_IN_FAN_OUT` created: a call bounds the events that it makes for rows without one. The remaining rows keep their places
 * for the next call.
 *
 * @param makeEvents function of a subject that returns how many events it has made or found; null if the row must wait
 */
export const BOUND_EVENTS_OF_FAN_OUT = (makeEvents: string): string => `
  create or replace ${fanOut(makeEvents, BOUNDED)}`;

const DELIVERED_AT = `(select max((made ->> 'at')::timestamptz + (made ->> 'durationMs')::integer * interval '1 ms')
        from jsonb_array_elements(d.attempts) made where made ->> 'error' is null)`;

/**
 * Assignments that end a pending delivery `d` whose event is obsolete: superseded. One that was delivered before its redelivery is
 * restored: delivered, since its last successful attempt.
 */
export const END_OBSOLETE = `state = case when ${DELIVERED_AT} is null then 'superseded' else 'delivered' end,
    ended_at = coalesce(${DELIVERED_AT}, register_now())`;

/** Parts of `fan_out` that differ between its versions. */
interface FanOutParts {
  /** Runs after the rows were taken. */
  readonly afterTaking: string;
  /** Condition of the index of replaceable deliveries. */
  readonly indexed: string;
  /** Assignments that end a superseded delivery `d`. */
  readonly end: string;
  /** Further variables. */
  readonly variables: string;
  /** Statements that make the events of rows without one. */
  readonly makeEvents: (makeEvents: string) => string;
}

const MAKE_EVENTS = (makeEvents: string) => `
    announced := array(select id from fanout where id = any(taken) and event_id is null and ${makeEvents}(subject));
    delete from fanout where id = any(announced);
    with waiting as (delete from fanout where id = any(taken) and event_id is null returning *)
    insert into fanout (subject, urgent, replaceable, supersedes, endpoint_id)
      select subject, urgent, replaceable, supersedes, endpoint_id from waiting order by id;`;

/**
 * Makes the events of rows in order, up to eight per event that the call may plan: at most about 2,000, and half as many after a call that has
 * exceeded the statement timeout. Urgent events wait for the transaction.
 */
const MAKE_BOUNDED_EVENTS = (makeEvents: string) => `
    for entry in select id, subject from fanout where id = any(taken) and event_id is null order by id loop
      events_of_entry := ${makeEvents}(entry.subject);
      if events_of_entry is null then
        delayed := delayed || entry.id;
      else
        announced := announced || entry.id;
        made_events := made_events + events_of_entry;
        exit when made_events >= 8 * most;
      end if;
    end loop;
    delete from fanout where id = any(announced);
    with waiting as (delete from fanout where id = any(delayed) returning *)
    insert into fanout (subject, urgent, replaceable, supersedes, endpoint_id)
      select subject, urgent, replaceable, supersedes, endpoint_id from waiting order by id;`;

const SUPERSEDED = `state = 'superseded', ended_at = register_now()`;
const RELEASED: FanOutParts = {
  afterTaking: '',
  indexed: 'replaceable',
  end: SUPERSEDED,
  variables: '',
  makeEvents: MAKE_EVENTS,
};
const PRESENT: FanOutParts = {
  ...RELEASED,
  afterTaking: `if cardinality(taken) = 0 then
      events := 0;
      return;
    end if;
    `,
  indexed: 'replaceable and ended_at is null',
};
const RESTORING: FanOutParts = { ...PRESENT, end: END_OBSOLETE };
const BOUNDED: FanOutParts = {
  ...RESTORING,
  variables: `
    delayed bigint[];
    entry record;
    events_of_entry integer;
    made_events integer := 0;`,
  makeEvents: MAKE_BOUNDED_EVENTS,
};

/**
 * Moves events from the outbox to numbered deliveries (`made`), ends superseded ones, and wakes the endpoints. Superseded deliveries are
 * read by subject (`offset 0`), and `state || ''` excludes the index of all pending ones, which old statistics prefer.
 */
const PLAN_BATCH = ({ indexed, end }: FanOutParts) => `
    with batch as (delete from fanout where id = any(taken) and event_id is not null returning *),
    recipient as (
      select batch.*, receiver as endpoint,
        replaceable and id < greatest(
          max(id) filter (where supersedes and endpoint_id is null) over (partition by subject),
          max(id) filter (where supersedes) over (partition by subject, endpoint_id)) as is_superseded
      from batch left join lateral receivers_of(batch.event_id, batch.endpoint_id) receiver on true),
    superseded as (
      update delivery d set ${end} from batch
      cross join lateral (
        select endpoint_id, event_id from delivery
        where delivery.subject = batch.subject and ${indexed} and state || '' = 'pending'
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

/**
 * `fan_out` plans the deliveries of up to `most` events in one transaction, in one process at a time. Urgent events come
 * first, each after all older events of its subject. Lanes are numbered in the order of the outbox. A superseding event
 * ends the replaceable deliveries of its subject that are pending, or planned for earlier events of the same call. A row
 * that must wait moves to the end of the outbox. Returns the number of completed rows and of new deliveries; -1 rows if
 * another process is planning. Every call is planned for the present size of the tables.
 */
const fanOut = (
  makeEvents: string | undefined,
  parts: FanOutParts,
): string => `function fan_out(most integer, out events integer, out deliveries integer)
  language plpgsql set search_path from current set plan_cache_mode = force_custom_plan as $$
  declare
    taken bigint[];
    announced bigint[];${parts.variables}
    urgent_endpoints uuid[];
    other_endpoints uuid[];
  begin
    events := -1;
    deliveries := 0;
    if not pg_try_advisory_xact_lock(${FAN_OUT_LOCK}) then return; end if;
    taken := array(select id from fanout where urgent order by id limit most);
    if cardinality(taken) = 0 then
      taken := array(select id from fanout order by id limit most);
    else
      taken := taken || array(
        select distinct older.id from fanout later join fanout older on older.subject = later.subject and older.id < later.id
        where later.id = any(taken) and not older.urgent);
    end if;
    ${parts.afterTaking}${makeEvents === undefined ? '' : parts.makeEvents(makeEvents)}
    ${PLAN_BATCH(parts)}
    select (select count(*) from batch) + coalesce(cardinality(announced), 0), count(*), array_agg(distinct endpoint_id) filter (where urgent),
        array_agg(distinct endpoint_id) filter (where not urgent)
      into events, deliveries, urgent_endpoints, other_endpoints from made;
    perform notify_deliveries('urgent', urgent_endpoints), notify_deliveries('due', other_endpoints);
  end $$`;
