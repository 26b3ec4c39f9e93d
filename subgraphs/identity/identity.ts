import { openDatabase } from '../server/database';
import { type DatabaseAddress, databaseAddress } from '../server/database-login';
import { idempotency, passedIdempotencyKeys } from '../server/idempotency';
import { startWorkers } from '../server/job-workers';
import { type Task, jobQueue } from '../server/jobs';
import type { NamedKeys } from '../server/key-check';
import { keyedHash } from '../server/keyed-hash';
import { migrate } from '../server/migrate';
import { passedRateLimits } from '../server/rate-limits';
import { registerClock } from '../server/register-clock';
import { forgetPassed } from '../server/retention';
import { type RunningSubgraph, type SubgraphOptions, answers } from '../server/running-subgraph';
import { type SubgraphLink, localLink } from '../server/subgraph-link';
import type { SubgraphSchema } from '../server/subgraph-schema';
import { anonymisingArea } from './anonymising';
import { legacyConsentArea } from './legacy-consents';
import { contactArea } from './contacts/contacts';
import { operatorArea } from './operator';
import { customerSessionArea, customerSessions } from './sign-in/customer-sessions';
import { blindIndexes } from './database/blind-index';
import { DataKeyEntity, IdentityRecordEntity } from './database/identity-record.entity';
import { personalDataVault } from './database/personal-data-vault';
import { IDENTITY_JOBS, identityTables } from './database/tables';
import type { Area, Foundation, IdentityKeys, IdentityPlaces } from './foundation';
import { identityRecordArea } from './identity-records';
import { mailArea, mailQueue } from './mails/mails';
import { reidentificationArea } from './reidentification/reidentification';
import { identitySchema } from './schema';
import { signInArea } from './sign-in/sign-in';
import { supplierSignInArea } from './sign-in/supplier-sign-in';

/** What `identity` is started with. */
export interface IdentityOptions extends SubgraphOptions {
  readonly keys: IdentityKeys;
  readonly places: IdentityPlaces;
  readonly access: SubgraphLink;
}

/** Jobs done at once by a process: mostly mails, which wait for the mail server. */
const WORKERS = 4;
const FORGET_EVERY_SECONDS = 300;

/** The only subgraph that holds personal data: its own schemas of the database, its own login, its own keys. */
export async function startIdentity(options: IdentityOptions): Promise<RunningSubgraph & SubgraphSchema> {
  const { databaseUrl, keys, logger, clockOffsetSeconds } = options;
  const address = identityAddress(databaseUrl, keys);
  await migrate(address, identityTables, clockOffsetSeconds !== undefined, namedIdentityKeys(keys));
  const foundation = await foundationOf(address, options);
  const { database } = foundation;
  const sessions = customerSessions(foundation);
  const areas: Area[] = [
    identityRecordArea(foundation),
    reidentificationArea(foundation, sessions),
    mailArea(foundation),
    anonymisingArea(foundation, address),
    customerSessionArea(foundation, sessions),
    signInArea(foundation),
    supplierSignInArea(foundation),
    operatorArea(foundation),
    legacyConsentArea(foundation),
    contactArea(foundation, sessions),
  ];
  const schema = await identitySchema(areas.flatMap(({ resolvers }) => resolvers));
  const workers = await startWorkers({
    address,
    schema: IDENTITY_JOBS,
    tasks: Object.assign({}, ...areas.map(({ tasks }) => tasks)) as Record<string, Task>,
    logger,
    concurrency: WORKERS,
  });
  const passed = [passedIdempotencyKeys(database.pool), passedRateLimits(database.pool)];
  const stopForgetting = forgetPassed(passed, FORGET_EVERY_SECONDS, logger);
  return {
    ...schema,
    link: localLink('identity', schema.schema, logger),
    ready: () => answers(database),
    close: async () => {
      await Promise.all([stopForgetting(), workers.stop()]);
      await Promise.all(areas.map((area) => area.stop?.()));
      await database.close();
    },
  };
}

async function foundationOf(address: DatabaseAddress, options: IdentityOptions): Promise<Foundation> {
  const { keys, rateLimitsOff, limits, access, places, logger, production } = options;
  const database = await openDatabase(address, [IdentityRecordEntity, DataKeyEntity]);
  const queues = {
    keys,
    limits,
    jobs: jobQueue(IDENTITY_JOBS),
    rateLimits: {
      pool: database.pool,
      schema: 'identity',
      hash: keyedHash(keys.hashKey, 'rate-limit'),
      off: rateLimitsOff,
    },
  };
  return {
    ...queues,
    mails: mailQueue(queues),
    database,
    indexes: blindIndexes(keys.indexKey),
    vault: personalDataVault(keys.encryptionKey),
    idempotency: idempotency(keys.hashKey, keys.encryptionKey),
    clock: registerClock(database),
    access,
    places,
    logger,
    production,
  };
}

/** Where `identity` keeps its tables; the data keys lie in the schema `identity_keys` beside it. */
export function identityAddress(databaseUrl: string, { hashKey }: Pick<IdentityKeys, 'hashKey'>): DatabaseAddress {
  return databaseAddress(databaseUrl, 'identity', hashKey);
}

/** The keys of `identity` by their variables, as the database checks them. */
export function namedIdentityKeys({ hashKey, indexKey, encryptionKey }: IdentityKeys): NamedKeys {
  return { IDENTITY_HASH_KEY: hashKey, IDENTITY_INDEX_KEY: indexKey, IDENTITY_ENCRYPTION_KEY: encryptionKey };
}
