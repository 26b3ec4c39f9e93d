import type { Logger } from 'pino';
import { unavailabilityKind } from '../unavailable';

/** Period for which repeated errors of one kind are counted before a line with their number. */
const COUNT_PERIOD_MS = 10_000;

type Level = 'warn' | 'error';

/** Repeats of one kind of error since the last line. */
interface Repeats {
  count: number;
  /** The most severe level of the repeats. */
  level: Level;
}

const counted = new WeakMap<Logger, Map<string, Repeats>>();

/**
 * Logs an error. While the database is unavailable, every request and all background work fail with the same kind of
 * error: logs the first one in full with that kind as `fault`, counts the others, and logs their number every ten seconds
 * until none occurs.
 */
export function logError(
  logger: Logger,
  level: Level,
  error: unknown,
  fields: Readonly<Record<string, unknown>>,
  message: string,
): void {
  const kind = unavailabilityKind(error);
  if (kind === undefined) return logger[level](fields, message);
  const kinds = counted.get(logger) ?? new Map<string, Repeats>();
  counted.set(logger, kinds);
  const repeats = kinds.get(kind);
  if (repeats === undefined) {
    logger[level]({ fault: kind, ...fields }, message);
    return startCount(logger, kinds, kind);
  }
  repeats.count += 1;
  if (level === 'error') repeats.level = level;
}

function startCount(logger: Logger, kinds: Map<string, Repeats>, kind: string): void {
  const repeats: Repeats = { count: 0, level: 'warn' };
  kinds.set(kind, repeats);
  const logRepeats = () => {
    kinds.delete(kind);
    if (repeats.count === 0) return;
    logger[repeats.level]({ fault: kind, repeats: repeats.count }, 'fault repeated');
    startCount(logger, kinds, kind);
  };
  setTimeout(logRepeats, COUNT_PERIOD_MS).unref();
}
