import { MAX_VIOLATIONS, type Violation } from '../../../schema/register-error';
import { type WithPath, invalid } from './rate-paths';
import type { DaysAndHours, HourlyRate } from '../catalogue/tariff';
import type { PublicationRule } from '../catalogue/publication-rule';
import { MINUTES_PER_DAY, TIME_PATTERN, formatMinutes, minuteOf, minutesOfWindow } from './wall-minutes';

/**
 * Requires windows to start and end on whole minutes, and windows that start on the same day not to overlap. Stops at the number of overlaps
 * that one error reports, because each costs up to a day of minutes.
 */
export const hourWindows: PublicationRule = ({ groups, windows }) => [
  ...windows.flatMap(timeViolations),
  ...overlapViolations(groups),
];

function timeViolations({ part, path }: WithPath<HourlyRate>): Violation[] {
  return (['validFrom', 'validTo'] as const).flatMap((field): Violation[] => {
    if (minuteOf(part[field]) !== undefined) return [];
    const at = [...path, field];
    if (TIME_PATTERN.test(part[field])) return [invalid(at, 'must be on a whole minute')];
    return [{ code: 'VAL001', path: at, message: `must match ${TIME_PATTERN.source}` }];
  });
}

function overlapViolations(groups: readonly WithPath<DaysAndHours>[]): Violation[] {
  const violations: Violation[] = [];
  for (const { part, path } of groups) {
    const taken = new Uint8Array(2 * MINUTES_PER_DAY);
    for (const [index, window] of part.hours.entries()) {
      const twice = takeMinutes(window, taken);
      if (twice.length === 0) continue;
      violations.push(invalid([...path, 'hours', index], `overlaps earlier windows from ${formatMinutes(twice)}`));
      if (violations.length === MAX_VIOLATIONS) return violations;
    }
  }
  return violations;
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
