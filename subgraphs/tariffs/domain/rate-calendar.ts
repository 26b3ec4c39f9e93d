import { londonOffset } from './london-time';
import { runsOf } from './runs';
import { MONTHS, type Tariff, WEEKDAYS } from './tariff';

/** Places of a table by day of the year: 31 for each month, of which some never occur. */
export const DAY_PLACES = MONTHS.length * 31;

const DAY = 24 * 60 * 60 * 1_000;
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const ALL_WEEKDAYS = 0b111_1111;

/** Days after which every day of the year has fallen on every day of the week, 29 February too: 100 years. */
const ALL_DAY_KINDS = 36_525;

/** What a schedule knows of a day. */
export interface DayKind {
  /** Its place in a table by day of the year; 29 February has one of its own. */
  readonly place: number;
  /** 0 Monday to 6 Sunday. */
  readonly weekday: number;
}

/** The place of a day of the year; months from 0, dates from 1. */
export function placeOf(month: number, date: number): number {
  return month * 31 + date - 1;
}

/** Whether a month (from 0) ever has a date: 29 February counts. */
export function hasDate(month: number, date: number): boolean {
  return Number.isInteger(date) && date >= 1 && date <= (DAYS_IN_MONTH[month] ?? 0);
}

/** The number of a local day: days since 1 January 1970. */
export function dayNumber(localTime: number): number {
  return Math.floor(localTime / DAY);
}

/** What kind of day the day of a number is. */
export function dayKind(day: number): DayKind {
  const date = new Date(day * DAY);
  return { place: placeOf(date.getUTCMonth(), date.getUTCDate()), weekday: (date.getUTCDay() + 6) % 7 };
}

/**
 * The kinds of days that occur while a tariff is valid, also days of which it is valid for a part only.
 *
 * @returns by place of the day, a bit for each day of the week (1 Monday); 0 where the day does not occur
 */
export function occurringDays({ validFrom, validTo }: Pick<Tariff, 'validFrom' | 'validTo'>): Uint8Array {
  const first = localDay(validFrom.getTime());
  const last = validTo === null ? Infinity : localDay(validTo.getTime() - 1);
  return last - first >= ALL_DAY_KINDS ? everyDay() : daysBetween(first, last);
}

function localDay(at: number): number {
  return dayNumber(at + londonOffset(at));
}

function everyDay(): Uint8Array {
  const days = new Uint8Array(DAY_PLACES);
  DAYS_IN_MONTH.forEach((length, month) => days.fill(ALL_WEEKDAYS, placeOf(month, 1), placeOf(month, length) + 1));
  return days;
}

function daysBetween(first: number, last: number): Uint8Array {
  const days = new Uint8Array(DAY_PLACES);
  for (let day = first; day <= last; day += 1) {
    const { place, weekday } = dayKind(day);
    days[place] = (days[place] as number) | (1 << weekday);
  }
  return days;
}

/** Days of the year as a message tells them, by ascending places: `1 to 31 Jan, 29 Feb`. */
export function daysTold(places: readonly number[]): string {
  return MONTHS.flatMap((month, index) => {
    const dates = places.filter((place) => Math.floor(place / 31) === index).map((place) => (place % 31) + 1);
    return runsOf(dates).map(([from, to]) => (from === to ? `${from} ${month}` : `${from} to ${to} ${month}`));
  }).join(', ');
}

/** Days of the week as a message tells them: `Sat, Sun`. */
export function weekdaysTold(weekdays: readonly number[]): string {
  return weekdays.map((weekday) => WEEKDAYS[weekday]).join(', ');
}
