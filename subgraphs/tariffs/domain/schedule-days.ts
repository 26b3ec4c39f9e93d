import type { Violation } from '../../../schema/register-error';
import type { PublicationRule } from './publication-rules';
import { hasDate } from './rate-calendar';
import { type Placed, entriesOf, groupsOf, invalid } from './rate-places';
import { MONTHS, type TariffScheduleEntry } from './tariff';

/** Months, dates and days of the week: each once, `All` alone, and no date that none of the entry's months has. */
export const scheduleDays: PublicationRule = (tariff) => [
  ...entriesOf(tariff).flatMap(({ part, path }) => namesFaults(part.months, 'a month', [...path, 'months'])),
  ...entriesOf(tariff).flatMap(datesFaults),
  ...groupsOf(tariff).flatMap(({ part, path }) => namesFaults(part.days, 'a day', [...path, 'days'])),
];

function namesFaults(names: readonly string[], what: string, path: Violation['path']): Violation[] {
  if (names.length === 0) return [invalid(path, 'must have at least one entry')];
  if (new Set(names).size < names.length) return [invalid(path, `must not name ${what} twice`)];
  return names.length > 1 && names.includes('All') ? [invalid(path, 'must name All alone')] : [];
}

function datesFaults({ part, path }: Placed<TariffScheduleEntry>): Violation[] {
  const { dates } = part;
  if (dates == null) return [];
  const at = [...path, 'dates'];
  if (dates.length === 0) return [invalid(at, 'must have at least one entry')];
  const twice = new Set(dates).size < dates.length ? [invalid(at, 'must not name a date twice')] : [];
  return [...twice, ...dates.flatMap((date, index) => dateFaults(date, part, [...at, index]))];
}

function dateFaults(date: number, { months }: TariffScheduleEntry, path: Violation['path']): Violation[] {
  if (!(Number.isInteger(date) && date >= 1 && date <= 31)) return [invalid(path, 'must be 1 to 31')];
  const isOfAny = MONTHS.some(
    (name, month) => (months.includes(name) || months.includes('All')) && hasDate(month, date),
  );
  return isOfAny || months.length === 0 ? [] : [invalid(path, 'is a date that none of its months has')];
}
