import { EVENT_TYPES, wireType } from './event-types';
import { clockTime } from './instants';
import type { EventCount } from './register-answers';

/** Minutes that the plot shows, the present one included. */
export const PLOTTED_MINUTES = 60;

const MILLISECONDS_OF_A_MINUTE = 60_000;

/** Events per minute, by type: every minute of the hour, also those in which nothing happened. */
export interface EventsPerMinute {
  /** Beginnings of the minutes, oldest first, in seconds since 1970. */
  readonly minutes: readonly number[];
  /** For each type that occurred: how many events in each of the minutes. */
  readonly series: readonly { readonly type: string; readonly counts: readonly number[]; readonly total: number }[];
  readonly total: number;
}

/**
 * Spreads counts over the minutes of the hour that ends now. Where the register's clock was moved, its last minute with events ends the
 * hour.
 */
export function eventsPerMinute(counts: readonly EventCount[], now: Date): EventsPerMinute {
  const last = endOfHour(counts, now);
  const minutes = Array.from({ length: PLOTTED_MINUTES }, (_, index) => last - PLOTTED_MINUTES + 1 + index);
  const byType = new Map<string, Map<number, number>>();
  for (const { minute, type, count } of counts) {
    const ofType = byType.get(type) ?? new Map<number, number>();
    byType.set(type, ofType.set(minuteOf(minute), count));
  }
  const known = EVENT_TYPES.map(({ name }): string => name);
  const types = [...known, ...[...byType.keys()].filter((type) => !known.includes(type))];
  const series = types.flatMap((type) => {
    const ofType = byType.get(type);
    if (!ofType) return [];
    const each = minutes.map((minute) => ofType.get(minute) ?? 0);
    return [{ type: wireType(type), counts: each, total: sum(each) }];
  });
  const total = sum(series.map((each) => each.total));
  return { minutes: minutes.map((minute) => minute * 60), series, total };
}

function endOfHour(counts: readonly EventCount[], now: Date): number {
  const ours = Math.floor(now.getTime() / MILLISECONDS_OF_A_MINUTE);
  const newest = counts.reduce((latest, { minute }) => Math.max(latest, minuteOf(minute)), -Infinity);
  return newest > ours || newest <= ours - PLOTTED_MINUTES ? (Number.isFinite(newest) ? newest : ours) : ours;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function minuteOf(instant: string): number {
  return Math.floor(Date.parse(instant) / MILLISECONDS_OF_A_MINUTE);
}

/** The minutes in which something happened, newest first, for those who read rather than see. */
export function minutesTable({
  minutes,
  series,
}: EventsPerMinute): readonly { time: string; counts: readonly number[] }[] {
  return minutes
    .map((minute, index) => ({
      time: clockTime(new Date(minute * 1000).toISOString()).slice(0, 5),
      counts: series.map(({ counts }) => counts[index] ?? 0),
    }))
    .filter(({ counts }) => counts.some((count) => count > 0))
    .toReversed();
}
