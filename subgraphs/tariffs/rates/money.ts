import { UNIT_PRICE_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import type { Tariff } from '../catalogue/tariff';

/** Maximum characters of a price. It bounds the cost of decimal arithmetic. */
const MAX_PRICE_LENGTH = 20;

/**
 * Validates a decimal string in pounds (specification, Interface D: `unit_price`, `standing_charge`): VAL001 pattern, VAL003 length.
 *
 * @param within the path of the part of the tariff that contains the price; `steps` lead from there to the price
 */
export function priceViolations(price: string, within: Violation['path'], ...steps: Violation['path']): Violation[] {
  if (price.length > MAX_PRICE_LENGTH)
    return [
      { code: 'VAL003', path: [...within, ...steps], message: `must have at most ${MAX_PRICE_LENGTH} characters` },
    ];
  if (UNIT_PRICE_PATTERN.test(price)) return [];
  return [{ code: 'VAL001', path: [...within, ...steps], message: `must match ${UNIT_PRICE_PATTERN.source}` }];
}

/** Pounds per kWh, decimal strings with at least two decimal places. */
export interface UnitPrices {
  /** Null if the price includes VAT and the tariff does not state the rate. */
  readonly excludingVat: string | null;
  readonly includingVat: string;
}

/** Decimal places of a computed price: the product of a price (five places) and a percentage (two) has as many. */
const PLACES = 7;

/**
 * Returns a unit price with and without VAT. The published price stays as written. The other is including = excluding × (1 + vat/100),
 * exact, or excluding = including ÷ (1 + vat/100), rounded half-even to seven places. A year has 17,568 prices: in integers they take a
 * quarter of the time that big.js takes.
 */
export function unitPricesOf(
  unitPrice: string,
  { vatIncluded, vatRate }: Pick<Tariff, 'vatIncluded' | 'vatRate'>,
): UnitPrices {
  if (vatIncluded) {
    const excludingVat = vatRate === null ? null : formatPrice(quotient(unitsOf(unitPrice) * 100n, percentOf(vatRate)));
    return { excludingVat, includingVat: unitPrice };
  }
  if (vatRate === null) throw new Error('a tariff whose prices exclude VAT has a rate of VAT');
  const includingVat = formatPrice(quotient(unitsOf(unitPrice) * percentOf(vatRate), 100n));
  return { excludingVat: unitPrice, includingVat };
}

/** Returns the price with VAT as a percentage of the price without. */
function percentOf(vatRate: number): bigint {
  return BigInt(100 + vatRate);
}

/** Returns a decimal string in units of its last possible place. */
function unitsOf(price: string): bigint {
  const point = price.indexOf('.'); // `split` would take a tenth of the time of a year of prices
  const pounds = point === -1 ? price : price.slice(0, point);
  return BigInt(pounds + price.slice(pounds.length + 1).padEnd(PLACES, '0'));
}

/** Divides natural numbers, and rounds half-even. */
function quotient(dividend: bigint, divisor: bigint): bigint {
  const whole = dividend / divisor;
  const twice = 2n * (dividend % divisor);
  return twice > divisor || (twice === divisor && whole % 2n === 1n) ? whole + 1n : whole;
}

/** Formats units as a decimal string without trailing zeros, but with at least two places. */
function formatPrice(units: bigint): string {
  const digits = units.toString().padStart(PLACES + 1, '0');
  const places = digits.slice(-PLACES).replace(/0{1,5}$/, '');
  return `${digits.slice(0, -PLACES)}.${places}`;
}
