import type { Logger } from 'pino';
import { awayKind } from './away';

/** Milliseconds for which faults of one kind are counted before a line has their number. */
const COUNTED_FOR = 10_000;

const counted = new WeakMap<Logger, Map<string, number>>();

/**
 * Logs a fault. While the database is away every request and all background work meet the same one: the first is logged in full, the
 * further ones of its kind are counted, and a line every ten seconds has their number until there are none.
 */
export function logFault(
  logger: Logger,
  level: 'warn' | 'error',
  error: unknown,
  facts: Readonly<Record<string, unknown>>,
  said: string,
): void {
  const kind = awayKind(error);
  if (kind === undefined) return logger[level](facts, said);
  const counts = counted.get(logger) ?? new Map<string, number>();
  counted.set(logger, counts);
  const count = counts.get(kind);
  if (count !== undefined) return void counts.set(kind, count + 1);
  logger[level](facts, said);
  countFrom(logger, counts, kind);
}

function countFrom(logger: Logger, counts: Map<string, number>, kind: string): void {
  counts.set(kind, 0);
  const tell = () => {
    const repeats = counts.get(kind) ?? 0;
    counts.delete(kind);
    if (repeats === 0) return;
    logger.error({ fault: kind, repeats }, 'the fault of the database came again');
    countFrom(logger, counts, kind);
  };
  setTimeout(tell, COUNTED_FOR).unref();
}
