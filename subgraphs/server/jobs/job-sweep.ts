import type { Pool } from 'pg';
import { DATED, MAX_RETRY_DELAY_SECONDS } from './jobs';

/** Selects workers that own jobs although their lock is free. */
const OWNERS_WITHOUT_LOCK = (schema: string): string => `
  select locked_by from (select distinct locked_by from ${schema}.jobs where locked_by is not null) owner
  where pg_try_advisory_xact_lock(hashtextextended(locked_by, 0))`;

/** Ends jobs that have used all their attempts. */
const END_EXHAUSTED = (schema: string): string => `
  select from ${schema}.complete_jobs(array(
    select id from ${schema}.jobs where attempts >= max_attempts and locked_by is null))`;

/** Shortens the delay of failed jobs. */
const RETRY_SOONER = (schema: string): string => `
  select from ${schema}.reschedule_jobs(
    array(select id from ${schema}.jobs where last_error is not null and locked_by is null
      and attempts < max_attempts and run_at > now() + interval '${MAX_RETRY_DELAY_SECONDS} s'),
    run_at := now() + interval '${MAX_RETRY_DELAY_SECONDS} s')`;

/**
 * Makes jobs that were added while the database's clock was ahead start after their delay from now, once the clock is set back. An instant
 * of a dated job remains. A job that was locked when the clock was set back follows when it is unlocked.
 */
const START_AFTER_DELAY = (schema: string): string => `
  select from ${schema}.jobs job cross join lateral
    ${schema}.reschedule_jobs(array[job.id], run_at := now() + (job.run_at - job.updated_at)) planned
  where job.updated_at > now() and job.run_at > now() and job.locked_by is null and not coalesce(job.flags ? '${DATED}', false)`;

/**
 * Returns a function that unlocks the jobs of crashed workers, calls `onUnlocked` if there are any, and plans waiting jobs again. A worker counts
 * as crashed when two consecutive calls find its lock free: a worker that has just started may own jobs before it holds
 * its lock.
 */
export function jobSweep(pool: Pool, schema: string, onUnlocked: () => void): () => Promise<void> {
  let suspects: ReadonlySet<string> = new Set();
  return async () => {
    const { rows } = await pool.query<{ locked_by: string }>(OWNERS_WITHOUT_LOCK(schema));
    const crashed = rows.map((row) => row.locked_by).filter((owner) => suspects.has(owner));
    suspects = new Set(rows.map((row) => row.locked_by));
    if (crashed.length > 0) {
      await pool.query(`select ${schema}.force_unlock_workers($1)`, [crashed]);
      onUnlocked();
    }
    await pool.query(END_EXHAUSTED(schema));
    await pool.query(RETRY_SOONER(schema));
    await pool.query(START_AFTER_DELAY(schema));
  };
}
