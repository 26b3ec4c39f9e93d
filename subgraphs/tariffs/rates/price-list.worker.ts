import { move, transferableSymbol, valueSymbol } from 'piscina';
import { type WrittenField, listWriter } from '../../server/graph/list-writer';
import { appendedPricesFrom } from '../appended-prices/appended-price';
import type { TariffScheduleEntry } from '../catalogue/tariff';
import { SERIES } from './prices';
import type { PricedTariff } from './rate-intervals';

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

/** Prices as JSON in UTF-8, and their number. */
export interface PriceList {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** Characters that are encoded at a time: a text that is soon free costs the garbage collector less than one of a year. */
const CHUNK_LENGTH = 32_768;

/**
 * Computes prices and writes them as JSON. Runs in the thread of `PriceSeries`, to which it returns a {@link PriceList}, whose bytes are
 * transferred; undefined if there are more prices than the maximum.
 */
export function priceList(request: PriceListRequest): unknown {
  const list = writtenPrices(request);
  return list && move({ [transferableSymbol]: list.bytes.buffer, [valueSymbol]: list });
}

/** The tariff of the latest request with the JSON from which it was read: successive requests often read parts of one year. */
let latest: { readonly json: string; readonly tariff: PricedTariff } | undefined;

function pricedTariff({ tariff, ratesJson }: PriceListRequest): PricedTariff {
  const json = JSON.stringify(tariff) + ratesJson;
  if (latest?.json !== json)
    latest = { json, tariff: { ...tariff, rates: JSON.parse(ratesJson) as TariffScheduleEntry[] } };
  return latest.tariff;
}

function writtenPrices(request: PriceListRequest): PriceList | undefined {
  const { series, appendedJson, from, to, fields, maxPrices } = request;
  const priced = pricedTariff(request);
  const write = listWriter(fields);
  const encoder = new TextEncoder();
  const chunks: Uint8Array[] = [];
  let count = 0;
  let text = '[';
  for (const price of SERIES[series](priced, from, to, appendedPricesFrom(appendedJson))) {
    if (count === maxPrices) return undefined;
    text += count === 0 ? write(price) : `,${write(price)}`;
    count += 1;
    if (text.length > CHUNK_LENGTH) {
      chunks.push(encoder.encode(text));
      text = '';
    }
  }
  chunks.push(encoder.encode(`${text}]`));
  return { count, bytes: joined(chunks) };
}

/** Joins bytes in an `ArrayBuffer` of their own, which can be transferred. `Buffer.concat` may use one that is shared. */
function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
