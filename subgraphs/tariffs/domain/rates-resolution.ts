import { HALF_HOURS, halfHoursOf } from './half-hours';
import { DAY_PLACES, hasDate, placeOf } from './rate-calendar';
import { type DaysAndHours, MONTHS, type TariffScheduleEntry, WEEKDAYS } from './tariff';

/**
 * How a rates tree is resolved (3-decisions-c-d.md, D.2): the first entry whose months and dates match a day; in it the first days group
 * whose days match; in it the window of the half-hour. What does not match there matches nowhere: a later entry is not asked.
 */

/** Stands in a table where nothing matches. */
export const NO_MATCH = -1;

/** The places of all days of the year that an entry matches, ascending. */
export function daysOf({ months, dates }: TariffScheduleEntry): number[] {
  const days = new Set<number>();
  const all = dates == null ? Array.from({ length: 31 }, (_, index) => index + 1) : new Set(dates);
  MONTHS.forEach((name, month) => {
    if (!months.includes(name) && !months.includes('All')) return;
    for (const date of all) if (hasDate(month, date)) days.add(placeOf(month, date));
  });
  return [...days].toSorted((one, other) => one - other);
}

/** The days of the week that a days group matches, 0 Monday. */
export function weekdaysOf({ days }: DaysAndHours): number[] {
  return WEEKDAYS.flatMap((name, weekday) => (days.includes(name) || days.includes('All') ? [weekday] : []));
}

/** By place of the day the index of the entry that counts for it. */
export function entriesByDay(rates: readonly TariffScheduleEntry[]): number[] {
  return firstOfEach(DAY_PLACES, rates.map(daysOf));
}

/** By day of the week the index of the days group that counts for it. */
export function groupsByWeekday({ daysAndHours }: TariffScheduleEntry): number[] {
  return firstOfEach(WEEKDAYS.length, daysAndHours.map(weekdaysOf));
}

/** By half-hour of the day the index of the window that it lies in; a window whose times cannot be read has none. */
export function windowsByHalfHour({ hours }: DaysAndHours): number[] {
  return firstOfEach(
    HALF_HOURS,
    hours.map((window) => halfHoursOf(window) ?? []),
  );
}

/** By place the index of the first list that holds it. */
function firstOfEach(places: number, lists: readonly (readonly number[])[]): number[] {
  const firsts = Array.from({ length: places }, () => NO_MATCH);
  lists.forEach((list, index) => {
    for (const place of list) if (firsts[place] === NO_MATCH) firsts[place] = index;
  });
  return firsts;
}
