import type { HourlyRate, RateEntryPlace, Tariff } from '../catalogue/tariff';
import { type UnitPrices, unitPricesOf } from './money';

/** The price of a tier, decimal strings in pounds per kWh. */
export interface HalfHourPriceTier {
  /** kWh up to which it holds; null = unbounded. */
  readonly toKwh: string | null;
  /** Null if the price includes VAT and the tariff does not state the rate. */
  readonly unitPriceExcludingVat: string | null;
  readonly unitPriceIncludingVat: string;
}

/** The price that all instants of a window share: that of the first tier. In a gap prices and entry are null and there are no tiers. */
export interface WindowPrice {
  readonly unitPriceExcludingVat: string | null;
  readonly unitPriceIncludingVat: string | null;
  readonly tiers: readonly HalfHourPriceTier[];
  readonly entry: RateEntryPlace | null;
}

/** The price where no rate applies. */
export const GAP: WindowPrice = { unitPriceExcludingVat: null, unitPriceIncludingVat: null, tiers: [], entry: null };

/** Returns a function that computes the price of a window; it computes each distinct unit price once. */
export function windowPrices(
  vat: Pick<Tariff, 'vatIncluded' | 'vatRate'>,
): (window: Pick<HourlyRate, 'rate'>, entry: RateEntryPlace | null) => WindowPrice {
  const cache = new Map<string, UnitPrices>();
  const pricesOf = (unitPrice: string) => {
    const prices = cache.get(unitPrice) ?? unitPricesOf(unitPrice, vat);
    cache.set(unitPrice, prices);
    return prices;
  };
  return ({ rate }, entry) => {
    const tiers = rate.map(({ unitPrice, toKwh = null }): HalfHourPriceTier => {
      const { excludingVat, includingVat } = pricesOf(unitPrice);
      return { toKwh, unitPriceExcludingVat: excludingVat, unitPriceIncludingVat: includingVat };
    });
    const { unitPriceExcludingVat, unitPriceIncludingVat } = tiers[0] ?? GAP;
    return { unitPriceExcludingVat, unitPriceIncludingVat, tiers, entry };
  };
}
