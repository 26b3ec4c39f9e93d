import { LRUCache } from 'lru-cache';
import { isChecking } from '../../server/database/check-only';
import type { Database } from '../../server/database/database';
import { longReads, rowsByKey } from '../../server/database/rows-by-key';
import { type VersionReader, ofEachHistory, versionReader } from '../../server/lists/history';
import type { TariffScheduleEntry, TariffVersion } from './tariff';
import {
  type PublishedTariff,
  PRESENT_VERSION,
  type StoredTariff,
  TARIFF_COLUMNS,
  publicationKey,
} from './stored-tariff';

const BY_ID = {
  name: 'tariffs_by_id',
  text: `select ${TARIFF_COLUMNS} from tariff t join ${PRESENT_VERSION} where t.tariff_id = any($1::text[])`,
};

const REPLACEMENTS = {
  name: 'replacements_of_tariffs',
  text: `select ${TARIFF_COLUMNS} from tariff t join ${PRESENT_VERSION} where t.replaces = any($1::text[])`,
};

const RATES = {
  name: 'rates_of_tariffs',
  text: 'select tariff_id as "tariffId", rates from tariff_rates where tariff_id = any($1::text[])',
};

const RATES_JSON = {
  name: 'rates_of_tariffs_as_json',
  text: 'select tariff_id as "tariffId", rates::text as json from tariff_rates where tariff_id = any($1::text[])',
};

const VERSION = `select version as number, version, name, description, comments, percentage_green as "percentageGreen",
      published_at as "publishedAt"
    from tariff_version where tariff_id = requested.id`;

const VERSIONS = {
  name: 'tariff_versions',
  text: ofEachHistory(`${VERSION} and version > requested.after`, 'asc', 'text'),
};

const NEWEST_VERSIONS = {
  name: 'newest_tariff_versions',
  text: ofEachHistory(`${VERSION} and (requested.after = 0 or version < requested.after)`, 'desc', 'text'),
};

interface StoredRates {
  readonly tariffId: string;
  readonly rates: TariffScheduleEntry[];
}

interface RatesJson {
  readonly tariffId: string;
  readonly json: string;
}

/** Characters of JSON: parsed, all entries occupy about 50 MB. Longer rates than an entry may have are read each time. */
const RATES_CACHE = { maxSize: 20_000_000, maxEntrySize: 50_000 } as const;

/** Bytes: the rates of some ten tariffs with a price for each half-hour of the year, or of thousands of others. */
const JSON_CACHE = { maxSize: 16_000_000 } as const;

/**
 * Reads single tariffs, their rates, versions and replacements. Concurrent reads share a statement. Only rates are cached: the table
 * `tariff_rates` forbids updates and deletions. They have two caches: parsed, of usual rates, because a page of 100 whole tariffs would
 * otherwise parse all of them; and as texts, of any size, which the thread of prices parses.
 */
export class TariffQueries {
  private readonly rowOf: (tariffId: string) => Promise<StoredTariff | undefined>;
  private readonly replacementOf: (tariffId: string) => Promise<StoredTariff | undefined>;
  private readonly ratesOf: (tariffId: string) => Promise<readonly StoredRates[]>;
  private readonly sharedRatesOf: (tariffId: string) => Promise<readonly StoredRates[]>;
  private readonly jsonOf: (tariffId: string) => Promise<readonly RatesJson[]>;
  private readonly cachedRates = new LRUCache<string, TariffScheduleEntry[]>({
    ...RATES_CACHE,
    sizeCalculation: (rates) => JSON.stringify(rates).length,
  });
  private readonly cachedJson = new LRUCache<string, string>({
    ...JSON_CACHE,
    sizeCalculation: ({ length }) => length,
  });
  /** Returns a page of the versions of a tariff, oldest first by default. */
  readonly versions: VersionReader<TariffVersion>;

  constructor(database: Pick<Database, 'pool' | 'reads'>) {
    const { reads } = database;
    this.rowOf = reads.byKey(BY_ID, (row: StoredTariff) => row.tariffId, String);
    this.replacementOf = reads.byKey(REPLACEMENTS, ({ replaces }: StoredTariff) => String(replaces), String);
    const keyOf = ({ tariffId }: StoredRates) => [tariffId] as const;
    this.ratesOf = rowsByKey(reads, RATES, keyOf);
    this.sharedRatesOf = rowsByKey(longReads(database), RATES, keyOf);
    this.jsonOf = rowsByKey(longReads(database), RATES_JSON, ({ tariffId }: RatesJson) => [tariffId] as const);
    this.versions = versionReader(database, { oldestFirst: VERSIONS, newestFirst: NEWEST_VERSIONS });
  }

  /** Returns a tariff by its identifier; null if there is none. */
  async byId(tariffId: string): Promise<StoredTariff | null> {
    return (await this.rowOf(tariffId)) ?? null;
  }

  /** Returns the tariff that replaces another, whether or not it has taken effect; null if there is none. */
  async replacing(tariffId: string): Promise<StoredTariff | null> {
    return (await this.replacementOf(tariffId)) ?? null;
  }

  /** Returns the rates of a tariff. Those of a consumer's tariffs may be too large for the short reads. */
  rates(
    tariff: PublishedTariff & Pick<StoredTariff, 'isShared'>,
  ): TariffScheduleEntry[] | Promise<TariffScheduleEntry[]> {
    const cached = this.cachedRates.get(publicationKey(tariff));
    return cached ?? this.storedRates(tariff, tariff.isShared === true ? this.sharedRatesOf : this.ratesOf);
  }

  /** Returns the rates of a tariff as JSON: parsing those of a year blocks the event loop. */
  async ratesJson(tariff: PublishedTariff): Promise<string> {
    const key = publicationKey(tariff);
    const cached = this.cachedJson.get(key);
    if (cached !== undefined) return cached;
    const json = (await this.jsonOf(tariff.tariffId))[0]?.json;
    if (json !== undefined && !isChecking()) this.cachedJson.set(key, json);
    return json ?? '[]';
  }

  /** Does not cache what a check reads: its transaction may have inserted the tariff, and is rolled back. */
  private async storedRates(tariff: PublishedTariff, ratesOf: typeof this.ratesOf): Promise<TariffScheduleEntry[]> {
    const stored = (await ratesOf(tariff.tariffId))[0];
    if (stored === undefined) return [];
    if (!isChecking()) this.cachedRates.set(publicationKey(tariff), stored.rates);
    return stored.rates;
  }
}
