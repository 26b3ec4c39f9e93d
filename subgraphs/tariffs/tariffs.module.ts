import type { Registry } from 'prom-client';
import { type Database, openDatabase } from '../server/database/database';
import { databaseAddress } from '../server/database/database-login';
import { RENEW_AT_CONNECT } from '../server/event-log/event-era';
import type { NamedKeys } from '../server/database/key-check';
import { keyedHash } from '../server/keyed-hash';
import { prepare } from '../server/database/prepare';
import { rateLimit } from '../server/callers/rate-limits';
import { callbackUrlPolicy } from '../delivery/requests/callback-url';
import { registerClock } from '../server/database/register-clock';
import { type RunningSubgraph, type SubgraphOptions, isDatabaseReady } from '../server/graph/running-subgraph';
import { localLink } from '../server/graph/subgraph-link';
import { consumerModule } from './consumers/consumers.module';
import { TariffQueries } from './catalogue/tariff.queries';
import { RegisterEntryQueries } from './register-entries/register-entry.queries';
import { contactCipher } from './register-entries/rti-user';
import { RtiUserQueries } from './register-entries/rti-user.queries';
import { SUPPLIER } from './register-entries/supplier.queries';
import { mpxnCipher } from './occupancies/mpxn-cipher.repository';
import { tariffTables } from './tables.sql';
import { startEventModule } from './events/event.module';
import type { References, SubgraphModule, TariffDependencies } from './dependencies';
import { registerModule } from './register.module';
import { tariffSchema } from './schema';
import { PRICE_FIELDS } from './catalogue/tariff-prices.resolver';
import type { TariffKeys } from './keys';

/** Options of {@link startTariffs}. */
interface TariffOptions extends SubgraphOptions {
  readonly keys: TariffKeys;
  /** Whether webhooks may have loopback addresses: in development only. */
  readonly webhookAllowLoopback: boolean;
  /** Receives the metrics of deliveries and of the delay of events. */
  readonly metrics?: Registry | undefined;
}

/** Returns the keys of `tariffs` by their environment variables, for the key check of the database. */
export function namedTariffKeys({ hashKey, indexKey, encryptionKey }: TariffKeys): NamedKeys {
  return { TARIFFS_HASH_KEY: hashKey, TARIFFS_INDEX_KEY: indexKey, TARIFFS_ENCRYPTION_KEY: encryptionKey };
}

/** Starts the subgraph `tariffs`: suppliers, RTI Users, tariffs, consents and events of Interface D. */
export async function startTariffs(options: TariffOptions): Promise<RunningSubgraph> {
  const { databaseUrl, keys, logger, clockOffsetSeconds } = options;
  const address = databaseAddress(databaseUrl, 'tariffs', keys.hashKey, options);
  await prepare(address, tariffTables, clockOffsetSeconds !== undefined, namedTariffKeys(keys), logger);
  const dependencies = dependenciesOf(openDatabase(address, RENEW_AT_CONNECT), options);
  const { database, limits, rateLimits } = dependencies;
  const consumers = consumerModule(dependencies, {
    requests: rateLimit(rateLimits, 'consumer-requests', limits.requests, 60),
    rejections: rateLimit(rateLimits, 'refused-tokens', limits.failedSignIns, 60),
  });
  const modules: SubgraphModule[] = [
    registerModule(dependencies, rateLimit(rateLimits, 'public-lookups', limits.publicLookups, 60)),
    consumers,
    await startEventModule(dependencies, address),
  ];
  const { schema } = await tariffSchema({
    resolvers: modules.flatMap(({ resolvers }) => resolvers),
    references: Object.assign({}, ...modules.map(({ references }) => references)) as References,
  });
  return {
    link: localLink('tariffs', schema, logger, database.pool, PRICE_FIELDS),
    ready: () => isDatabaseReady(database),
    foreignCaller: consumers.foreignCaller,
    endWork: async (forced) => void (await Promise.all(modules.map((module) => module.endWork?.(forced)))),
    close: async (forced) => {
      await Promise.all(modules.map((module) => module.stop?.(forced)));
      await database.close();
    },
  };
}

function dependenciesOf(database: Database, options: TariffOptions): TariffDependencies {
  const { keys, limits, rateLimitsOff, logger, production, webhookAllowLoopback, metrics } = options;
  const contacts = contactCipher(keys.encryptionKey);
  return {
    database,
    keys,
    mpxns: mpxnCipher(keys),
    contacts,
    suppliers: new RegisterEntryQueries(database, SUPPLIER),
    rtiUsers: new RtiUserQueries(database, contacts, logger),
    tariffQueries: new TariffQueries(database),
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
    callbackUrlPolicy: callbackUrlPolicy({ webhookAllowLoopback, production }),
    metrics,
  };
}
