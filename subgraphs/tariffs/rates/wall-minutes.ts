import type { HourlyRate } from '../catalogue/tariff';

/** Minutes of a local day by wall time: 0 starts at 00:00. */
export const MINUTES_PER_DAY = 24 * 60;

/** Length of a minute in milliseconds. */
export const MINUTE_MS = 60_000;

/** A time of day, `HH:MM:SS`. */
export const TIME_PATTERN = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const WHOLE_MINUTE = /^([01]\d|2[0-3]):[0-5]\d:00$/;
const ZERO = 48;

/** Returns the minute, 0 to 1439, of a time `HH:MM:SS`; undefined if the time is not on a whole minute. */
export function minuteOf(time: string): number | undefined {
  if (!WHOLE_MINUTE.test(time)) return undefined;
  const digit = (index: number) => time.charCodeAt(index) - ZERO;
  return (digit(0) * 10 + digit(1)) * 60 + digit(3) * 10 + digit(4);
}

/** Half-open minutes from the start of the day on which a window starts; `to` exceeds 1440 if the window runs past midnight. */
interface WindowMinutes {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the minutes of a window (decisions C/D, D.2): a window that does not end after its start runs on past midnight, so that
 * 00:00:00 to 00:00:00 is the whole day. No window lasts longer than 24 hours. Undefined if a time is not on a whole minute.
 */
export function minutesOfWindow({
  validFrom,
  validTo,
}: Pick<HourlyRate, 'validFrom' | 'validTo'>): WindowMinutes | undefined {
  const from = minuteOf(validFrom);
  const to = minuteOf(validTo);
  if (from === undefined || to === undefined) return undefined;
  return { from, to: to > from ? to : to + MINUTES_PER_DAY };
}

/** Formats ascending minutes of a day for a message: `02:00 to 05:30, 23:00 to 24:00`. */
export function formatMinutes(minutes: readonly number[]): string {
  return runsOf(minutes)
    .map(([first, last]) => `${formatTime(first)} to ${formatTime(last + 1)}`)
    .join(', ');
}

function formatTime(minute: number): string {
  const digits = (value: number) => String(value).padStart(2, '0');
  return `${digits(Math.floor(minute / 60))}:${digits(minute % 60)}`;
}

/** Range of consecutive numbers, both ends inclusive. */
type Run = readonly [first: number, last: number];

/** Groups ascending numbers into runs: 1, 2, 3, 7 become 1 to 3 and 7 to 7. */
export function runsOf(numbers: readonly number[]): Run[] {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] + 1 === number) run[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}
