import type { Violation } from '../../../schema/register-error';
import { hasDate } from './rate-calendar';
import { type WithPath, invalid } from './rate-paths';
import { MONTHS, type TariffScheduleEntry } from '../catalogue/tariff';
import type { PublicationRule } from '../catalogue/publication-rule';

/**
 * Requires months, dates and days of the week to be named once, no other value beside `All`, and each date to exist in a month of its
 * entry.
 */
export const scheduleDays: PublicationRule = ({ entries, groups }) => [
  ...entries.flatMap(({ part, path }) => nameViolations(part.months, 'a month', [...path, 'months'])),
  ...entries.flatMap(dateListViolations),
  ...groups.flatMap(({ part, path }) => nameViolations(part.days, 'a day', [...path, 'days'])),
];

function nameViolations(names: readonly string[], what: string, path: Violation['path']): Violation[] {
  if (names.length === 0) return [invalid(path, 'must have at least one entry')];
  if (new Set(names).size < names.length) return [invalid(path, `must not name ${what} twice`)];
  return names.length > 1 && names.includes('All') ? [invalid(path, 'must name All alone')] : [];
}

function dateListViolations({ part, path }: WithPath<TariffScheduleEntry>): Violation[] {
  const { dates } = part;
  if (dates == null) return [];
  const at = [...path, 'dates'];
  if (dates.length === 0) return [invalid(at, 'must have at least one entry')];
  const twice = new Set(dates).size < dates.length ? [invalid(at, 'must not name a date twice')] : [];
  return [...twice, ...dates.flatMap((date, index) => dateViolations(date, part, [...at, index]))];
}

function dateViolations(date: number, { months }: TariffScheduleEntry, path: Violation['path']): Violation[] {
  if (!(Number.isInteger(date) && date >= 1 && date <= 31)) return [invalid(path, 'must be 1 to 31')];
  const exists = MONTHS.some(
    (name, month) => (months.includes(name) || months.includes('All')) && hasDate(month, date),
  );
  return exists || months.length === 0 ? [] : [invalid(path, 'is a date that none of its months has')];
}
