import type { Logger } from 'pino';
import { unavailabilityKind } from '../unavailable';

/** Period for which repeated errors of one kind are counted before a line with their number. */
const COUNT_PERIOD_MS = 10_000;

const counted = new WeakMap<Logger, Map<string, number>>();

/**
 * Logs an error. While the database is unavailable, every request and all background work fail with the same kind of
 * error: logs the first one in full with that kind as `fault`, counts the others, and logs their number every ten seconds
 * until none occurs.
 */
export function logError(
  logger: Logger,
  level: 'warn' | 'error',
  error: unknown,
  fields: Readonly<Record<string, unknown>>,
  message: string,
): void {
  const kind = unavailabilityKind(error);
  if (kind === undefined) return logger[level](fields, message);
  const counts = counted.get(logger) ?? new Map<string, number>();
  counted.set(logger, counts);
  const count = counts.get(kind);
  if (count !== undefined) return void counts.set(kind, count + 1);
  logger[level]({ fault: kind, ...fields }, message);
  startCount(logger, counts, kind);
}

function startCount(logger: Logger, counts: Map<string, number>, kind: string): void {
  counts.set(kind, 0);
  const logRepeats = () => {
    const repeats = counts.get(kind) ?? 0;
    counts.delete(kind);
    if (repeats === 0) return;
    logger.error({ fault: kind, repeats }, 'fault repeated');
    startCount(logger, counts, kind);
  };
  setTimeout(logRepeats, COUNT_PERIOD_MS).unref();
}
