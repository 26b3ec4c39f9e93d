import type { Logger } from 'pino';
import { failureFacts } from './failures';
import { logFault } from './fault-log';

/** Milliseconds in which a failure that repeats itself is told once. */
const TOLD_EVERY = 60_000;

/**
 * Does a piece of background work now and then every so many seconds, one run at a time; the function ends it, when the run under way
 * is over. A failure is logged, and the next run tries again: while they all fail, such as without a database, it is told once a minute.
 */
export function repeat(
  seconds: number,
  work: () => Promise<unknown>,
  logger: Logger,
  failure = 'background work failed',
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let toldAt: number | undefined;
  const tell = (error: unknown) => {
    const now = performance.now();
    if (toldAt !== undefined && now - toldAt < TOLD_EVERY) return;
    toldAt = now;
    logFault(logger, 'error', error, { failure: failureFacts(error) }, failure);
  };
  const run = async () => {
    try {
      await work();
      toldAt = undefined;
    } catch (error) {
      tell(error);
    }
  };
  const begin = () => void (running ??= run().finally(() => (running = undefined)));
  begin();
  const timer = setInterval(begin, seconds * 1000);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
