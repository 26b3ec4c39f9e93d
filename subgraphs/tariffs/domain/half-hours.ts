import { runsOf } from './runs';
import type { HourlyRate } from './tariff';

/** Half-hours of a local day, 0 to 47: 0 begins at 00:00 wall time. A day on which the clock changes has 46 or 50 real ones. */
export const HALF_HOURS = 48;

/** Milliseconds of a half-hour. */
export const HALF_HOUR = 30 * 60 * 1_000;

/** A time of day as it is written. */
export const TIME_PATTERN = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const WHOLE_HALF_HOUR = /:(00|30):00$/;

/** The half-hour that begins at a time `HH:MM:SS`; undefined when none does. */
export function halfHourOf(time: string): number | undefined {
  if (!TIME_PATTERN.test(time) || !WHOLE_HALF_HOUR.test(time)) return undefined;
  return Number(time.slice(0, 2)) * 2 + (time.slice(3, 5) === '30' ? 1 : 0);
}

/**
 * The half-hours of a window, ascending: half-open, and one that does not end after its begin wraps past midnight into the same local day.
 * Undefined when its times cannot be read.
 */
export function halfHoursOf({ validFrom, validTo }: Pick<HourlyRate, 'validFrom' | 'validTo'>): number[] | undefined {
  const from = halfHourOf(validFrom);
  const to = halfHourOf(validTo);
  if (from === undefined || to === undefined) return undefined;
  return from < to ? upTo(from, to) : [...upTo(0, to), ...upTo(from, HALF_HOURS)];
}

function upTo(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** Half-hours as a message tells them: `02:00 to 05:30, 23:00 to 24:00`. */
export function halfHoursTold(halfHours: readonly number[]): string {
  return runsOf(halfHours)
    .map(([first, last]) => `${timeTold(first)} to ${timeTold(last + 1)}`)
    .join(', ');
}

function timeTold(halfHour: number): string {
  return `${String(Math.floor(halfHour / 2)).padStart(2, '0')}:${halfHour % 2 === 0 ? '00' : '30'}`;
}
