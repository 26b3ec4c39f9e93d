import type { Session } from '../database/transaction';
import type { JobQueue } from './jobs';

/** Enough attempts for any outage of another service: the job ends when the work of its row is complete. */
const ATTEMPTS = 30_000;

/** After mails, which a customer waits for: rows may be many. */
const PRIORITY = 10;

/** The job of a row, which completes the work of a request that was interrupted. Its payload is the id of the row. */
export interface RecoverableJob {
  /** Adds the job of a row in the session's transaction, in place of one that waits. */
  add(session: Session, id: string, afterSeconds: number): Promise<void>;
  /** Adds the jobs of rows without one, as after a restore. */
  requeueLost(session: Session): Promise<void>;
}

/** Returns the jobs of a task. `incomplete` selects the `id` of each row whose work is not complete. */
export function recoverableJob(jobs: JobQueue, task: string, incomplete: string): RecoverableJob {
  const options = { maxAttempts: ATTEMPTS, priority: PRIORITY };
  return {
    add: (session, id, afterSeconds) =>
      jobs.add(session, task, { id }, { ...options, key: `${task} ${id}`, afterSeconds }),
    requeueLost: (session) => jobs.addMissing(session, task, incomplete, options),
  };
}
