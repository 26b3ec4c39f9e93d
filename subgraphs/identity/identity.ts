import { type RunningSubgraph, type SubgraphOptions, answers } from '../server/running-subgraph';
import { openDatabase } from '../server/database';
import { type DatabaseAddress, databaseAddress } from '../server/database-login';
import { forgetIdempotencyKeys, idempotency } from '../server/idempotency';
import { keyedHash } from '../server/keyed-hash';
import { type RateLimitStore, rateLimit } from '../server/rate-limits';
import { migrate } from '../server/migrate';
import { localLink } from '../server/subgraph-link';
import type { SubgraphSchema } from '../server/subgraph-schema';
import { blindIndexes } from './database/blind-index';
import { DataKeyEntity, IdentityRecordEntity } from './database/identity-record.entity';
import { IdentityRecordRepository } from './database/identity-record.repository';
import { identityTables } from './database/tables';
import { personalDataVault } from './database/personal-data-vault';
import { identitySchema } from './schema';

/** Keys of `identity`, 32 bytes each; no other service has them. */
export interface IdentityKeys {
  /** Of the blind indexes: changing it makes every record unfindable. */
  readonly indexKey: Buffer;
  /** The key-encryption key of the records' data keys. */
  readonly encryptionKey: Buffer;
  /** Of the hashes of idempotency keys and request bodies. */
  readonly hashKey: Buffer;
}

/** What `identity` is started with. */
export interface IdentityOptions extends SubgraphOptions {
  readonly keys: IdentityKeys;
}

/** The only subgraph that holds personal data: its own schemas of the database, its own login, its own keys. */
export async function startIdentity({
  databaseUrl,
  logger,
  production,
  keys,
  rateLimitsOff,
  limits,
}: IdentityOptions): Promise<RunningSubgraph & SubgraphSchema> {
  const address = identityAddress(databaseUrl, keys);
  await migrate(address, identityTables, production, {
    IDENTITY_HASH_KEY: keys.hashKey,
    IDENTITY_INDEX_KEY: keys.indexKey,
    IDENTITY_ENCRYPTION_KEY: keys.encryptionKey,
  });
  const database = await openDatabase(address, [IdentityRecordEntity, DataKeyEntity]);
  const indexes = blindIndexes(keys.indexKey);
  const stopForgetting = forgetIdempotencyKeys(database.pool, logger);
  const store: RateLimitStore = {
    pool: database.pool,
    schema: 'identity',
    hash: keyedHash(keys.hashKey, 'rate-limit'),
    off: rateLimitsOff,
  };
  const schema = await identitySchema({
    records: new IdentityRecordRepository(database, indexes, personalDataVault(keys.encryptionKey)),
    indexes,
    idempotency: idempotency(keys.hashKey, keys.encryptionKey),
    existenceChecks: [
      rateLimit(store, 'exists-minute', limits.existsMinute, 60),
      rateLimit(store, 'exists-day', limits.existsDay, 24 * 3600),
    ],
    production,
  });
  return {
    ...schema,
    link: localLink('identity', schema.schema, logger),
    ready: () => answers(database),
    close: async () => {
      await stopForgetting();
      await database.close();
    },
  };
}

/** Where `identity` keeps its tables; the data keys lie in the schema `identity_keys` beside it. */
export function identityAddress(databaseUrl: string, { hashKey }: Pick<IdentityKeys, 'hashKey'>): DatabaseAddress {
  return databaseAddress(databaseUrl, 'identity', hashKey);
}
