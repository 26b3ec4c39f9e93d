import { move, transferableSymbol, valueSymbol } from 'piscina';
import { type WrittenField, listWriter } from '../../server/graph/list-writer';
import { appendedPricesFrom } from '../appended-prices/appended-price';
import type { TariffScheduleEntry } from '../catalogue/tariff';
import { halfHourPrices, intervalPrices } from './prices';
import type { PricedTariff } from './rate-intervals';

/** Series of prices by the field of `Tariff` that returns them. */
export const SERIES = { prices: halfHourPrices, priceIntervals: intervalPrices } as const;

/** The prices that a thread computes. It parses the JSON, because parsing a year of prices blocks a thread for some 15 ms. */
export interface PriceListRequest {
  readonly series: keyof typeof SERIES;
  readonly tariff: Omit<PricedTariff, 'rates'>;
  /** Rates as they are stored. */
  readonly ratesJson: string;
  /** As of {@link appendedPricesFrom}. */
  readonly appendedJson: string;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly fields: readonly WrittenField[];
  readonly maxPrices: number;
}

/** Prices as JSON in UTF-8, and their number; without bytes if there are more than the maximum. */
export interface PriceList {
  readonly count: number;
  readonly bytes: Uint8Array | undefined;
}

/** Computes prices and writes them as JSON. Runs in a thread of {@link PriceSeries}, to which its bytes are transferred. */
export function priceList(request: PriceListRequest): unknown {
  const list = writtenPrices(request);
  return list.bytes === undefined ? list : move({ [transferableSymbol]: list.bytes.buffer, [valueSymbol]: list });
}

function writtenPrices(request: PriceListRequest): PriceList {
  const { series, tariff, ratesJson, appendedJson, from, to, fields, maxPrices } = request;
  const priced = { ...tariff, rates: JSON.parse(ratesJson) as TariffScheduleEntry[] };
  const write = listWriter(fields);
  const texts: string[] = [];
  for (const price of SERIES[series](priced, from, to, appendedPricesFrom(appendedJson))) {
    if (texts.length === maxPrices) return { count: texts.length + 1, bytes: undefined };
    texts.push(write(price));
  }
  return { count: texts.length, bytes: new TextEncoder().encode(`[${texts.join(',')}]`) };
}
