import { EVENT_TYPES, wireType } from './event-types';
import { utcTime } from '../format';
import type { EventCount } from './operation-results';

/** Minutes in the chart, including the current one. */
export const PLOTTED_MINUTES = 60;

const MS_PER_MINUTE = 60_000;

/** Events per minute and type, for every minute of the hour, including those without events. */
export interface EventsPerMinute {
  /** Starts of the minutes, oldest first, in seconds since 1970. */
  readonly minutes: readonly number[];
  /** For each type that occurred, the number of events in each minute. */
  readonly series: readonly { readonly type: string; readonly counts: readonly number[]; readonly total: number }[];
  readonly total: number;
}

/**
 * Distributes counts over the last hour. If the register's clock was moved away from this one, the hour ends with the
 * last minute that has events.
 */
export function eventsPerMinute(counts: readonly EventCount[], now: Date): EventsPerMinute {
  const last = endOfHour(counts, now);
  const minutes = Array.from({ length: PLOTTED_MINUTES }, (_, index) => last - PLOTTED_MINUTES + 1 + index);
  const byType = new Map<string, Map<number, number>>();
  for (const { minute, type, count } of counts) {
    const ofType = byType.get(type) ?? new Map<number, number>();
    byType.set(type, ofType.set(minuteOf(minute), count));
  }
  const knownTypes = EVENT_TYPES.map(({ name }): string => name);
  const types = [...knownTypes, ...[...byType.keys()].filter((type) => !knownTypes.includes(type))];
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
  const current = Math.floor(now.getTime() / MS_PER_MINUTE);
  const newest = counts.reduce((latest, { minute }) => Math.max(latest, minuteOf(minute)), -Infinity);
  return newest > current || newest <= current - PLOTTED_MINUTES
    ? Number.isFinite(newest)
      ? newest
      : current
    : current;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function minuteOf(instant: string): number {
  return Math.floor(Date.parse(instant) / MS_PER_MINUTE);
}

/** Returns the minutes with events, newest first, as an accessible alternative to the chart. */
export function minutesTable({
  minutes,
  series,
}: EventsPerMinute): readonly { time: string; counts: readonly number[] }[] {
  return minutes
    .map((minute, index) => ({
      time: utcTime(new Date(minute * 1000).toISOString()).slice(0, 5),
      counts: series.map(({ counts }) => counts[index] ?? 0),
    }))
    .filter(({ counts }) => counts.some((count) => count > 0))
    .toReversed();
}
