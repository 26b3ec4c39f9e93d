import type { Violation } from '../../../schema/register-error';
import type { PublicationRule } from '../catalogue/publication-rule';
import { MONTHS, WEEKDAYS } from '../catalogue/tariff';
import { type WithPath, invalid } from './rate-paths';
import { MINUTES_PER_DAY } from './wall-minutes';

/** Maximum entries of a tariff: each decides a day of the year that no earlier one matches. */
const MAX_ENTRIES = 366;
/** Maximum dates of an entry. */
const MAX_DATES = 31;
/** Maximum days groups of an entry: each decides a day of the week that no earlier one matches. */
const MAX_GROUPS = WEEKDAYS.length;
/** Maximum windows of a days group: they start on different minutes, because they do not overlap. */
const MAX_WINDOWS = MINUTES_PER_DAY;
/** Maximum tiers of a window. */
const MAX_TIERS = 20;

/** Limits the lists of a rates tree, so that the rules that follow need little time for any request. No list of a valid tariff is longer. */
export const rateBounds: PublicationRule = ({ tariff, entries, groups, windows }) => [
  ...boundViolations([], 'rates', tariff.rates, MAX_ENTRIES),
  ...entries.flatMap(({ part, path }) => [
    ...boundViolations(path, 'months', part.months, MONTHS.length),
    ...boundViolations(path, 'dates', part.dates ?? [], MAX_DATES),
    ...boundViolations(path, 'daysAndHours', part.daysAndHours, MAX_GROUPS),
  ]),
  ...groups.flatMap(({ part, path }) => [
    ...boundViolations(path, 'days', part.days, WEEKDAYS.length),
    ...boundViolations(path, 'hours', part.hours, MAX_WINDOWS),
  ]),
  ...windows.flatMap(({ part, path }) => boundViolations(path, 'rate', part.rate, MAX_TIERS)),
];

function boundViolations(
  path: WithPath<unknown>['path'],
  list: string,
  { length }: readonly unknown[],
  max: number,
): Violation[] {
  return length > max ? [invalid([...path, list], `must have at most ${max} entries`)] : [];
}
