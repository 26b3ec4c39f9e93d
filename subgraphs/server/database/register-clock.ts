import { ADVISORY_LOCKS } from './advisory-locks';
import type { Database } from './database';
import { type Session, onlyRow } from './transaction';

/**
 * The register's clock: the SQL function `register.register_now()`, which returns the instant at which a statement
 * reached the database. The offset is part of the function's body, so reading the clock costs nothing and every session
 * sees a new offset at once.
 */
export interface RegisterClock {
  now(): Promise<Date>;
  /** Sets the offset from real time; fails unless CLOCK_CAN_MOVE is true. */
  setOffset(seconds: number): Promise<Date>;
}

const INSTALL = `
  do $$ begin
    if to_regprocedure('register.register_now()') is null then
      create function register.register_now() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()';
    end if;
  end $$`;

const MOVABLE = `
  create or replace function register.set_clock_offset(seconds integer) returns void language plpgsql security definer
  set search_path = register, pg_temp as $$ begin
    perform pg_advisory_xact_lock(${ADVISORY_LOCKS.clock});
    execute format('create or replace function register.register_now() returns timestamptz language sql stable parallel safe as %L',
      format('select statement_timestamp() + interval ''%s s''', seconds));
  end $$`;

const FIXED = `
  drop function if exists register.set_clock_offset(integer);
  create or replace function register.register_now() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()'`;

/** Installs the clock: movable if true, fixed at real time if false. Undefined leaves an existing clock unchanged. */
export async function installClock(session: Session, movable: boolean | undefined): Promise<void> {
  await session.query('create schema if not exists register');
  await session.query(INSTALL);
  if (movable !== undefined) await session.query(movable ? MOVABLE : FIXED);
}

const NOW = { name: 'register_now', text: 'select register_now() as now' };

/** Returns the clock of a running subgraph. */
export function registerClock({ pool, reads }: Pick<Database, 'pool' | 'reads'>): RegisterClock {
  const now = async () => (await reads.rows<{ now: Date }>(NOW, []))[0]?.now as Date;
  return {
    now,
    async setOffset(seconds) {
      await pool.query('select register.set_clock_offset($1)', [seconds]);
      return now();
    },
  };
}

/** Maximum difference of the clocks of the database and of a process while rows expire or are deleted, or a backup is taken. */
export const MAX_DIFFERENCE_MS = 3_600_000;

/** Whether a time of the database differs by more than an hour from the clock of this process: one of the two has jumped. */
export function hasJumped(databaseTime: Date): boolean {
  return Math.abs(databaseTime.getTime() - Date.now()) > MAX_DIFFERENCE_MS;
}

/** SQL: whether the clock is fixed. One that can move differs on purpose. */
const IS_FIXED = `to_regprocedure('register.set_clock_offset(integer)') is null`;

const CLOCKS = `select register_now() as now, ${IS_FIXED} as "isFixed"`;

/**
 * SQL: true if the clock that a statement reads differs from that of this process by at most an hour, or can move. A statement that does what
 * cannot be undone compares the clock itself: the clock may jump after an earlier check.
 *
 * @param processTime the parameter with the time of this process
 * @param databaseTime SQL: the time of the database by which the statement decides
 */
export const clocksAgree = (processTime: string, databaseTime = 'register_now()'): string => `(select not ${IS_FIXED}
  or abs(extract(epoch from ${databaseTime} - ${processTime}::timestamptz)) * 1000 <= ${MAX_DIFFERENCE_MS})`;

/**
 * Returns the register's time. Throws CLOCKS_DIFFER if the clocks of the database and of this process differ by more than an hour: one of them
 * has jumped. What expires or is deleted by a wrong clock cannot be restored.
 */
export async function requireEqualClocks(session: Session): Promise<Date> {
  const { now, isFixed } = onlyRow(await session.query<{ now: Date; isFixed: boolean }>(CLOCKS));
  if (!isFixed || !hasJumped(now)) return now;
  const error = new Error('the clock of the database differs from that of this process by more than an hour');
  throw Object.assign(error, { code: 'CLOCKS_DIFFER' });
}

/**
 * Accepted backward step of the register's clock since a token, a session or a link was issued: a standby database that took over may be
 * behind.
 */
export const CLOCK_TOLERANCE_MS = 60_000;

const BACKWARD_STEP = `interval '${CLOCK_TOLERANCE_MS} milliseconds'`;

/** SQL: whether an instant has come. What was made while the clock was ahead is not valid once the clock is set back. */
export const hasStarted = (instant: string): string => `${instant} <= register_now() + ${BACKWARD_STEP}`;

/** SQL: whether an end is later than the lifetime, an SQL interval, permits: it was computed while the clock was ahead. */
export const isAhead = (end: string, lifetime: string): string =>
  `${end} > register_now() + ${lifetime} + ${BACKWARD_STEP}`;

/** SQL: whether an end has not come, and is not ahead of a lifetime like {@link isAhead}. */
export const isInTime = (end: string, lifetime: string): string =>
  `${end} > register_now() and not ${isAhead(end, lifetime)}`;

/** Seconds that the database's clock may lose between two calls before it counts as set back. */
const TOLERANCE_SECONDS = 5;

const SECONDS = 'select extract(epoch from register_now())::float8 as now';

/**
 * Returns a function that calls `correct` when it is called first, and whenever the database's clock was set back since the last call; and
 * once more when it is called next: a transaction that wrote while the clock was ahead may commit between the two. A correction that fails
 * is repeated by the next call.
 */
export function whenSetBack(session: Session, correct: () => Promise<void>): () => Promise<void> {
  let last: { readonly database: number; readonly process: number } | undefined;
  let wasSetBack = false;
  return async () => {
    const database = onlyRow(await session.query<{ now: number }>(SECONDS)).now;
    const now = { database, process: performance.now() / 1000 };
    const isSetBack =
      last === undefined || now.database - last.database < now.process - last.process - TOLERANCE_SECONDS;
    if (isSetBack || wasSetBack) await correct();
    [last, wasSetBack] = [now, isSetBack];
  };
}

/** Returns the register's time in a transaction. */
export async function registerTime(session: Session): Promise<Date> {
  return onlyRow(await session.query<{ now: Date }>(NOW.text)).now;
}
