import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { failureFacts } from '../server/failures';
import { logFault } from '../server/fault-log';

/** What is done again and again needs to know. */
export interface Persistence {
  readonly logger: Logger;
  /** Aborts when nothing is waited for any more. */
  readonly stopped: AbortSignal;
}

/** Milliseconds until the database is asked again for what it did not do. */
const AGAIN_AFTER = 250;

/** Does work of which something hangs on that it is done, whatever the database does meanwhile; the first failure is told. */
export async function untilKept<Answer>(
  { logger, stopped }: Persistence,
  what: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (failures === 0) logFault(logger, 'warn', error, { failure: failureFacts(error) }, `${what} not kept yet`);
      if (stopped.aborted) throw error;
      await wait(AGAIN_AFTER);
    }
  }
}
