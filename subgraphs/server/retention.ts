import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { failureFacts } from './failures';
import { logFault } from './fault-log';
import { repeat } from './repeat';

/** Rows that one statement deletes at most: it ends well within the time of a statement, and nobody waits for it long. */
const FORGOTTEN_AT_ONCE = 5_000;

/** Deletes the next rows that are kept no longer; answers how many. */
export type Forget = () => Promise<number>;

/**
 * Rows of a table that are kept for a time only. What somebody else changes or deletes at this instant is left to them, or to the next run.
 *
 * @param which what follows `from`: the table, what it is joined to, and the condition
 */
export function passedRows(pool: Pick<Pool, 'query'>, table: string, which: string): Forget {
  const text = `delete from ${table} where ctid = any (array(
    select ${table}.ctid from ${which} limit ${FORGOTTEN_AT_ONCE}))`;
  return async () => (await pool.query(text)).rowCount ?? 0;
}

/**
 * Forgets what has passed, now and then: each kind by itself, in short statements until none is left. Any number of replicas may do so at
 * once. Answers how to stop, which waits for one statement of each kind.
 */
export function forgetPassed(kinds: readonly Forget[], everySeconds: number, logger: Logger): () => Promise<void> {
  let stopping = false;
  const forgetAll = async (kind: Forget) => {
    while ((await kind()) > 0 && !stopping);
  };
  const forget = async () => {
    for (const kind of kinds) {
      await forgetAll(kind).catch((error: unknown) =>
        logFault(
          logger,
          'error',
          error,
          { failure: failureFacts(error) },
          'what has passed could not be forgotten yet',
        ),
      );
    }
  };
  const stop = repeat(everySeconds, forget, logger);
  return () => {
    stopping = true;
    return stop();
  };
}
