import type { Session } from '../database/transaction';
import type { JobQueue } from './jobs';

/** Enough attempts for any outage of another service: the job ends when the work of its row is complete. */
const ATTEMPTS = 30_000;

/** The job of a row, which completes the work of a request that was interrupted. Its payload is the id of the row. */
export interface RecoverableJob {
  /** Adds the job of a row in the session's transaction, in place of one that waits. */
  add(session: Session, id: string, afterSeconds: number): Promise<void>;
  /** Adds the jobs of rows without one, as after a restore. */
  requeueLost(session: Session): Promise<void>;
}

/** Returns the jobs of a task. `withoutJob` selects the ids of the rows whose job was lost. */
export function recoverableJob(jobs: JobQueue, task: string, withoutJob: string): RecoverableJob {
  const add = (session: Session, id: string, afterSeconds: number) =>
    jobs.add(session, task, { id }, { key: `${task} ${id}`, afterSeconds, maxAttempts: ATTEMPTS });
  return {
    add,
    async requeueLost(session) {
      const { rows } = await session.query<{ id: string }>(withoutJob);
      for (const { id } of rows) await add(session, id, 0);
    },
  };
}
