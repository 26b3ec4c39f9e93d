import type { Violation } from '../../../schema/register-error';
import type { DaysAndHours, HourlyRate, TariffInput, TariffScheduleEntry } from '../catalogue/tariff';

/** A part of a rates tree with its path in the GraphQL input. */
export interface WithPath<Part> {
  readonly part: Part;
  readonly path: readonly (string | number)[];
}

/** The parts of a rates tree, in its order. */
export interface RateParts {
  readonly entries: readonly WithPath<TariffScheduleEntry>[];
  readonly groups: readonly WithPath<DaysAndHours>[];
  readonly windows: readonly WithPath<HourlyRate>[];
}

/** Returns the schedule entries, days groups and windows of a tariff. */
export function ratePartsOf({ rates }: Pick<TariffInput, 'rates'>): RateParts {
  const entries = withPaths([], 'rates', rates);
  const groups = entries.flatMap(({ part, path }) => withPaths(path, 'daysAndHours', part.daysAndHours));
  const windows = groups.flatMap(({ part, path }) => withPaths(path, 'hours', part.hours));
  return { entries, groups, windows };
}

function withPaths<Part>(path: WithPath<unknown>['path'], name: string, parts: readonly Part[]): WithPath<Part>[] {
  return parts.map((part, index) => ({ part, path: [...path, name, index] }));
}

/** Returns the violation of a range, length or order (VAL003). */
export function invalid(path: WithPath<unknown>['path'], message: string): Violation {
  return { code: 'VAL003', path, message };
}
