import { setImmediate } from 'node:timers/promises';
import type { Violation } from '../../../schema/register-error';
import { hourWindows } from '../rates/hour-windows';
import { overnightWindows } from '../rates/overnight-windows';
import { rateBounds } from '../rates/rate-bounds';
import { rateGaps, unreachedRates } from '../rates/rate-gaps';
import { rateTiers } from '../rates/rate-tiers';
import { scheduleDays } from '../rates/schedule-days';
import type { TariffInput } from './tariff';
import { tariffFields } from './tariff-fields';
import type { PublicationRule } from './publication-rule';

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
 * the rates are too long, only these are reported: the time of the other rules is limited by the lengths.
 */
export function publicationViolations(tariff: TariffInput): Violation[] {
  const tooLong = rateBounds(tariff);
  return tooLong.length > 0 ? tooLong : onePerPath(publicationRules.flatMap((rule) => rule(tariff)));
}

/**
 * Returns what {@link publicationViolations} returns, with an event-loop tick before each rule: for a year of half-hourly prices a rule takes
 * some milliseconds. If there are some, those that depend on stored tariffs follow, so that the caller reads all at once.
 */
export async function allPublicationViolations(
  tariff: TariffInput,
  ofStoredTariffs: () => Promise<readonly Violation[]>,
): Promise<Violation[]> {
  const tooLong = rateBounds(tariff);
  if (tooLong.length > 0) return tooLong;
  const ofRules: Violation[][] = [];
  for (const rule of publicationRules) {
    await setImmediate();
    ofRules.push(rule(tariff));
  }
  const violations = ofRules.flat();
  return violations.length === 0 ? [] : onePerPath([...violations, ...(await ofStoredTariffs())]);
}

function onePerPath(violations: readonly Violation[]): Violation[] {
  const reported = new Set<string>();
  return violations.filter(({ path }) => {
    const field = path.join('.');
    return !reported.has(field) && reported.add(field);
  });
}
