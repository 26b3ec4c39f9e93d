import type { LogEntry } from './event-log';

/** The last events of the log, numbered in their order from when the gateway began to listen. */
export interface RecentEvents {
  /** Number of the oldest that is kept. */
  first(): number;
  /** Number that the next one will have. */
  end(): number;
  at(number: number): LogEntry | undefined;
  /** Number of the event that has this place in the log. */
  numberOf(cursor: string): number | undefined;
  append(entries: readonly LogEntry[]): void;
}

/** Keeps at least the last `kept` events, and at most twice as many. */
export function recentEvents(kept: number): RecentEvents {
  const numbers = new Map<string, number>();
  let entries: LogEntry[] = [];
  let first = 0;
  const forget = () => {
    const count = entries.length - kept;
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
      if (entries.length > 2 * kept) forget();
    },
  };
}
