import type { RunningSubgraph, SubgraphOptions } from '../server/running-subgraph';
import { type DatabaseAddress, openDatabase } from '../server/database';
import { forgetIdempotencyKeys, idempotency } from '../server/idempotency';
import { keyedHash } from '../server/keyed-hash';
import { type RateLimitStore, rateLimit } from '../server/rate-limits';
import { migrate } from '../server/migrate';
import { localLink } from '../server/subgraph-link';
import type { SubgraphSchema } from '../server/subgraph-schema';
import { blindIndexes } from './database/blind-index';
import { DataKeyEntity, IdentityRecordEntity } from './database/identity-record.entity';
import { IdentityRecordRepository } from './database/identity-record.repository';
import { identityMigrations } from './database/migrations';
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

/** The only subgraph that holds personal data: its own schemas of the database, its own role, its own keys. */
export async function startIdentity({
  databaseUrl,
  logger,
  production,
  keys,
  rateLimitsOff,
}: IdentityOptions): Promise<RunningSubgraph & SubgraphSchema> {
  const address = identityAddress(databaseUrl);
  await migrate(address, identityMigrations, production);
  const database = await openDatabase(address, [IdentityRecordEntity, DataKeyEntity]);
  const indexes = blindIndexes(keys.indexKey);
  const stopForgetting = forgetIdempotencyKeys(database.pool, logger);
  const limits: RateLimitStore = {
    pool: database.pool,
    schema: 'identity',
    hash: keyedHash(keys.hashKey, 'rate-limit'),
    off: rateLimitsOff,
  };
  const schema = await identitySchema({
    records: new IdentityRecordRepository(database, indexes, personalDataVault(keys.encryptionKey)),
    indexes,
    idempotency: idempotency(keys.hashKey, keys.encryptionKey),
    existenceChecks: [rateLimit(limits, 'exists-minute', 60, 60), rateLimit(limits, 'exists-day', 2_000, 24 * 3600)],
    production,
  });
  return { ...schema, link: localLink('identity', schema.schema, logger), close: async () => {
      await stopForgetting();
      await database.close();
    },
  };
}

/** Where `identity` keeps its tables; the data keys lie in the schema `identity_keys` beside it. */
export function identityAddress(databaseUrl: string): DatabaseAddress {
  return { url: databaseUrl, schema: 'identity', role: 'cdar_identity' };
}
