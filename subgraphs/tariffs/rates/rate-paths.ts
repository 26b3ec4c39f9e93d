import type { Violation } from '../../../schema/register-error';
import type { DaysAndHours, HourlyRate, RateTier, TariffInput, TariffScheduleEntry } from '../catalogue/tariff';

/** A part of a rates tree with its path in the GraphQL input. */
export interface WithPath<Part> {
  readonly part: Part;
  readonly path: readonly (string | number)[];
}

/** Returns the schedule entries of a tariff. */
export function entriesOf({ rates }: Pick<TariffInput, 'rates'>): WithPath<TariffScheduleEntry>[] {
  return withPaths([], 'rates', rates);
}

/** Returns the days groups of all entries of a tariff. */
export function groupsOf(tariff: Pick<TariffInput, 'rates'>): WithPath<DaysAndHours>[] {
  return entriesOf(tariff).flatMap(({ part, path }) => withPaths(path, 'daysAndHours', part.daysAndHours));
}

/** Returns the windows of all days groups of a tariff. */
export function windowsOf(tariff: Pick<TariffInput, 'rates'>): WithPath<HourlyRate>[] {
  return groupsOf(tariff).flatMap(({ part, path }) => withPaths(path, 'hours', part.hours));
}

/** Returns the tiers of a window. */
export function tiersOf({ part, path }: WithPath<HourlyRate>): WithPath<RateTier>[] {
  return withPaths(path, 'rate', part.rate);
}

function withPaths<Part>(path: WithPath<unknown>['path'], name: string, parts: readonly Part[]): WithPath<Part>[] {
  return parts.map((part, index) => ({ part, path: [...path, name, index] }));
}

/** Returns the violation of a range, length or order (VAL003). */
export function invalid(path: WithPath<unknown>['path'], message: string): Violation {
  return { code: 'VAL003', path, message };
}
