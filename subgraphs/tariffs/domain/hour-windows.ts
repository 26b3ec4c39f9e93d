import type { Violation } from '../../../schema/register-error';
import { TIME_PATTERN, halfHourOf, halfHoursOf, halfHoursTold } from './half-hours';
import type { PublicationRule } from './publication-rules';
import { type Placed, groupsOf, invalid, windowsOf } from './rate-places';
import type { DaysAndHours, HourlyRate } from './tariff';

/** Windows of the day: times on whole half-hours, and none that overlaps an earlier one of its days group. */
export const hourWindows: PublicationRule = (tariff) => [
  ...windowsOf(tariff).flatMap(timesFaults),
  ...groupsOf(tariff).flatMap(overlaps),
];

function timesFaults({ part, path }: Placed<HourlyRate>): Violation[] {
  return (['validFrom', 'validTo'] as const).flatMap((field): Violation[] => {
    const at = [...path, field];
    if (!TIME_PATTERN.test(part[field]))
      return [{ code: 'VAL001', path: at, message: `must match ${TIME_PATTERN.source}` }];
    return halfHourOf(part[field]) === undefined ? [invalid(at, 'must be on a whole half-hour')] : [];
  });
}

function overlaps({ part, path }: Placed<DaysAndHours>): Violation[] {
  const taken = new Set<number>();
  return part.hours.flatMap((window, index) => {
    const halfHours = halfHoursOf(window) ?? [];
    const twice = halfHours.filter((each) => taken.has(each));
    for (const each of halfHours) taken.add(each);
    if (twice.length === 0) return [];
    return [invalid([...path, 'hours', index], `overlaps earlier windows from ${halfHoursTold(twice)}`)];
  });
}
