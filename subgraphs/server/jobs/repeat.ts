import type { Logger } from 'pino';
import { errorFields } from '../observability/failures';
import { logError } from '../observability/error-log';

/** Minimum interval between two log lines of a failure that repeats. */
const LOG_INTERVAL_MS = 60_000;
/** Pause after a failed run, unless the next run is earlier. */
const RETRY_SECONDS = 30;

/**
 * Runs background work now and then every `seconds`, never two runs at a time. Logs a failure, at most once a minute
 * while all runs fail, and tries again at the next run or after half a minute. Returns a function that stops the work
 * and waits for the current run, to which `isToStop` then returns true.
 */
export function repeat(
  seconds: number,
  work: (isToStop: () => boolean) => Promise<unknown>,
  logger: Logger,
  failure = 'background work failed',
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let loggedAt: number | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isStopped = false;
  const logFailure = (error: unknown) => {
    const now = performance.now();
    if (loggedAt !== undefined && now - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = now;
    logError(logger, 'error', error, { failure: errorFields(error) }, failure);
  };
  const run = async () => {
    clearTimeout(retry);
    try {
      await work(() => isStopped);
      loggedAt = undefined;
    } catch (error) {
      logFailure(error);
      if (seconds > RETRY_SECONDS) retry = setTimeout(start, RETRY_SECONDS * 1000).unref();
    }
  };
  const start = () => void (running ??= run().finally(() => (running = undefined)));
  start();
  const timer = setInterval(start, seconds * 1000);
  timer.unref();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await running;
    clearTimeout(retry);
  };
}

/** Returns a function that stops several repeated works at the same time. */
export const stopAll = (stops: readonly (() => Promise<void>)[]) => async (): Promise<void> => {
  await Promise.all(stops.map((stop) => stop()));
};
