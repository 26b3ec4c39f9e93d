import type { QueryRunner } from 'typeorm';
import { ADVISORY_LOCKS } from './advisory-locks';
import type { Database } from './database';

/**
 * The one clock (architecture, decision 12): `register.register_now()`, the instant at which a statement reached the database. Its
 * offset is part of the function's text, so that reading it costs nothing and moving it is seen by every session at once.
 */
export interface RegisterClock {
  now(): Promise<Date>;
  /** Moves the clock by so many seconds against real time; only where CLOCK_CAN_MOVE is true. */
  setOffset(seconds: number): Promise<Date>;
}

const INSTALL = `
  do $$ begin
    if to_regprocedure('register.register_now()') is null then
      create function register.register_now() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()';
    end if;
  end $$`;

const MOVABLE = `
  create or replace function register.set_clock_offset(seconds integer) returns void language plpgsql security definer as $$ begin
    perform pg_advisory_xact_lock(${ADVISORY_LOCKS.clock});
    execute format('create or replace function register.register_now() returns timestamptz language sql stable parallel safe as %L',
      format('select statement_timestamp() + interval ''%s s''', seconds));
  end $$`;

const FIXED = `
  drop function if exists register.set_clock_offset(integer);
  create or replace function register.register_now() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()'`;

/** Installs the clock: one that can be moved, or one that is right and that nothing can move; undefined leaves one that is there as it is. */
export async function installClock(session: QueryRunner, movable: boolean | undefined): Promise<void> {
  await session.query('create schema if not exists register');
  await session.query(INSTALL);
  if (movable !== undefined) await session.query(movable ? MOVABLE : FIXED);
}

const NOW = { name: 'register_now', text: 'select register_now() as now' };

/** The clock of a running subgraph. */
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
