import { type SigningKeys } from '../server/bearer-token';
import { openDatabase } from '../server/database';
import { databaseAddress } from '../server/database-login';
import { forgetIdempotencyKeys, idempotency } from '../server/idempotency';
import { keyedHash } from '../server/keyed-hash';
import { migrate } from '../server/migrate';
import { type Limits, type RateLimitStore, rateLimit } from '../server/rate-limits';
import { registerClock } from '../server/register-clock';
import { type RunningSubgraph, type SubgraphOptions, answers } from '../server/running-subgraph';
import { type SubgraphLink, localLink } from '../server/subgraph-link';
import { AccessRecordLists } from './database/access-record-lists';
import { AccessRecordRepository } from './database/access-record.repository';
import { accessEntities } from './database/account.entity';
import { AccountRepository } from './database/account.repository';
import { DataUserRepository } from './database/data-user.repository';
import { accessTables } from './database/tables';
import { RecordHistory } from './database/record-history';
import { identityLinks } from './identity-links';
import { type AccessLimits, accessSchema } from './schema';

/** Keys of the subgraph `access`: 32 bytes each. */
export interface AccessKeys {
  /** Keyed hashes of access keys, secrets and idempotency keys. */
  readonly hashKey: Buffer;
  /** Seals access keys for their owner, kept answers and client secrets. */
  readonly encryptionKey: Buffer;
}

/** What `access` is started with. */
export interface AccessOptions extends SubgraphOptions {
  readonly keys: AccessKeys;
  readonly signing: SigningKeys;
  readonly identity: SubgraphLink;
  /** Moves the register's clock at start, outside production; it goes right when left out. */
  readonly clockOffsetSeconds?: number | undefined;
}

/** Where `access` keeps its data. */
export const accessAddress = (url: string, { hashKey }: AccessKeys) => databaseAddress(url, 'access', hashKey);

/** Starts the subgraph `access`: its schema brought up to date, its database opened, its resolvers wired. */
export async function startAccess(
  options: AccessOptions,
): Promise<RunningSubgraph & { readonly accounts: AccountRepository }> {
  const { logger, production, keys, signing, identity, databaseUrl } = options;
  const { database, accounts } = await openAccounts(databaseUrl, keys, production);
  const records = new AccessRecordRepository(database, keyedHash(keys.hashKey, 'access-key'), keys.encryptionKey);
  const lists = new AccessRecordLists(database);
  const clock = registerClock(database);
  const limits = accessLimits(
    {
      pool: database.pool,
      schema: 'access',
      hash: keyedHash(keys.hashKey, 'rate-limit'),
      off: options.rateLimitsOff,
    },
    options.limits,
  );
  if (!production) await clock.setOffset(options.clockOffsetSeconds ?? 0);
  const { schema } = await accessSchema({
    records,
    lists,
    history: new RecordHistory(database),
    accounts,
    dataUsers: new DataUserRepository(database),
    clock,
    limits,
    signing,
    production,
    identities: identityLinks(identity, logger),
    idempotency: idempotency(keys.hashKey, keys.encryptionKey),
  });
  const stopForgetting = forgetIdempotencyKeys(database.pool, logger);
  return {
    link: localLink('access', schema, logger),
    accounts,
    ready: () => answers(database),
    close: async () => {
      await stopForgetting();
      await database.close();
    },
  };
}

/** Brings the schema up to date and opens the accounts alone, for commands of the operator. */
export async function openAccounts(databaseUrl: string, keys: AccessKeys, production: boolean) {
  const address = accessAddress(databaseUrl, keys);
  await migrate(address, accessTables, production, {
    ACCESS_HASH_KEY: keys.hashKey,
    ACCESS_ENCRYPTION_KEY: keys.encryptionKey,
  });
  const database = await openDatabase(address, accessEntities);
  const accounts = new AccountRepository(database, keyedHash(keys.hashKey, 'account-secret'), keys.encryptionKey);
  return { database, accounts, close: () => database.close() };
}

/** Limits of accounts and addresses (2-decisions-a-b.md, section 2), all within a minute. */
function accessLimits(store: RateLimitStore, limits: Limits): AccessLimits {
  return {
    requests: rateLimit(store, 'requests', limits.requests, 60),
    failedSignIns: rateLimit(store, 'failed-sign-ins', limits.failedSignIns, 60),
    verifyMisses: rateLimit(store, 'verify-misses', limits.verifyMisses, 60),
  };
}
