import { setImmediate } from 'node:timers/promises';
import type { Violation } from '../../../schema/register-error';
import { type DaySuccessions, daySuccessions } from '../rates/day-successions';
import { hourWindows } from '../rates/hour-windows';
import { overnightWindows } from '../rates/overnight-windows';
import { rateBounds } from '../rates/rate-bounds';
import { rateGaps, unreachedRates } from '../rates/rate-gaps';
import { ratePartsOf } from '../rates/rate-paths';
import { rateTiers } from '../rates/rate-tiers';
import { scheduleDays } from '../rates/schedule-days';
import type { TariffInput } from './tariff';
import { tariffFields } from './tariff-fields';
import type { CheckedTariff, PublicationRule } from './publication-rule';

/** The rules for publishing a tariff (decisions C/D, D.2), in order: its fields, then its rates tree from the entries down to the tiers. */
const publicationRules: readonly PublicationRule[] = [
  tariffFields,
  scheduleDays,
  hourWindows,
  overnightWindows,
  rateTiers,
  unreachedRates,
  rateGaps,
];

/**
 * Returns the violations of all rules, at most one for each path: VAL001 patterns, VAL002 missing fields, VAL003 everything else. If lists of
 * the rates are too long, only these are reported: the time of the other rules is limited by the lengths. An event-loop tick precedes each
 * rule: for a year of half-hourly prices a rule takes some milliseconds. If there are violations, those that depend on stored tariffs follow,
 * so that the caller reads all at once.
 */
export async function publicationViolations(
  tariff: TariffInput,
  ofStoredTariffs: () => Promise<readonly Violation[]>,
): Promise<Violation[]> {
  const checked = checkedTariff(tariff);
  const tooLong = rateBounds(checked);
  if (tooLong.length > 0) return tooLong;
  const ofRules: Violation[][] = [];
  for (const rule of publicationRules) {
    await setImmediate();
    ofRules.push(rule(checked));
  }
  const violations = ofRules.flat();
  return violations.length === 0 ? [] : onePerPath([...violations, ...(await ofStoredTariffs())]);
}

function checkedTariff(tariff: TariffInput): CheckedTariff {
  let successions: DaySuccessions | undefined;
  return { tariff, ...ratePartsOf(tariff), successions: () => (successions ??= daySuccessions(tariff)) };
}

function onePerPath(violations: readonly Violation[]): Violation[] {
  const reported = new Set<string>();
  return violations.filter(({ path }) => {
    const field = path.join('.');
    return !reported.has(field) && reported.add(field);
  });
}
