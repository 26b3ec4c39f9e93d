import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';
import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../../server/callers/caller';
import { inSlices } from '../../server/in-slices';
import { errorFields } from '../../server/observability/failures';
import { JsonText } from '../../server/graph/json-text';
import type { PriceList, PriceListRequest } from './price-list.worker';
import type { IntervalPrice } from './prices';

/** Prices that one request may read over all its tariffs: more than a year of half-hours of one tariff, or four days of each of 100. */
const MAX_PRICES = 20_000;

/**
 * Maximum prices of a response that graphql-js completes field by field (mutations, operations with `@skip` or `@include`): more than
 * three months of half-hours, or a day of each of 100 tariffs. A year would block the event loop for half a second.
 */
const MAX_COMPLETED_PRICES = 5_000;

/** Bounds of the cache of texts: a year of half-hours has up to five million bytes. */
const TEXT_CACHE = { maxSize: 24_000_000, ttl: 10 * 60 * 1_000 } as const;

/**
 * The thread that computes texts. It ends after a minute without work, and the scheduler prefers the event loop's thread by the nice value
 * (Linux).
 */
const THREAD = {
  filename: require.resolve('./price-list.worker'),
  name: 'priceList',
  minThreads: 0,
  maxThreads: 1,
  idleTimeout: 60_000,
  niceIncrement: 10,
} as const;

/** Requests that may wait for the thread: computed one after another, a hundred years of half-hours would exceed the time of an operation. */
const MAX_QUEUED = 100;

/** A pool of at most one thread. */
type ThreadPool = Piscina<PriceListRequest, PriceList | undefined>;

/** A text that was computed, or is being computed for the first of several requests, and its prices. */
interface WrittenSeries {
  readonly text: JsonText;
  readonly count: number;
}

const requestedPrices = new WeakMap<CallContext, number>();

/** The latest series that each request computes. */
const latestSeries = new WeakMap<CallContext, Promise<unknown>>();

/** Computes series of prices so that other requests do not wait for them: texts in a separate thread, and caches them; values in slices. */
export class PriceSeries {
  private pool: ThreadPool;
  private readonly cached = new LRUCache<string, WrittenSeries>({
    ...TEXT_CACHE,
    sizeCalculation: ({ text }) => text.bytes.length,
  });
  private readonly underWay = new Map<string, Promise<WrittenSeries>>();

  constructor(private readonly logger: Logger) {
    this.pool = this.newPool();
  }

  /** Returns the prices of a series. VAL003 if a request reads more prices than allowed. */
  async values(context: CallContext, series: Iterable<IntervalPrice>): Promise<IntervalPrice[]> {
    const prices: IntervalPrice[] = [];
    await inSlices(series, (price) => {
      prices.push(price);
      addPrices(context, 1, MAX_COMPLETED_PRICES);
    });
    return prices;
  }

  /**
   * Returns the prices of a series as JSON text. Requests for the same series share one computation. Computes the series of a request one
   * after another: VAL003 if it reads more prices than allowed, after which it computes no further series.
   *
   * @param key identifies the series, its fields and its state
   */
  text(
    context: CallContext,
    key: string,
    requestOf: () => Promise<Omit<PriceListRequest, 'maxPrices'>>,
  ): Promise<JsonText> {
    const read = async () => {
      addPrices(context, 0, MAX_PRICES);
      const { text, count } = this.cached.get(key) ?? (await this.computed(key, requestOf));
      addPrices(context, count, MAX_PRICES);
      return text;
    };
    return this.cached.has(key) ? read() : afterLatestSeries(context, read);
  }

  /** Whether a text is cached or being computed. */
  has(key: string): boolean {
    return this.cached.has(key) || this.underWay.has(key);
  }

  /** Ends the thread; fails what it computes at present. */
  close(): Promise<void> {
    return this.pool.removeAllListeners('workerDestroy').destroy();
  }

  /** Returns a pool of one thread. Another pool replaces it when the thread ends, because Piscina would never end its queued requests. */
  private newPool(): ThreadPool {
    const pool: ThreadPool = new Piscina(THREAD);
    // Without a listener, a thread that cannot start would end the process.
    pool.on('error', (error: unknown) => this.report(error));
    return pool.once('workerDestroy', () => {
      this.pool = this.newPool();
      void pool.destroy();
    });
  }

  private report(error: unknown): void {
    this.logger.error({ failure: errorFields(error) }, 'thread of prices failed');
  }

  /** Runs a request in the thread. SYS002 if its queue is full, or if it cannot start or ends before the prices are computed. */
  private async inThread(request: PriceListRequest): Promise<PriceList | undefined> {
    const { pool } = this;
    if (pool.queueSize >= MAX_QUEUED) throw new RegisterError('SYS002');
    try {
      return await pool.run(request);
    } catch (error) {
      if (pool === this.pool) throw error;
      this.report(error);
      throw new RegisterError('SYS002');
    }
  }

  private computed(key: string, requestOf: () => Promise<Omit<PriceListRequest, 'maxPrices'>>): Promise<WrittenSeries> {
    const present = this.underWay.get(key);
    if (present !== undefined) return present;
    const computing = requestOf()
      .then((request) => this.inThread({ ...request, maxPrices: MAX_PRICES }))
      .then((list) => {
        if (list === undefined) throw tooManyPrices(MAX_PRICES);
        const series = { text: new JsonText(list.bytes), count: list.count };
        this.cached.set(key, series);
        return series;
      })
      .finally(() => this.underWay.delete(key));
    this.underWay.set(key, computing);
    return computing;
  }
}

/** Runs `read` after the series that the request computes at present, whether or not they fail. */
function afterLatestSeries(context: CallContext, read: () => Promise<JsonText>): Promise<JsonText> {
  const latest = latestSeries.get(context);
  const next = latest === undefined ? read() : latest.then(read, read);
  latestSeries.set(context, next);
  return next;
}

/** Throws VAL003 if the request reads more than `max` prices over all its tariffs. */
function addPrices(context: CallContext, count: number, max: number): void {
  const total = (requestedPrices.get(context) ?? 0) + count;
  requestedPrices.set(context, total);
  if (total > max) throw tooManyPrices(max);
}

function tooManyPrices(max: number): RegisterError {
  const more = max < MAX_PRICES ? `; a query without @skip and @include for ${MAX_PRICES}` : '';
  return new RegisterError('VAL003', `A request may ask for ${max} prices over all tariffs${more}`);
}
