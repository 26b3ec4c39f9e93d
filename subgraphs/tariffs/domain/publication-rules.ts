import type { Violation } from '../../../schema/register-error';
import { hourWindows } from './hour-windows';
import { rateGaps } from './rate-gaps';
import { rateTiers } from './rate-tiers';
import { scheduleDays } from './schedule-days';
import type { TariffInput } from './tariff';
import { tariffLimits } from './tariff-limits';
import { tariffPeriods } from './tariff-periods';
import { unreachedRates } from './unreached-rates';
import { vatOfTariff } from './vat-of-tariff';

/** One rule: every violation of it, with the path of the offending field. */
export type PublicationRule = (tariff: TariffInput) => Violation[];

/** What a tariff must be like to be published (3-decisions-c-d.md, D.2): its fields, then its rates tree from the outside inwards. */
export const publicationRules: readonly PublicationRule[] = [
  tariffLimits,
  vatOfTariff,
  tariffPeriods,
  scheduleDays,
  hourWindows,
  rateTiers,
  unreachedRates,
  rateGaps,
];

/** All violations of all rules, one for each path: VAL001 patterns, VAL002 what is missing, VAL003 everything else. */
export function publicationViolations(tariff: TariffInput): Violation[] {
  const seen = new Set<string>();
  return publicationRules
    .flatMap((rule) => rule(tariff))
    .filter(({ path }) => {
      const field = path.join('.');
      return !seen.has(field) && seen.add(field);
    });
}
