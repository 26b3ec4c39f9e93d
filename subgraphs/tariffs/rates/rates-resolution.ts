import { DAY_OF_YEAR_COUNT, dayOfYear, hasDate } from './rate-calendar';
import { type DaysAndHours, MONTHS, type TariffScheduleEntry, WEEKDAYS } from '../catalogue/tariff';

/**
 * Resolution of a rates tree (decisions C/D, D.2): the first entry whose months and dates match a day decides; within it the first days
 * group whose days match; within that the window of the minute. If an entry matches a day, later entries never apply to that day. A window
 * belongs to the day on which it starts, also after midnight.
 */

/** The value in a table where nothing matches. */
export const NO_MATCH = -1;

/** Returns the days of the year that an entry matches, ascending. */
export function daysOf({ months, dates }: TariffScheduleEntry): number[] {
  const days = new Set<number>();
  const all = dates == null ? Array.from({ length: 31 }, (_, index) => index + 1) : new Set(dates);
  MONTHS.forEach((name, month) => {
    if (!months.includes(name) && !months.includes('All')) return;
    for (const date of all) if (hasDate(month, date)) days.add(dayOfYear(month, date));
  });
  return [...days].toSorted((one, other) => one - other);
}

/** Returns the days of the week that a days group matches; 0 is Monday. */
export function weekdaysOf({ days }: DaysAndHours): number[] {
  return WEEKDAYS.flatMap((name, weekday) => (days.includes(name) || days.includes('All') ? [weekday] : []));
}

/** Returns, by day of the year, the index of the entry that decides. */
export function entriesByDay(rates: readonly TariffScheduleEntry[]): number[] {
  return firstOfEach(DAY_OF_YEAR_COUNT, rates.map(daysOf));
}

/** Returns, by day of the week, the index of the days group that decides. */
export function groupsByWeekday({ daysAndHours }: TariffScheduleEntry): number[] {
  return firstOfEach(WEEKDAYS.length, daysAndHours.map(weekdaysOf));
}

/** Returns, for each number below `count`, the index of the first list that contains it. */
function firstOfEach(count: number, lists: readonly (readonly number[])[]): number[] {
  const firsts = Array.from({ length: count }, () => NO_MATCH);
  lists.forEach((list, index) => {
    for (const number of list) if (firsts[number] === NO_MATCH) firsts[number] = index;
  });
  return firsts;
}
