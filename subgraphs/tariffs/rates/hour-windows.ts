import type { Violation } from '../../../schema/register-error';
import { type WithPath, groupsOf, invalid, windowsOf } from './rate-paths';
import type { DaysAndHours, HourlyRate } from '../catalogue/tariff';
import type { PublicationRule } from '../catalogue/publication-rule';
import { MINUTES_PER_DAY, TIME_PATTERN, formatMinutes, minuteOf, minutesOfWindow } from './wall-minutes';

/** Requires windows to start and end on whole minutes, and windows that start on the same day not to overlap. */
export const hourWindows: PublicationRule = (tariff) => [
  ...windowsOf(tariff).flatMap(timeViolations),
  ...groupsOf(tariff).flatMap(overlapViolations),
];

function timeViolations({ part, path }: WithPath<HourlyRate>): Violation[] {
  return (['validFrom', 'validTo'] as const).flatMap((field): Violation[] => {
    if (minuteOf(part[field]) !== undefined) return [];
    const at = [...path, field];
    if (TIME_PATTERN.test(part[field])) return [invalid(at, 'must be on a whole minute')];
    return [{ code: 'VAL001', path: at, message: `must match ${TIME_PATTERN.source}` }];
  });
}

function overlapViolations({ part, path }: WithPath<DaysAndHours>): Violation[] {
  const taken = new Uint8Array(2 * MINUTES_PER_DAY);
  return part.hours.flatMap((window, index) => {
    const twice = takeMinutes(window, taken);
    if (twice.length === 0) return [];
    return [invalid([...path, 'hours', index], `overlaps earlier windows from ${formatMinutes(twice)}`)];
  });
}

/** Marks the minutes of a window; returns those that were taken, as minutes of the day on which they are, ascending. */
function takeMinutes(window: HourlyRate, taken: Uint8Array): number[] {
  const { from, to } = minutesOfWindow(window) ?? { from: 0, to: 0 };
  const twice = new Set<number>();
  for (let minute = from; minute < to; minute += 1) {
    if (taken[minute] === 1) twice.add(minute % MINUTES_PER_DAY);
    taken[minute] = 1;
  }
  return [...twice].toSorted((one, other) => one - other);
}
