import type { Registry } from 'prom-client';
import { type Database, openDatabase } from '../server/database';
import { type DatabaseAddress, databaseAddress } from '../server/database-login';
import { RENEW_AT_CONNECT } from '../server/event-era';
import type { NamedKeys } from '../server/key-check';
import { keyedHash } from '../server/keyed-hash';
import { migrate } from '../server/migrate';
import { rateLimit } from '../server/rate-limits';
import { registerClock } from '../server/register-clock';
import { type RunningSubgraph, type SubgraphOptions, answers } from '../server/running-subgraph';
import { localLink } from '../server/subgraph-link';
import type { SubgraphSchema } from '../server/subgraph-schema';
import { consumerArea } from './consumers/consumers';
import { contactVault } from './database/contact-vault';
import { mpxnVault } from './database/mpxn-vault';
import { tariffTables } from './database/tables';
import { startEventArea } from './event-area';
import type { Area, Foundation, References, TariffKeys } from './foundation';
import { registerArea } from './register-area';
import { tariffSchema } from './schema';

/** What `tariffs` is started with. */
export interface TariffOptions extends SubgraphOptions {
  readonly keys: TariffKeys;
  /** Whether webhooks may be delivered to this machine: in development only. */
  readonly webhookAllowLoopback: boolean;
  /** Where deliveries are counted, and how late events are told. */
  readonly metrics?: Registry | undefined;
}

/** Where `tariffs` keeps its data. */
export function tariffsAddress(databaseUrl: string, { hashKey }: Pick<TariffKeys, 'hashKey'>): DatabaseAddress {
  return databaseAddress(databaseUrl, 'tariffs', hashKey);
}

/** The keys of `tariffs` by their variables, as the database checks them. */
export function namedTariffKeys({ hashKey, indexKey, encryptionKey }: TariffKeys): NamedKeys {
  return { TARIFFS_HASH_KEY: hashKey, TARIFFS_INDEX_KEY: indexKey, TARIFFS_ENCRYPTION_KEY: encryptionKey };
}

/** Starts the subgraph `tariffs`: suppliers, RTI Users, tariffs, consents and events of Interface D. */
export async function startTariffs(options: TariffOptions): Promise<RunningSubgraph & SubgraphSchema> {
  const { databaseUrl, keys, logger, clockOffsetSeconds } = options;
  const address = tariffsAddress(databaseUrl, keys);
  await migrate(address, tariffTables, clockOffsetSeconds !== undefined, namedTariffKeys(keys));
  const foundation = foundationOf(await openDatabase(address, [], RENEW_AT_CONNECT), options);
  const { database, limits, rateLimits } = foundation;
  const consumers = consumerArea(foundation, {
    requests: rateLimit(rateLimits, 'consumer-requests', limits.requests, 60),
    refusals: rateLimit(rateLimits, 'refused-tokens', limits.failedSignIns, 60),
  });
  const areas: Area[] = [
    registerArea(foundation, rateLimit(rateLimits, 'public-lookups', limits.publicLookups, 60)),
    consumers,
    await startEventArea(foundation, address),
  ];
  const schema = await tariffSchema({
    resolvers: areas.flatMap(({ resolvers }) => resolvers),
    references: Object.assign({}, ...areas.map(({ references }) => references)) as References,
  });
  return {
    ...schema,
    link: localLink('tariffs', schema.schema, logger),
    ready: () => answers(database),
    foreignCaller: consumers.foreignCaller,
    close: async () => {
      await Promise.all(areas.map((area) => area.stop?.()));
      await database.close();
    },
  };
}

function foundationOf(database: Database, options: TariffOptions): Foundation {
  const { keys, limits, rateLimitsOff, logger, production, webhookAllowLoopback, metrics } = options;
  return {
    database,
    keys,
    mpxns: mpxnVault(keys),
    contacts: contactVault(keys.encryptionKey),
    clock: registerClock(database),
    rateLimits: {
      pool: database.pool,
      schema: 'tariffs',
      hash: keyedHash(keys.hashKey, 'rate-limit'),
      off: rateLimitsOff,
    },
    limits,
    logger,
    production,
    allowLoopback: webhookAllowLoopback && !production,
    metrics,
  };
}
