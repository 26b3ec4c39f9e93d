import type { Database } from '../../server/database';
import { rowsByKey } from '../../server/rows-by-key';
import type { TariffScheduleEntry, TariffVersion } from '../domain/tariff';
import { PRESENT_VERSION, type StoredTariff, TARIFF_COLUMNS } from './stored-tariff';

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

const VERSIONS = {
  name: 'versions_of_tariffs',
  text: `select tariff_id as "tariffId", version, name, description, comments, percentage_green as "percentageGreen",
      published_at as "publishedAt"
    from tariff_version where tariff_id = any($1::text[]) order by version desc`,
};

interface StoredRates {
  readonly tariffId: string;
  readonly rates: TariffScheduleEntry[];
}

type StoredVersion = TariffVersion & { readonly tariffId: string };

/** Single tariffs and what belongs to them; those that are asked for together are read together. */
export class TariffFacts {
  private readonly rowOf: (tariffId: string) => Promise<StoredTariff | undefined>;
  private readonly replacementOf: (tariffId: string) => Promise<StoredTariff | undefined>;
  private readonly ratesOf: (tariffId: string) => Promise<readonly StoredRates[]>;
  /** Every version of a tariff, the present one first. */
  readonly versions: (tariffId: string) => Promise<readonly TariffVersion[]>;

  constructor({ reads }: Pick<Database, 'reads'>) {
    this.rowOf = reads.byKey(BY_ID, (row: StoredTariff) => row.tariffId, String);
    this.replacementOf = reads.byKey(REPLACEMENTS, ({ replaces }: StoredTariff) => String(replaces), String);
    this.ratesOf = rowsByKey(reads, RATES, ({ tariffId }: StoredRates) => [tariffId] as const);
    this.versions = rowsByKey(reads, VERSIONS, ({ tariffId }: StoredVersion) => [tariffId] as const);
  }

  /** A tariff by its identifier. */
  async byId(tariffId: string): Promise<StoredTariff | null> {
    return (await this.rowOf(tariffId)) ?? null;
  }

  /** The tariff that replaces another, whether or not it has taken effect. */
  async replacing(tariffId: string): Promise<StoredTariff | null> {
    return (await this.replacementOf(tariffId)) ?? null;
  }

  /** What a tariff costs when. */
  async rates(tariffId: string): Promise<TariffScheduleEntry[]> {
    return (await this.ratesOf(tariffId))[0]?.rates ?? [];
  }
}
