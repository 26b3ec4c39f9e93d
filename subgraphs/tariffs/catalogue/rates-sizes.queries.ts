import { LRUCache } from 'lru-cache';
import { RegisterError } from '../../../schema/register-error';
import { isChecking } from '../../server/database/check-only';
import type { Database } from '../../server/database/database';
import { rowsByKey } from '../../server/database/rows-by-key';

/**
 * Bytes of stored rates that one request may read over all its tariffs; one tariff may have more. Rates of several kilobytes are stored
 * compressed, to about a sixth. 100 usual tariffs need a fifth of it. Two with a price for each half-hour of the year exceed it: their
 * response would block the event loop.
 */
const MAX_RATES_SIZE = 384 * 1_024;

/** Does not read the rates: the size is that of their storage. */
export const RATES_SIZES = {
  name: 'sizes_of_rates',
  text: 'select tariff_id as "tariffId", pg_column_size(rates) as size from tariff_rates where tariff_id = any($1::text[])',
};

interface RatesSize {
  readonly tariffId: string;
  readonly size: number;
}

const CACHED_SIZES = 100_000;

/** Bounds the rates that one request reads. The table `tariff_rates` forbids updates, so that sizes are cached. */
export class RatesSizes {
  private readonly cached = new LRUCache<string, number>({ max: CACHED_SIZES });
  private readonly stored: (tariffId: string) => Promise<readonly RatesSize[]>;
  private readonly read = new WeakMap<object, { readonly tariffs: Set<string>; size: number }>();

  constructor({ reads }: Pick<Database, 'reads'>) {
    this.stored = rowsByKey(reads, RATES_SIZES, ({ tariffId }: RatesSize) => [tariffId] as const);
  }

  /** Admits the rates of a tariff to a request, once; at once if their size is cached. Throws VAL003 if they exceed {@link MAX_RATES_SIZE}. */
  admit(request: object, tariffId: string): void | Promise<void> {
    const size = this.cached.get(tariffId);
    if (size !== undefined) return this.add(request, tariffId, size);
    return this.stored(tariffId).then(([rates]) => {
      if (rates !== undefined && !isChecking()) this.cached.set(tariffId, rates.size);
      this.add(request, tariffId, rates?.size ?? 0);
    });
  }

  private add(request: object, tariffId: string, size: number): void {
    const read = this.read.get(request) ?? { tariffs: new Set<string>(), size: 0 };
    this.read.set(request, read);
    if (read.tariffs.has(tariffId)) return;
    if (read.tariffs.size > 0 && read.size + size > MAX_RATES_SIZE)
      throw new RegisterError(
        'VAL003',
        `A request may read rates of ${MAX_RATES_SIZE / 1_024} KiB of storage, or those of one tariff; tariffPage with boundRates ends its pages before`,
      );
    read.tariffs.add(tariffId);
    read.size += size;
  }
}
