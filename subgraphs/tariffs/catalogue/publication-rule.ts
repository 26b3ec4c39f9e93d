import type { Violation } from '../../../schema/register-error';
import type { DaySuccessions } from '../rates/day-successions';
import type { RateParts } from '../rates/rate-paths';
import type { TariffInput } from './tariff';

/** A tariff that is published, with the parts of its rates tree, which all rules share. */
export interface CheckedTariff extends RateParts {
  readonly tariff: TariffInput;
  /** Computed once, at the first call: a rates tree may have 26,000 windows. */
  readonly successions: () => DaySuccessions;
}

/** A rule for tariffs that are published: returns its violations, each with the path of the offending field. */
export type PublicationRule = (checked: CheckedTariff) => Violation[];
