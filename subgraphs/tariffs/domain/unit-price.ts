import { UNIT_PRICE_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';

/** Characters of a price: no sum of money needs more, and arithmetic stays quick. */
const LONGEST = 20;

/** What is wrong with a decimal string in pounds (1-specification.md, Interface D: `unit_price`, `standing_charge`). */
export function priceFaults(price: string, path: Violation['path']): Violation[] {
  if (price.length > LONGEST) return [{ code: 'VAL003', path, message: `must have at most ${LONGEST} characters` }];
  if (UNIT_PRICE_PATTERN.test(price)) return [];
  return [{ code: 'VAL001', path, message: `must match ${UNIT_PRICE_PATTERN.source}` }];
}
