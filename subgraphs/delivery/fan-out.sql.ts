/** Key of the advisory lock that `fan_out` holds, for sessions that have its schema in front of their search path. */
export const FAN_OUT_LOCK = `hashtextextended('fan out ' || current_schema(), 0)`;

const DELIVERED_AT = `(select max((made ->> 'at')::timestamptz + (made ->> 'durationMs')::integer * interval '1 ms')
        from jsonb_array_elements(d.attempts) made where made ->> 'error' is null)`;

/**
 * Assignments that end a pending delivery `d` whose event is obsolete: superseded. One that was delivered before its redelivery is
 * restored: delivered, since its last successful attempt.
 */
export const END_OBSOLETE = `state = case when ${DELIVERED_AT} is null then 'superseded' else 'delivered' end,
    ended_at = coalesce(${DELIVERED_AT}, register_now())`;

/** Parts of `fan_out` that differ between its versions. */
export interface FanOutParts {
  /** Parameters of the function. */
  readonly parameters: string;
  /** Statements that take rows of the outbox, if none is urgent. */
  readonly takeOrdinary: string;
  /** Runs after the rows were taken. */
  readonly afterTaking: string;
  /** Condition of the index of replaceable deliveries. */
  readonly indexed: string;
  /** Assignments that end a superseded delivery `d`. */
  readonly end: string;
  /** Further variables. */
  readonly variables: string;
  /** Statements that make the events of rows without one. */
  readonly makeEvents: string;
}

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
export const fanOut = (
  parts: FanOutParts,
): string => `function fan_out(${parts.parameters}, out events integer, out deliveries integer)
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
      ${parts.takeOrdinary}
    else
      taken := taken || array(
        select distinct older.id from fanout later join fanout older on older.subject = later.subject and older.id < later.id
        where later.id = any(taken) and not older.urgent);
    end if;
    ${parts.afterTaking}${parts.makeEvents}
    ${PLAN_BATCH(parts)}
    select (select count(*) from batch) + coalesce(cardinality(announced), 0), count(*), array_agg(distinct endpoint_id) filter (where urgent),
        array_agg(distinct endpoint_id) filter (where not urgent)
      into events, deliveries, urgent_endpoints, other_endpoints from made;
    perform notify_deliveries('urgent', urgent_endpoints), notify_deliveries('due', other_endpoints);
  end $$`;
