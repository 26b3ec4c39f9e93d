import { MAX_VIOLATIONS, type Violation } from '../../../schema/register-error';
import type { DayGroup } from './day-rates';
import { invalid } from './rate-paths';
import { NO_MATCH } from './rates-resolution';
import type { PublicationRule } from '../catalogue/publication-rule';
import { MINUTES_PER_DAY, formatMinutes } from './wall-minutes';

/** By group and index of a window that runs past midnight: 1 at each minute of the next day that another window contains, too. */
type Overlaps = Map<DayGroup, Map<number, Uint8Array>>;

/**
 * Requires that no window runs past midnight into a window of the next day, on the days that occur while the tariff is valid. Returns as many
 * violations as one error reports, because each costs a day of minutes.
 */
export const overnightWindows: PublicationRule = ({ successions }) => {
  const overlaps: Overlaps = new Map();
  for (const [day, groupsBefore] of successions().groupsBefore)
    for (const before of groupsBefore) if (before !== undefined) markOverlaps(overlaps, before, day);
  return [...overlaps]
    .flatMap(([group, windows]) => [...windows].map(([window, minutes]) => ({ group, window, minutes })))
    .slice(0, MAX_VIOLATIONS)
    .map(({ group, window, minutes }) => violationOf(group, window, minutes));
};

function markOverlaps(overlaps: Overlaps, before: DayGroup, day: DayGroup): void {
  if (before.minutes === undefined || day.minutes === undefined) return;
  const windows = overlaps.get(before) ?? new Map<number, Uint8Array>();
  for (let minute = 0; minute < MINUTES_PER_DAY; minute += 1) {
    const window = before.minutes[MINUTES_PER_DAY + minute] as number;
    if (window === NO_MATCH || day.minutes[minute] === NO_MATCH) continue;
    const minutes = windows.get(window) ?? new Uint8Array(MINUTES_PER_DAY);
    minutes[minute] = 1;
    windows.set(window, minutes);
  }
  if (windows.size > 0) overlaps.set(before, windows);
}

function violationOf({ schedule, daysAndHours }: DayGroup, window: number, minutes: Uint8Array): Violation {
  const twice = [...minutes.keys()].filter((minute) => minutes[minute] === 1);
  return invalid(
    ['rates', schedule, 'daysAndHours', daysAndHours, 'hours', window],
    `runs past midnight into windows of the next day from ${formatMinutes(twice)}`,
  );
}
