import { Pool } from 'pg';
import { sessionOptions } from '../../subgraphs/server/database/database';
import { type DatabaseAddress, databaseAddress } from '../../subgraphs/server/database/database-login';
import { type JobQueue, jobQueue } from '../../subgraphs/server/jobs/jobs';
import { migrate } from '../../subgraphs/server/database/migrate';

/** Schema of the jobs of tests. */
export const TRIAL_JOBS = 'trial_jobs';

/** Key that the processes of one test share, so that all log in as the same subgraph. */
const TRIAL_KEY = Buffer.alloc(32, 7);

/** Returns the database access of the trial subgraph. */
export function trialAddress(url: string): DatabaseAddress {
  return databaseAddress(url, 'trial', TRIAL_KEY);
}

/** Creates the jobs of a trial subgraph that has no other tables. */
export async function trialJobs(url: string): Promise<{ address: DatabaseAddress; pool: Pool; jobs: JobQueue }> {
  const address = trialAddress(url);
  await migrate(address, { migrations: [], rights: () => '', jobs: TRIAL_JOBS }, true, {});
  const pool = new Pool(sessionOptions(address));
  pool.on('error', () => undefined);
  return { address, pool, jobs: jobQueue(TRIAL_JOBS) };
}
