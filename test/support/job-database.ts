import { Pool } from 'pg';
import { sessionOptions } from '../../subgraphs/server/database/database';
import { type DatabaseAddress, databaseAddress } from '../../subgraphs/server/database/database-login';
import { type JobQueue, jobQueue } from '../../subgraphs/server/jobs/jobs';
import { migrate } from '../../subgraphs/server/database/migrate';
import { until } from './until';

/** Schema of the jobs of tests. */
export const TRIAL_JOBS = 'trial_jobs';

/** Key that the processes of one test share, so that all log in as the same subgraph. */
const TRIAL_KEY = Buffer.alloc(32, 7);

/** Returns the database access of the trial subgraph. */
export function trialAddress(url: string): DatabaseAddress {
  return databaseAddress(url, 'trial', TRIAL_KEY);
}

/** Access to the jobs of the trial subgraph. */
export interface TrialJobs {
  readonly address: DatabaseAddress;
  readonly pool: Pool;
  readonly jobs: JobQueue;
}

/** Creates the jobs of a trial subgraph that has no other tables. */
export async function trialJobs(url: string): Promise<TrialJobs> {
  const address = trialAddress(url);
  await migrate(address, { migrations: [], rights: () => '', jobs: TRIAL_JOBS }, true, {});
  const pool = new Pool(sessionOptions(address));
  pool.on('error', () => undefined);
  return { address, pool, jobs: jobQueue(TRIAL_JOBS) };
}

/** Returns the number of jobs that are stored. */
export async function storedJobs(pool: Pool): Promise<number> {
  return Number((await pool.query(`select count(*) from ${TRIAL_JOBS}._private_jobs`)).rows[0].count);
}

/** Returns the sessions of the database whose latest statement starts with a text; undefined if there are none. */
export async function sessionsWith(pool: Pool, statement: string, waitsFor?: string): Promise<number[] | undefined> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and query like $1 || '%' and ($2::text is null or wait_event_type = $2)`,
    [statement, waitsFor],
  );
  return rows.length === 0 ? undefined : rows.map(({ pid }) => pid);
}

/** Waits for a number of sweeps. Each deletes a job without further attempts. */
export async function sweeps({ pool, jobs }: TrialJobs, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const key = `exhausted ${n}`;
    await jobs.add(pool, 'exhausted', {}, { key, maxAttempts: 1 });
    await pool.query(`update ${TRIAL_JOBS}._private_jobs set attempts = 1 where key = $1`, [key]);
    await until(async () => {
      const { rowCount } = await pool.query(`select from ${TRIAL_JOBS}._private_jobs where key = $1`, [key]);
      return rowCount === 0 ? true : undefined;
    });
  }
}
