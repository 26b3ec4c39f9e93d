import { Pool } from 'pg';
import { sessionOptions } from '../../subgraphs/server/database';
import { type DatabaseAddress, databaseAddress } from '../../subgraphs/server/database-login';
import { type JobQueue, jobQueue } from '../../subgraphs/server/jobs';
import { migrate } from '../../subgraphs/server/migrate';

/** Schema of the jobs of tests. */
export const TRIAL_JOBS = 'trial_jobs';

/** A key that processes of one test share, so that all of them log in as the same subgraph. */
const TRIAL_KEY = Buffer.alloc(32, 7);

/** Where the trial subgraph keeps its jobs. */
export function trialAddress(url: string): DatabaseAddress {
  return databaseAddress(url, 'trial', TRIAL_KEY);
}

/** Jobs in a database, as the login of a subgraph that has nothing else. */
export async function trialJobs(url: string): Promise<{ address: DatabaseAddress; pool: Pool; jobs: JobQueue }> {
  const address = trialAddress(url);
  await migrate(address, { migrations: [], rights: () => '', jobs: TRIAL_JOBS }, true, {});
  const pool = new Pool(sessionOptions(address));
  pool.on('error', () => undefined);
  return { address, pool, jobs: jobQueue(TRIAL_JOBS) };
}
