import { LRUCache } from 'lru-cache';
import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../../server/callers/caller';
import { inSlices } from '../../server/in-slices';
import { JsonText } from '../../server/graph/json-text';
import type { ListWriter } from '../../server/graph/list-writer';
import type { IntervalPrice } from './prices';

/** Prices that one request may read over all its tariffs: more than a year of half-hours of one tariff, or four days of each of 100. */
const MAX_PRICES = 20_000;

/**
 * Maximum prices of a response that graphql-js completes field by field (mutations, operations with `@skip` or `@include`): more than
 * three months of half-hours, or a day of each of 100 tariffs. A year would block the event loop for half a second.
 */
const MAX_COMPLETED_PRICES = 5_000;

/** Characters of a part of a text. */
const PART_LENGTH = 64 * 1024;

/** Bounds of the cache of texts: a year of half-hours has up to five million characters. */
const TEXT_CACHE = { maxSize: 24_000_000, ttl: 10 * 60 * 1_000 } as const;

/** A text that was computed, or is being computed for the first of several requests, and its prices. */
interface WrittenSeries {
  readonly text: JsonText;
  readonly count: number;
}

const requestedPrices = new WeakMap<CallContext, number>();

/** Computes series of prices in slices, so that other requests do not wait for them, and caches their texts. */
export class PriceSeries {
  private readonly cached = new LRUCache<string, WrittenSeries>({
    ...TEXT_CACHE,
    sizeCalculation: ({ text }) => Math.max(text.length, 1),
  });
  private readonly underWay = new Map<string, Promise<WrittenSeries>>();

  /** Returns the prices of a series. VAL003 if a request reads more prices than allowed. */
  async values(context: CallContext, series: Iterable<IntervalPrice>): Promise<IntervalPrice[]> {
    const prices: IntervalPrice[] = [];
    await passLimited(series, (price) => prices.push(price), MAX_COMPLETED_PRICES, context);
    return prices;
  }

  /**
   * Returns the prices of a series as JSON text. Requests for the same series share one computation. VAL003 if a request reads more prices
   * than allowed.
   *
   * @param key identifies the series, its fields and its state
   */
  async text(
    context: CallContext,
    key: string,
    seriesOf: () => Promise<Iterable<IntervalPrice>>,
    write: ListWriter,
  ): Promise<JsonText> {
    const cached = this.cached.get(key);
    const { text, count } = cached ?? (await this.computed(key, seriesOf, write));
    addPrices(context, count, MAX_PRICES);
    return text;
  }

  private computed(
    key: string,
    seriesOf: () => Promise<Iterable<IntervalPrice>>,
    write: ListWriter,
  ): Promise<WrittenSeries> {
    const present = this.underWay.get(key);
    if (present !== undefined) return present;
    const computing = seriesOf()
      .then((series) => written(series, write))
      .then((series) => {
        this.cached.set(key, series);
        return series;
      })
      .finally(() => this.underWay.delete(key));
    this.underWay.set(key, computing);
    return computing;
  }
}

async function written(series: Iterable<IntervalPrice>, write: ListWriter): Promise<WrittenSeries> {
  const parts: string[] = [];
  let [part, count] = ['', 0];
  await passLimited(
    series,
    (price) => {
      part += (count === 0 ? '[' : ',') + write(price);
      count += 1;
      if (part.length < PART_LENGTH) return;
      parts.push(flat(part));
      part = '';
    },
    MAX_PRICES,
  );
  return { text: new JsonText([...parts, flat(part), count === 0 ? '[]' : ']']), count };
}

/**
 * Returns a text as one piece of memory. V8 represents a concatenation as a tree, and joining trees takes ten times as
 * long.
 */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

/** Calls `pass` for each price. Throws VAL003 above `max` prices. */
async function passLimited(
  series: Iterable<IntervalPrice>,
  pass: (price: IntervalPrice) => void,
  max: number,
  context?: CallContext,
): Promise<void> {
  let count = 0;
  await inSlices(series, (price) => {
    pass(price);
    count += 1;
    if (context === undefined) requireAtMost(count, max);
    else addPrices(context, 1, max);
  });
}

function addPrices(context: CallContext, count: number, max: number): void {
  const total = (requestedPrices.get(context) ?? 0) + count;
  requestedPrices.set(context, total);
  requireAtMost(total, max);
}

function requireAtMost(count: number, max: number): void {
  if (count <= max) return;
  const more = max < MAX_PRICES ? `; a query without @skip and @include for ${MAX_PRICES}` : '';
  throw new RegisterError('VAL003', `A request may ask for ${max} prices over all tariffs${more}`);
}
