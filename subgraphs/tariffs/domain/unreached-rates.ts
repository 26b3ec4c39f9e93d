import type { Violation } from '../../../schema/register-error';
import type { PublicationRule } from './publication-rules';
import { entriesOf, invalid } from './rate-places';
import { daysOf, entriesByDay, groupsByWeekday, weekdaysOf } from './rates-resolution';

/** Entries and days groups of which earlier ones take every day: the first match counts, so they are never reached. */
export const unreachedRates: PublicationRule = (tariff) => {
  const counting = new Set(entriesByDay(tariff.rates));
  return entriesOf(tariff).flatMap(({ part, path }, index) => {
    const unreached: Violation[] =
      counting.has(index) || daysOf(part).length === 0
        ? []
        : [invalid(path, 'is never reached: earlier entries match all its days')];
    const groups = new Set(groupsByWeekday(part));
    const unreachedGroups = part.daysAndHours.flatMap((group, place) =>
      groups.has(place) || weekdaysOf(group).length === 0
        ? []
        : [invalid([...path, 'daysAndHours', place], 'is never reached: earlier groups match all its days')],
    );
    return [...unreached, ...unreachedGroups];
  });
};
