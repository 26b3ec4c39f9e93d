import type { Violation } from '../../../schema/register-error';
import type { DaysAndHours, HourlyRate, RateTier, TariffInput, TariffScheduleEntry } from './tariff';

/** A part of a rates tree, and where it stands in the names of the GraphQL input. */
export interface Placed<Part> {
  readonly part: Part;
  readonly path: readonly (string | number)[];
}

/** The schedule entries of a tariff. */
export function entriesOf({ rates }: Pick<TariffInput, 'rates'>): Placed<TariffScheduleEntry>[] {
  return placed([], 'rates', rates);
}

/** The days groups of a tariff. */
export function groupsOf(tariff: Pick<TariffInput, 'rates'>): Placed<DaysAndHours>[] {
  return entriesOf(tariff).flatMap(({ part, path }) => placed(path, 'daysAndHours', part.daysAndHours));
}

/** The windows of a tariff. */
export function windowsOf(tariff: Pick<TariffInput, 'rates'>): Placed<HourlyRate>[] {
  return groupsOf(tariff).flatMap(({ part, path }) => placed(path, 'hours', part.hours));
}

/** The tiers of a window. */
export function tiersOf({ part, path }: Placed<HourlyRate>): Placed<RateTier>[] {
  return placed(path, 'rate', part.rate);
}

/** Parts of a list with their places. */
export function placed<Part>(path: Placed<unknown>['path'], name: string, parts: readonly Part[]): Placed<Part>[] {
  return parts.map((part, index) => ({ part, path: [...path, name, index] }));
}

/** A violation of a range, length or order (VAL003). */
export function invalid(path: Placed<unknown>['path'], message: string): Violation {
  return { code: 'VAL003', path, message };
}
