import Big from 'big.js';
import type { Violation } from '../../../schema/register-error';
import type { PublicationRule } from './publication-rules';
import { type Placed, invalid, tiersOf, windowsOf } from './rate-places';
import type { HourlyRate } from './tariff';
import { priceFaults } from './unit-price';

/** Amounts in kWh: few enough digits that they stay exact as a JSON number. */
const KWH_PATTERN = /^\d{1,9}(\.\d{1,6})?$/;

/** Tiers that one window may have. */
const MOST_TIERS = 20;

/** Tiers of a window: prices of the pattern, amounts that ascend, and the last one, no other, unbounded. */
export const rateTiers: PublicationRule = (tariff) =>
  windowsOf(tariff).flatMap((window) => [
    ...(window.part.rate.length > MOST_TIERS
      ? [invalid([...window.path, 'rate'], `must have at most ${MOST_TIERS} entries`)]
      : []),
    ...tiersOf(window).flatMap(({ part, path }) => priceFaults(part.unitPrice, [...path, 'unitPrice'])),
    ...amountsFaults(window),
  ]);

function amountsFaults(window: Placed<HourlyRate>): Violation[] {
  let before = new Big(0);
  return tiersOf(window).flatMap(({ part, path }, index, tiers): Violation[] => {
    const at = [...path, 'toKwh'];
    const isLast = index === tiers.length - 1;
    const { toKwh = null } = part;
    if (toKwh === null) return isLast ? [] : [invalid(at, 'is required: only the last tier is unbounded')];
    if (isLast) return [invalid(at, 'must be null: the last tier is unbounded')];
    if (!KWH_PATTERN.test(toKwh)) return [{ code: 'VAL001', path: at, message: `must match ${KWH_PATTERN.source}` }];
    const isMore = before.lt(toKwh);
    const fault = index === 0 ? 'must be more than 0' : 'must be more than that of the tiers before';
    if (isMore) before = new Big(toKwh);
    return isMore ? [] : [invalid(at, fault)];
  });
}
