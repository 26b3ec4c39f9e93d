import { DateTime } from 'luxon';

/** Rates use the wall time of Great Britain (decisions D.2). */
const ZONE = 'Europe/London';

/** Half-hours of a day of 24 hours. */
export const COLUMNS = 48;

/** Length of a half-hour in milliseconds. */
const HALF_HOUR_MS = 30 * 60_000;

/** A calendar day: `2026-03-29`. */
export type Day = string;

/** A half-hour of a local day. */
export interface HalfHour {
  /** Milliseconds since 1970. */
  readonly starts: number;
  /** Wall time: `01:30`. */
  readonly time: string;
  /** Wall time of the end, before any change of the clocks at that instant; `24:00` at the end of the day. */
  readonly until: string;
  /** `GMT` or `BST`. */
  readonly zone: string;
  /** Index from 0 among the 48 half-hours that a clock shows. */
  readonly column: number;
  /** True for the second occurrence of a half-hour on the day on which the clocks go back. */
  readonly isRepeated: boolean;
}

/** Returns the half-hours of a day in order: 48, or 46 and 50 on the days when the clocks change. */
export function halfHoursOf(day: Day): HalfHour[] {
  const [from, to] = [startOf(day), startOf(daysAfter(day, 1))];
  const count = (to - from) / HALF_HOUR_MS;
  const shown = new Set<number>();
  return Array.from({ length: count }, (_, index) => {
    const starts = from + index * HALF_HOUR_MS;
    const local = DateTime.fromMillis(starts, { zone: ZONE });
    const column = local.hour * 2 + local.minute / 30;
    const isRepeated = shown.has(column);
    shown.add(column);
    const [time, until] = [clockTime(column), clockTime(column + 1)];
    return { starts, time, until, zone: local.offset === 0 ? 'GMT' : 'BST', column, isRepeated };
  });
}

/** Returns the wall time `column` half-hours after midnight by the clock, as a whole minute. */
export function clockTime(column: number): string {
  const minutes = Math.round(column * 30);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Returns the start of the half-hour that contains an instant, in milliseconds since 1970. */
export function halfHourOf(instant: string): number {
  return Math.floor(Date.parse(instant) / HALF_HOUR_MS) * HALF_HOUR_MS;
}

/** Returns the start of a day, in milliseconds since 1970. */
export function startOf(day: Day): number {
  return DateTime.fromISO(day, { zone: ZONE }).startOf('day').toMillis();
}

/** Returns the local day of an instant. */
export function dayOf(instant: string | number): Day {
  return isoDate(DateTime.fromMillis(new Date(instant).getTime(), { zone: ZONE }));
}

/** Returns the day some days later. */
export function daysAfter(day: Day, days: number): Day {
  return isoDate(DateTime.fromISO(day, { zone: 'utc' }).plus({ days }));
}

/** Returns the week of a day, from Monday. */
export function weekOf(day: Day): Day[] {
  const monday = isoDate(DateTime.fromISO(day, { zone: 'utc' }).startOf('week'));
  return Array.from({ length: 7 }, (_, index) => daysAfter(monday, index));
}

/** Years for which pages show days. */
const YEARS = { first: 2000, last: 2199 } as const;

/** Parses a day; undefined if the text is not a day or not within {@link YEARS}. */
export function dayOfText(text: unknown): Day | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const { isValid, year } = DateTime.fromISO(text, { zone: 'utc' });
  return isValid && year >= YEARS.first && year <= YEARS.last ? text : undefined;
}

/** Returns the error text for an input that is no day. */
export function dayError(input: unknown): string {
  const quoted = typeof input === 'string' ? `“${input}”` : 'That';
  return `${quoted} is no day from ${YEARS.first} to ${YEARS.last}. Write it as 2026-03-29.`;
}

/** Weeks that are searched per change of the clocks: one year. */
const WEEKS_PER_CHANGE = 53;

/**
 * Returns the next days, from a day on, on which the clocks change, according to the time-zone data; fewer than `count`
 * if the clocks change no more.
 */
export function clockChanges(from: Day, count: number): Day[] {
  const changes: Day[] = [];
  for (let week = 0; week < count * WEEKS_PER_CHANGE && changes.length < count; week += 1) {
    const days = Array.from({ length: WEEK }, (_, index) => daysAfter(from, week * WEEK + index));
    if (!hasOnlyFullDays(days[0] ?? from, WEEK)) changes.push(...days.filter((day) => !hasOnlyFullDays(day, 1)));
  }
  return changes.slice(0, count);
}

const WEEK = 7;

/** Returns whether all days of a span have 24 hours. */
function hasOnlyFullDays(from: Day, days: number): boolean {
  return startOf(daysAfter(from, days)) - startOf(from) === days * COLUMNS * HALF_HOUR_MS;
}

function isoDate(date: DateTime): Day {
  return date.toFormat('yyyy-MM-dd');
}

/** Formats a day with a format of Luxon. */
export function writtenDay(day: Day, format: string): string {
  return DateTime.fromISO(day, { zone: 'utc', locale: 'en-GB' }).toFormat(format);
}

/** Formats an instant in local time: `1 Apr 2026` at midnight, otherwise `1 Apr 2026, 14:30 UK time`. */
export function writtenInstant(instant: string): string {
  const local = DateTime.fromISO(instant, { zone: ZONE, locale: 'en-GB' });
  const isMidnight = local.toMillis() === local.startOf('day').toMillis();
  return local.toFormat(isMidnight ? 'd LLL yyyy' : "d LLL yyyy, HH:mm 'UK time'");
}

/** Formats an instant for GraphQL. */
export function instantOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
