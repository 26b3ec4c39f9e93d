import type { Violation } from '../../../schema/register-error';
import type { Tariff } from '../catalogue/tariff';
import { HALF_HOUR_MS } from '../rates/half-hours';
import { priceViolations } from '../rates/money';
import { invalid } from '../rates/rate-paths';
import type { RateInterval } from '../rates/rate-intervals';
import { windowPrices } from '../rates/window-prices';

/** The price of a half-hour that a supplier appends to a dynamic tariff (decisions C/D, D.2). */
export interface AppendedPrice {
  /** Start of the half-hour. */
  readonly from: Date;
  /** Decimal string, pounds per kWh. */
  readonly unitPrice: string;
}

/** Maximum prices of a call: the half-hours of the longest day. */
const MAX_PRICES = 50;

/** Validates the form of appended prices: 1 to 50, each on a whole half-hour of its own. */
export function appendedPriceViolations(prices: readonly AppendedPrice[]): Violation[] {
  if (prices.length === 0 || prices.length > MAX_PRICES)
    return [invalid(['prices'], `must have 1 to ${MAX_PRICES} entries`)];
  const starts = new Set<number>();
  return prices.flatMap(({ from, unitPrice }, index) => {
    const [path, start] = [['prices', index, 'from'], from.getTime()];
    const isRepeated = starts.has(start);
    starts.add(start);
    return [
      ...(start % HALF_HOUR_MS === 0 ? [] : [invalid(path, 'must be on a whole half-hour')]),
      ...(isRepeated ? [invalid(path, 'must not be named twice')] : []),
      ...priceViolations(unitPrice, ['prices', index, 'unitPrice']),
    ];
  });
}

/** Validates that prices belong to a dynamic tariff and to its validity (VAL003). */
export function appendingViolations(
  { tariffType, validFrom, validTo }: Pick<Tariff, 'tariffType' | 'validFrom' | 'validTo'>,
  prices: readonly AppendedPrice[],
): Violation[] {
  if (tariffType !== 'dynamic') return [invalid(['tariffId'], 'is a static tariff: its prices never change')];
  return prices.flatMap(({ from }, index) => {
    const isWithin = from.getTime() + HALF_HOUR_MS > validFrom.getTime() && (validTo === null || from < validTo);
    return isWithin ? [] : [invalid(['prices', index, 'from'], 'is outside the validity of the tariff')];
  });
}

/** Returns the appended prices of a JSON list `[[from, unitPrice], …]`, which ascends; `from` in milliseconds since 1970. */
export function appendedPricesFrom(json: string): AppendedPrice[] {
  const prices = JSON.parse(json) as readonly (readonly [from: number, unitPrice: string])[];
  return prices.map(([from, unitPrice]) => ({ from: new Date(from), unitPrice }));
}

/** Replaces the rates of a series by appended prices during their half-hours. Both ascend. */
export function* withAppendedPrices(
  series: Iterable<RateInterval>,
  appended: readonly AppendedPrice[],
  vat: Pick<Tariff, 'vatIncluded' | 'vatRate'>,
): Generator<RateInterval, void> {
  const priceOf = windowPrices(vat);
  let next = 0;
  for (const interval of series) {
    let at = interval.from;
    for (; next < appended.length; next += 1) {
      const { from, unitPrice } = appended[next] as AppendedPrice;
      const [start, end] = [Math.max(from.getTime(), at), Math.min(from.getTime() + HALF_HOUR_MS, interval.to)];
      if (start >= interval.to) break;
      if (end <= at) continue;
      if (start > at) yield { ...interval, from: at, to: start };
      yield { from: start, to: end, price: priceOf({ rate: [{ unitPrice, toKwh: null }] }, null) };
      at = end;
      // The rest of the half-hour belongs to the next interval.
      if (end < from.getTime() + HALF_HOUR_MS) break;
    }
    if (at < interval.to) yield { ...interval, from: at };
  }
}
