import Big from 'big.js';
import type { Tariff } from './tariff';

/** Pounds per kWh, decimal strings with at least two decimal places. */
export interface UnitPrices {
  /** null when the price includes VAT at a rate that is not told. */
  readonly excludingVat: string | null;
  readonly includingVat: string;
}

/** Divides to seven decimal places, half-even: what five places of a price and two of a percentage make exact, read backwards. */
const Decimal = Big();
Decimal.DP = 7;
Decimal.RM = Big.roundHalfEven;

/**
 * A unit price with and without VAT. The one that was published stands as it was; the other is including = excluding × (1 + vat/100), exact,
 * or excluding = including ÷ (1 + vat/100), rounded half-even to seven places.
 */
export function unitPricesOf(
  unitPrice: string,
  { vatIncluded, vatRate }: Pick<Tariff, 'vatIncluded' | 'vatRate'>,
): UnitPrices {
  if (vatIncluded) {
    const excludingVat = vatRate === null ? null : told(new Decimal(unitPrice).div(factor(vatRate)));
    return { excludingVat, includingVat: unitPrice };
  }
  if (vatRate === null) throw new Error('a tariff whose prices exclude VAT has a rate of VAT');
  return { excludingVat: unitPrice, includingVat: told(new Decimal(unitPrice).times(factor(vatRate))) };
}

function factor(vatRate: number): Big {
  return new Decimal(vatRate).plus(100).times('0.01');
}

function told(price: Big): string {
  const text = price.toFixed();
  const places = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
  return places < 2 ? price.toFixed(2) : text;
}
