import { DateTime } from 'luxon';

/** Rates are told in the wall time of Great Britain (3-decisions-c-d.md, D.2). */
const ZONE = 'Europe/London';

/** Half-hours of a day of 24 hours. */
export const COLUMNS = 48;

const HALF_HOUR = 30 * 60_000;

/** A day of the calendar: `2026-03-29`. */
export type Day = string;

/** A half-hour of a local day. */
export interface HalfHour {
  /** Milliseconds since 1970. */
  readonly starts: number;
  /** Wall time: `01:30`. */
  readonly time: string;
  /** Wall time of its end, as the clock shows it that has not changed by then; `24:00` at the end of the day. */
  readonly until: string;
  /** `GMT` or `BST`. */
  readonly zone: string;
  /** Which of the 48 half-hours that a clock shows, from 0. */
  readonly column: number;
  /** Whether the clock showed the same half-hour before, on the day on which it goes back. */
  readonly isRepeated: boolean;
}

/** The half-hours of a day in their order: 48, or 46 and 50 on the days on which the clocks change. */
export function halfHoursOf(day: Day): HalfHour[] {
  const [from, to] = [startOf(day), startOf(daysAfter(day, 1))];
  const count = (to - from) / HALF_HOUR;
  const shown = new Set<number>();
  return Array.from({ length: count }, (_, index) => {
    const starts = from + index * HALF_HOUR;
    const local = DateTime.fromMillis(starts, { zone: ZONE });
    const column = local.hour * 2 + local.minute / 30;
    const isRepeated = shown.has(column);
    shown.add(column);
    const [time, until] = [clockTime(column), clockTime(column + 1)];
    return { starts, time, until, zone: local.offset === 0 ? 'GMT' : 'BST', column, isRepeated };
  });
}

/** The wall time at which a half-hour of the clock begins. */
export function clockTime(column: number): string {
  return `${String(Math.floor(column / 2)).padStart(2, '0')}:${column % 2 === 0 ? '00' : '30'}`;
}

/** The half-hour in which an instant lies, in milliseconds since 1970. */
export function halfHourOf(instant: string): number {
  return Math.floor(Date.parse(instant) / HALF_HOUR) * HALF_HOUR;
}

/** The instant at which a day begins, in milliseconds since 1970. */
export function startOf(day: Day): number {
  return DateTime.fromISO(day, { zone: ZONE }).startOf('day').toMillis();
}

/** The day on which an instant falls. */
export function dayOf(instant: string | number): Day {
  return isoDate(DateTime.fromMillis(new Date(instant).getTime(), { zone: ZONE }));
}

/** The day so many days later. */
export function daysAfter(day: Day, days: number): Day {
  return isoDate(DateTime.fromISO(day, { zone: 'utc' }).plus({ days }));
}

/** The week of a day, from Monday. */
export function weekOf(day: Day): Day[] {
  const monday = isoDate(DateTime.fromISO(day, { zone: 'utc' }).startOf('week'));
  return Array.from({ length: 7 }, (_, index) => daysAfter(monday, index));
}

/** Years in which pages show days. */
const YEARS = { first: 2000, last: 2199 } as const;

/** The day that a text names; undefined when it names none, or one that is out of all proportion. */
export function dayOfText(text: unknown): Day | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const { isValid, year } = DateTime.fromISO(text, { zone: 'utc' });
  return isValid && year >= YEARS.first && year <= YEARS.last ? text : undefined;
}

/** What is to be said of something that was given as a day and names none. */
export function dayFault(given: unknown): string {
  const quoted = typeof given === 'string' ? `“${given}”` : 'That';
  return `${quoted} is no day from ${YEARS.first} to ${YEARS.last}: write it as 2026-03-29.`;
}

/** Weeks in which the next change of the clocks is sought: a year. */
const WEEKS_AHEAD = 53;

/** The next days on which the clocks change, from a day on, as the data of the zone have them; fewer when they change no more. */
export function clockChanges(from: Day, count: number): Day[] {
  const changes: Day[] = [];
  for (let week = 0; week < count * WEEKS_AHEAD && changes.length < count; week += 1) {
    const days = Array.from({ length: WEEK }, (_, index) => daysAfter(from, week * WEEK + index));
    if (!isSteady(days[0] ?? from, WEEK)) changes.push(...days.filter((day) => !isSteady(day, 1)));
  }
  return changes.slice(0, count);
}

const WEEK = 7;

/** Whether days from a day on have 24 hours each. */
function isSteady(from: Day, days: number): boolean {
  return startOf(daysAfter(from, days)) - startOf(from) === days * COLUMNS * HALF_HOUR;
}

function isoDate(date: DateTime): Day {
  return date.toFormat('yyyy-MM-dd');
}

/** A day as people write it, by a format of luxon. */
export function writtenDay(day: Day, format: string): string {
  return DateTime.fromISO(day, { zone: 'utc', locale: 'en-GB' }).toFormat(format);
}

/** An instant in local time: `1 Apr 2026`, at midnight, or `1 Apr 2026, 14:30`. */
export function writtenInstant(instant: string): string {
  const local = DateTime.fromISO(instant, { zone: ZONE, locale: 'en-GB' });
  const isMidnight = local.toMillis() === local.startOf('day').toMillis();
  return local.toFormat(isMidnight ? 'd LLL yyyy' : 'd LLL yyyy, HH:mm');
}

/** The instant of milliseconds since 1970, as the graph takes it. */
export function instantOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
