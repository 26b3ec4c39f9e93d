import { END_OBSOLETE, type FanOutParts, fanOut } from './fan-out.sql';

/** Creates the first version of `fan_out`. */
export const RELEASED_FAN_OUT = (makeEvents?: string): string => `
  create ${fanOut(announcing(RELEASED, makeEvents))}`;

/**
 * Changes what `REPLACE_DELIVERIES` created, as part of a later migration: ended deliveries leave the index of replaceable
 * ones, and a call of `fan_out` for an empty outbox plans no statement.
 */
export const REPLACE_FAN_OUT = (makeEvents?: string): string => `
  drop index delivery_replaceable;
  create index delivery_replaceable on delivery (subject) where replaceable and ended_at is null;
  create or replace ${fanOut(announcing(PRESENT, makeEvents))}`;

/** Changes what `REPLACE_FAN_OUT` created: an event that was delivered before its redelivery remains delivered if it is superseded. */
export const RESTORE_IN_FAN_OUT = (makeEvents?: string): string =>
  `create or replace ${fanOut(announcing(RESTORING, makeEvents))}`;

/**
 * Changes what `RESTORE_IN_FAN_OUT` created: a call waits for transactions that may add receivers of its events.
 *
 * @param wait statements that wait; `taken` contains the ids of the rows of the outbox
 */
export const WAIT_IN_FAN_OUT = (wait: string): string => `
  create or replace ${fanOut(waiting(RESTORING, wait))}`;

/**
 * Changes what `RESTORE_IN_FAN_OUT` created: a call bounds the events that it makes for rows without one. The remaining rows keep their places
 * for the next call.
 *
 * @param makeEvents function of a subject that returns how many events it has made or found; null if the row must wait
 */
export const BOUND_EVENTS_OF_FAN_OUT = (makeEvents: string): string => `
  create or replace ${fanOut(bounded(RESTORING, makeEvents))}`;

/**
 * Changes what `WAIT_IN_FAN_OUT` created: once the clock of the database has jumped, by the time of the caller, a call plans urgent events
 * only, and the older ones of their subjects. A process of the previous release passes no time.
 */
export const COMPARE_CLOCKS_IN_FAN_OUT = (wait: string): string => `
  drop function fan_out(integer);
  create ${fanOut(waiting(COMPARING, wait))}`;

/**
 * Changes what `BOUND_EVENTS_OF_FAN_OUT` created, as `COMPARE_CLOCKS_IN_FAN_OUT` does. Up to half of the rows of a call are those with an event
 * that nothing supersedes, so that they do not wait for all notices before them. Rows of one subject keep their order: beside notices, a
 * record has urgent events only, which are taken first.
 */
export const SHARE_FAN_OUT = (makeEvents: string): string => `
  create index fanout_lasting on fanout (id) where ${IS_LASTING};
  drop function fan_out(integer);
  create ${fanOut(bounded({ ...COMPARING, takeOrdinary: ifClocksAgree(TAKE_SHARES) }, makeEvents))}`;

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

const TAKE_OLDEST = 'taken := array(select id from fanout order by id limit most);';

/** SQL: a row of the outbox with an event that no later one supersedes. */
const IS_LASTING = 'event_id is not null and not replaceable';
const TAKE_SHARES = `taken := array(select id from fanout where ${IS_LASTING} order by id limit (most + 1) / 2);
        taken := taken || array(select id from fanout where id <> all(taken) order by id limit most - cardinality(taken));`;

/** The limit of `clocksAgree` when the function was released. */
const ifClocksAgree = (
  take: string,
) => `if process_time is null or to_regprocedure('register.set_clock_offset(integer)') is not null
          or abs(extract(epoch from register_now() - process_time)) <= 3600 then
        ${take}
      end if;`;

const announcing = (parts: FanOutParts, makeEvents: string | undefined): FanOutParts => ({
  ...parts,
  makeEvents: makeEvents === undefined ? '' : MAKE_EVENTS(makeEvents),
});
const waiting = (parts: FanOutParts, wait: string): FanOutParts => ({
  ...parts,
  afterTaking: `${parts.afterTaking}${wait}`,
});
const bounded = (parts: FanOutParts, makeEvents: string): FanOutParts => ({
  ...parts,
  variables: `
    delayed bigint[];
    entry record;
    events_of_entry integer;
    made_events integer := 0;`,
  makeEvents: MAKE_BOUNDED_EVENTS(makeEvents),
});

const RELEASED: FanOutParts = {
  parameters: 'most integer',
  takeOrdinary: TAKE_OLDEST,
  afterTaking: '',
  indexed: 'replaceable',
  end: `state = 'superseded', ended_at = register_now()`,
  variables: '',
  makeEvents: '',
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
const COMPARING: FanOutParts = {
  ...RESTORING,
  parameters: 'most integer, process_time timestamptz default null',
  takeOrdinary: ifClocksAgree(TAKE_OLDEST),
};
