import Big from 'big.js';
import { UNIT_PRICE_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import type { Tariff } from '../catalogue/tariff';

/** Maximum characters of a price. It bounds the cost of decimal arithmetic. */
const MAX_PRICE_LENGTH = 20;

/** Validates a decimal string in pounds (specification, Interface D: `unit_price`, `standing_charge`): VAL001 pattern, VAL003 length. */
export function priceViolations(price: string, path: Violation['path']): Violation[] {
  if (price.length > MAX_PRICE_LENGTH)
    return [{ code: 'VAL003', path, message: `must have at most ${MAX_PRICE_LENGTH} characters` }];
  if (UNIT_PRICE_PATTERN.test(price)) return [];
  return [{ code: 'VAL001', path, message: `must match ${UNIT_PRICE_PATTERN.source}` }];
}

/** Pounds per kWh, decimal strings with at least two decimal places. */
export interface UnitPrices {
  /** Null if the price includes VAT and the tariff does not state the rate. */
  readonly excludingVat: string | null;
  readonly includingVat: string;
}

/** Division rounds half-even to seven decimal places: the product of a price (five places) and a percentage (two) has as many. */
const Decimal = Big();
Decimal.DP = 7;
Decimal.RM = Big.roundHalfEven;

/**
 * Returns a unit price with and without VAT. The published price stays as written. The other is including = excluding × (1 + vat/100),
 * exact, or excluding = including ÷ (1 + vat/100), rounded half-even to seven places.
 */
export function unitPricesOf(
  unitPrice: string,
  { vatIncluded, vatRate }: Pick<Tariff, 'vatIncluded' | 'vatRate'>,
): UnitPrices {
  if (vatIncluded) {
    const excludingVat = vatRate === null ? null : formatPrice(new Decimal(unitPrice).div(vatFactor(vatRate)));
    return { excludingVat, includingVat: unitPrice };
  }
  if (vatRate === null) throw new Error('a tariff whose prices exclude VAT has a rate of VAT');
  return { excludingVat: unitPrice, includingVat: formatPrice(new Decimal(unitPrice).times(vatFactor(vatRate))) };
}

function vatFactor(vatRate: number): Big {
  return new Decimal(vatRate).plus(100).times('0.01');
}

function formatPrice(price: Big): string {
  const text = price.toFixed();
  const places = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
  return places < 2 ? price.toFixed(2) : text;
}
