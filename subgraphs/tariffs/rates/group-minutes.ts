import type { DaysAndHours } from '../catalogue/tariff';
import { NO_MATCH } from './rates-resolution';
import { MINUTES_PER_DAY, minutesOfWindow } from './wall-minutes';

/**
 * By minute from the start of a day to the end of the next one: the index of the first window of a days group, starting on that day, that
 * contains the minute; {@link NO_MATCH} if none does.
 */
export type GroupMinutes = Int16Array;

/** Returns the minutes of the windows of a days group; undefined if a time of a window is not on a whole minute. */
export function minutesOfGroup({ hours }: Pick<DaysAndHours, 'hours'>): GroupMinutes | undefined {
  const minutes = new Int16Array(2 * MINUTES_PER_DAY).fill(NO_MATCH);
  for (const [index, window] of hours.entries()) {
    const span = minutesOfWindow(window);
    if (span === undefined) return undefined;
    for (let minute = span.from; minute < span.to; minute += 1)
      if (minutes[minute] === NO_MATCH) minutes[minute] = index;
  }
  return minutes;
}

/** Consecutive minutes of a local day in one window, or in none. */
interface DaySegment {
  readonly from: number;
  readonly to: number;
  /** Whether the window starts on the day before. */
  readonly isOvernight: boolean;
  /** Index of the window in the days group of the day on which it starts; {@link NO_MATCH} in a gap. */
  readonly window: number;
}

/**
 * Splits a day into segments, ascending and without gaps.
 *
 * @param before the minutes of the group that decides the day before; undefined if none does
 */
export function daySegments(before: GroupMinutes | undefined, day: GroupMinutes | undefined): DaySegment[] {
  const segments: DaySegment[] = [];
  let segment = { from: 0, to: 0, ...windowAt(0, before, day) };
  for (let minute = 0; minute < MINUTES_PER_DAY; minute += 1) {
    const { isOvernight, window } = windowAt(minute, before, day);
    if (segment.window !== window || segment.isOvernight !== isOvernight) {
      segments.push(segment);
      segment = { from: minute, to: minute, isOvernight, window };
    }
    segment.to = minute + 1;
  }
  return [...segments, segment];
}

function windowAt(minute: number, before: GroupMinutes | undefined, day: GroupMinutes | undefined) {
  const overnight = before?.[MINUTES_PER_DAY + minute] ?? NO_MATCH;
  if (overnight !== NO_MATCH) return { isOvernight: true, window: overnight };
  return { isOvernight: false, window: day?.[minute] ?? NO_MATCH };
}
