import Big from 'big.js';
import type { Violation } from '../../../schema/register-error';
import { type WithPath, invalid } from './rate-paths';
import type { HourlyRate } from '../catalogue/tariff';
import { priceViolations } from './money';
import type { PublicationRule } from '../catalogue/publication-rule';

/** Amounts in kWh; at most 15 digits, so that a JSON number represents them exactly. */
const KWH_PATTERN = /^\d{1,9}(\.\d{1,6})?$/;

const NOTHING = new Big(0);

/** Validates the tiers of each window: prices match the pattern, amounts ascend, and exactly the last tier is unbounded. */
export const rateTiers: PublicationRule = ({ windows }) =>
  windows.flatMap((window) => [
    ...window.part.rate.flatMap(({ unitPrice }, index) =>
      priceViolations(unitPrice, window.path, 'rate', index, 'unitPrice'),
    ),
    ...amountViolations(window),
  ]);

function amountViolations({ part: { rate }, path }: WithPath<HourlyRate>): Violation[] {
  let before = NOTHING;
  return rate.flatMap(({ toKwh = null }, index): Violation[] => {
    const at = () => [...path, 'rate', index, 'toKwh'];
    const isLast = index === rate.length - 1;
    if (toKwh === null) return isLast ? [] : [invalid(at(), 'is required: only the last tier is unbounded')];
    if (isLast) return [invalid(at(), 'must be null: the last tier is unbounded')];
    if (!KWH_PATTERN.test(toKwh)) return [{ code: 'VAL001', path: at(), message: `must match ${KWH_PATTERN.source}` }];
    const isMore = before.lt(toKwh);
    const message = index === 0 ? 'must be more than 0' : 'must be more than that of the tiers before';
    if (isMore) before = new Big(toKwh);
    return isMore ? [] : [invalid(at(), message)];
  });
}
