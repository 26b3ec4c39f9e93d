import type { Violation } from '../../../schema/register-error';
import type { DayGroup } from './day-rates';
import { formatDays, formatWeekdays } from './rate-calendar';
import { invalid } from './rate-paths';
import { NO_MATCH, daysOf, entriesByDay, groupsByWeekday, weekdaysOf } from './rates-resolution';
import type { PublicationRule } from '../catalogue/publication-rule';
import { MINUTES_PER_DAY, formatMinutes } from './wall-minutes';

/**
 * Requires of a static tariff a price for every minute of the days that occur while it is valid. Reports each gap at its level: days of
 * the year at the rates, days of the week at an entry, minutes at a days group. An entry needs prices only for days that it decides.
 */
export const rateGaps: PublicationRule = ({ tariff, successions }) => {
  if (tariff.tariffType !== 'static') return [];
  const { daysWithoutEntry, weekdaysWithoutGroup, groupsBefore } = successions();
  const missing = ascending(daysWithoutEntry);
  return [
    ...(missing.length === 0 ? [] : [invalid(['rates'], `has no entry for ${formatDays(missing)}`)]),
    ...[...weekdaysWithoutGroup].map(([entry, weekdays]) =>
      invalid(['rates', entry, 'daysAndHours'], `has no days group for ${formatWeekdays(ascending(weekdays))}`),
    ),
    ...[...groupsBefore].flatMap(([group, before]) => gapsOfGroup(group, [...before])),
  ];
};

function ascending(numbers: ReadonlySet<number>): number[] {
  return [...numbers].toSorted((one, other) => one - other);
}

/**
 * Returns the minutes of a day that neither its windows nor those of the day before contain. Skips groups with an invalid time, which
 * `hourWindows` reports: their minutes cannot be computed.
 */
function gapsOfGroup({ schedule, daysAndHours, minutes }: DayGroup, before: (DayGroup | undefined)[]): Violation[] {
  if (minutes === undefined || before.some((group) => group !== undefined && group.minutes === undefined)) return [];
  const lacks = (group: DayGroup | undefined, minute: number) => (group?.minutes?.[minute] ?? NO_MATCH) === NO_MATCH;
  const missing: number[] = [];
  for (let minute = 0; minute < MINUTES_PER_DAY; minute += 1)
    if (minutes[minute] === NO_MATCH && before.some((group) => lacks(group, MINUTES_PER_DAY + minute)))
      missing.push(minute);
  const path = ['rates', schedule, 'daysAndHours', daysAndHours, 'hours'];
  return missing.length === 0 ? [] : [invalid(path, `has no rate from ${formatMinutes(missing)}`)];
}

/** Reports entries and days groups that never apply: the first match decides, and earlier ones match all their days. */
export const unreachedRates: PublicationRule = ({ tariff, entries }) => {
  const deciding = new Set(entriesByDay(tariff.rates));
  return entries.flatMap(({ part, path }, index) => {
    const unreached: Violation[] =
      deciding.has(index) || daysOf(part).length === 0
        ? []
        : [invalid(path, 'is never reached: earlier entries match all its days')];
    const groups = new Set(groupsByWeekday(part));
    const unreachedGroups = part.daysAndHours.flatMap((group, position) =>
      groups.has(position) || weekdaysOf(group).length === 0
        ? []
        : [invalid([...path, 'daysAndHours', position], 'is never reached: earlier groups match all its days')],
    );
    return [...unreached, ...unreachedGroups];
  });
};
