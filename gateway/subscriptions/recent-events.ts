import type { LogEntry } from './event-log';

/** The latest events of the log, numbered from the start of the feed. */
export interface RecentEvents {
  /** Number of the oldest retained event. */
  first(): number;
  /** Number of the next event. */
  end(): number;
  at(number: number): LogEntry | undefined;
  /** Returns the number of the event with this cursor, if it is retained. */
  numberOf(cursor: string): number | undefined;
  append(entries: readonly LogEntry[]): void;
}

/** Retains at least the last `minimum` events and at most twice as many. */
export function recentEvents(minimum: number): RecentEvents {
  const numbers = new Map<string, number>();
  let entries: LogEntry[] = [];
  let first = 0;
  const dropOldest = () => {
    const count = entries.length - minimum;
    for (const { cursor } of entries.slice(0, count)) numbers.delete(cursor);
    entries = entries.slice(count);
    first += count;
  };
  return {
    first: () => first,
    end: () => first + entries.length,
    at: (number) => entries[number - first],
    numberOf: (cursor) => numbers.get(cursor),
    append(added) {
      for (const entry of added) {
        numbers.set(entry.cursor, first + entries.length);
        entries.push(entry);
      }
      if (entries.length > 2 * minimum) dropOldest();
    },
  };
}
