import { LRUCache } from 'lru-cache';
import { isChecking } from '../../server/database/check-only';
import type { Database } from '../../server/database/database';
import { rowsByKey } from '../../server/database/rows-by-key';
import { MAX_REQUEST_BYTES, MAX_SHARED_BYTES, RequestedRates } from './rates-limits';
import { type PublishedTariff, type StoredTariff, publicationKey } from './stored-tariff';

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
  private readonly requested = new RequestedRates(MAX_REQUEST_BYTES, 'a list with boundRates ends its pages before');
  private readonly shared = new RequestedRates(MAX_SHARED_BYTES, 'a token with fewer meter points reads fewer');

  constructor({ reads }: Pick<Database, 'reads'>) {
    this.stored = rowsByKey(reads, RATES_SIZES, ({ tariffId }: RatesSize) => [tariffId] as const);
  }

  /**
   * Admits the rates of a tariff to a request, once; at once if their size is cached. Throws VAL003 if the request exceeds its
   * limit. Tariffs that apply to the consumer of the request have a limit of their own.
   */
  admit(request: object, tariff: PublishedTariff & Pick<StoredTariff, 'isShared'>): void | Promise<void> {
    const { tariffId } = tariff;
    const requested = tariff.isShared === true ? this.shared : this.requested;
    const key = publicationKey(tariff);
    const size = this.cached.get(key);
    if (size !== undefined) return requested.add(request, tariffId, size);
    return this.stored(tariffId).then(([rates]) => {
      if (rates !== undefined && !isChecking()) this.cached.set(key, rates.size);
      requested.add(request, tariffId, rates?.size ?? 0);
    });
  }
}
