import type { Pool } from 'pg';

/** Those who have jobs and hold no lock: it can be had. */
const WITHOUT_LOCK = (schema: string): string => `
  select locked_by from (select distinct locked_by from ${schema}._private_jobs where locked_by is not null) holder
  where pg_try_advisory_xact_lock(hashtextextended(locked_by, 0))`;

/** Seconds between two attempts at most: the queue itself would wait for up to six hours. */
const LONGEST_WAIT = 30;

/** Nothing is kept of a job that will not be tried again. */
const TIDY = (schema: string): string => `
  with over as (delete from ${schema}._private_jobs where attempts >= max_attempts and locked_by is null)
  update ${schema}._private_jobs set run_at = now() + interval '${LONGEST_WAIT} s'
  where last_error is not null and locked_by is null and run_at > now() + interval '${LONGEST_WAIT} s'`;

/** Takes over the jobs of the dead; `look` is called when there are some. */
export function jobSweep(pool: Pool, schema: string, look: () => void): () => Promise<void> {
  let missed: ReadonlySet<string> = new Set();
  return async () => {
    const { rows } = await pool.query<{ locked_by: string }>(WITHOUT_LOCK(schema));
    const dead = rows.map((row) => row.locked_by).filter((holder) => missed.has(holder));
    missed = new Set(rows.map((row) => row.locked_by));
    if (dead.length > 0) {
      await pool.query(`select ${schema}.force_unlock_workers($1)`, [dead]);
      look();
    }
    await pool.query(TIDY(schema));
  };
}
