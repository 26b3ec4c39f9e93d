import type { Violation } from '../../../schema/register-error';
import { halfHoursOf, halfHoursTold } from './half-hours';
import type { PublicationRule } from './publication-rules';
import { daysTold, occurringDays, weekdaysTold } from './rate-calendar';
import { type Placed, entriesOf, invalid } from './rate-places';
import { NO_MATCH, entriesByDay, groupsByWeekday, windowsByHalfHour } from './rates-resolution';
import { type DaysAndHours, type TariffInput, type TariffScheduleEntry, WEEKDAYS } from './tariff';

/**
 * A static tariff has a price in every half-hour of the days that occur while it is valid. What is missing is told where it belongs: days
 * of the year of the rates, days of the week of an entry, half-hours of a days group. Only days that count for an entry are asked for.
 */
export const rateGaps: PublicationRule = (tariff) => {
  if (tariff.tariffType !== 'static' || hasNoDay(tariff)) return [];
  const { validFrom, validTo = null, rates } = tariff;
  const occurring = occurringDays({ validFrom, validTo });
  const entries = entriesByDay(rates);
  const missing = [...occurring.keys()].filter((place) => occurring[place] !== 0 && entries[place] === NO_MATCH);
  const needed = rates.map(() => 0);
  occurring.forEach((weekdays, place) => {
    const entry = entries[place] as number;
    if (entry !== NO_MATCH) needed[entry] = (needed[entry] as number) | weekdays;
  });
  return [
    ...(missing.length === 0 ? [] : [invalid(['rates'], `has no entry for ${daysTold(missing)}`)]),
    ...entriesOf(tariff).flatMap((entry, index) => gapsOfEntry(entry, needed[index] as number)),
  ];
};

function hasNoDay({ validFrom, validTo }: TariffInput): boolean {
  return validTo != null && validTo.getTime() <= validFrom.getTime();
}

/** @param needed a bit for each day of the week that occurs (1 Monday) */
function gapsOfEntry({ part, path }: Placed<TariffScheduleEntry>, needed: number): Violation[] {
  const groups = groupsByWeekday(part);
  const weekdays = [...WEEKDAYS.keys()].filter((weekday) => (needed & (1 << weekday)) !== 0);
  const missing = weekdays.filter((weekday) => groups[weekday] === NO_MATCH);
  const at = [...path, 'daysAndHours'];
  return [
    ...(missing.length === 0 ? [] : [invalid(at, `has no days group for ${weekdaysTold(missing)}`)]),
    ...part.daysAndHours.flatMap((group, index) =>
      weekdays.some((weekday) => groups[weekday] === index) ? gapsOfGroup(group, [...at, index, 'hours']) : [],
    ),
  ];
}

/** Where a time cannot be read, it is not known what is missing. */
function gapsOfGroup(group: DaysAndHours, path: Violation['path']): Violation[] {
  if (group.hours.some((window) => halfHoursOf(window) === undefined)) return [];
  const missing = [...windowsByHalfHour(group).entries()].filter(([, window]) => window === NO_MATCH);
  if (missing.length === 0) return [];
  return [invalid(path, `has no rate from ${halfHoursTold(missing.map(([halfHour]) => halfHour))}`)];
}
