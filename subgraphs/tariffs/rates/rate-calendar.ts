import { londonOffset } from './london-time';
import { runsOf } from './wall-minutes';
import { MONTHS, type Tariff, WEEKDAYS } from '../catalogue/tariff';

/** Length of a table by day of the year: 31 entries for each month; some never occur. */
export const DAY_OF_YEAR_COUNT = MONTHS.length * 31;

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LEAP_DATE = 29;

/** 100 years: within them each day of the year, 29 February included, falls on each day of the week. */
const DAYS_TO_COVER_ALL_KINDS = 36_525;

/** The properties of a day by which a schedule selects rates. */
export interface DayKind {
  /** Index of {@link dayOfYear}. */
  readonly dayOfYear: number;
  /** 0 Monday to 6 Sunday. */
  readonly weekday: number;
}

/** Returns the index of a day of the year in a table; months from 0, dates from 1. */
export function dayOfYear(month: number, date: number): number {
  return month * 31 + date - 1;
}

/** Whether a month (from 0) has a date in some year, as 29 February. */
export function hasDate(month: number, date: number): boolean {
  return Number.isInteger(date) && date >= 1 && date <= (DAYS_IN_MONTH[month] ?? 0);
}

/** Returns the number of a local day: days since 1 January 1970. */
export function dayNumber(localTime: number): number {
  return Math.floor(localTime / DAY_MS);
}

/** Returns the kind of the day with a day number. */
export function dayKind(day: number): DayKind {
  const date = new Date(day * DAY_MS);
  return { dayOfYear: dayOfYear(date.getUTCMonth(), date.getUTCDate()), weekday: (date.getUTCDay() + 6) % 7 };
}

/** A kind of day with that of the day before, on which windows start that run past midnight into the day. */
interface ConsecutiveDays {
  readonly before: DayKind;
  readonly day: DayKind;
}

/**
 * Returns each pair (kind of the day before, kind of the day) that occurs while the tariff is valid, also for days on which it is valid
 * in part. The day before may precede the validity.
 */
export function occurringDays({ validFrom, validTo }: Pick<Tariff, 'validFrom' | 'validTo'>): ConsecutiveDays[] {
  const first = localDay(validFrom.getTime());
  const last = validTo === null ? Infinity : localDay(validTo.getTime() - 1);
  return last - first >= DAYS_TO_COVER_ALL_KINDS ? ALL_DAYS : daysBetween(first, last);
}

function localDay(at: number): number {
  return dayNumber(at + londonOffset(at));
}

const ALL_DAYS: ConsecutiveDays[] = MONTHS.flatMap((_, month) =>
  Array.from({ length: DAYS_IN_MONTH[month] as number }, (__, index) => dayOfYear(month, index + 1)),
).flatMap((day) => daysBefore(day).flatMap((before) => onEachWeekday(before, day)));

/** Returns the days of the year after which a day may follow: two for 1 March. */
function daysBefore(day: number): number[] {
  const month = Math.floor(day / 31);
  if (day % 31 > 0) return [day - 1];
  const lastMonth = (month + MONTHS.length - 1) % MONTHS.length;
  const lastDate = DAYS_IN_MONTH[lastMonth] as number;
  return [dayOfYear(lastMonth, lastDate), ...(lastDate === LEAP_DATE ? [dayOfYear(lastMonth, LEAP_DATE - 1)] : [])];
}

function onEachWeekday(before: number, day: number): ConsecutiveDays[] {
  return Array.from(WEEKDAYS, (_, weekday) => ({
    before: { dayOfYear: before, weekday: (weekday + WEEKDAYS.length - 1) % WEEKDAYS.length },
    day: { dayOfYear: day, weekday },
  }));
}

function daysBetween(first: number, last: number): ConsecutiveDays[] {
  const days = new Map<number, ConsecutiveDays>();
  let before = dayKind(first - 1);
  for (let number = first; number <= last; number += 1) {
    const day = dayKind(number);
    days.set((before.dayOfYear * DAY_OF_YEAR_COUNT + day.dayOfYear) * WEEKDAYS.length + day.weekday, { before, day });
    before = day;
  }
  return [...days.values()];
}

/** Formats ascending days of the year for a message: `1 to 31 Jan, 29 Feb`. */
export function formatDays(daysOfYear: readonly number[]): string {
  return MONTHS.flatMap((month, index) => {
    const dates = daysOfYear.filter((day) => Math.floor(day / 31) === index).map((day) => (day % 31) + 1);
    return runsOf(dates).map(([from, to]) => (from === to ? `${from} ${month}` : `${from} to ${to} ${month}`));
  }).join(', ');
}

/** Formats days of the week for a message: `Sat, Sun`. */
export function formatWeekdays(weekdays: readonly number[]): string {
  return weekdays.map((weekday) => WEEKDAYS[weekday]).join(', ');
}
