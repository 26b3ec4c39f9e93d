import { openDatabase } from '../server/database/database';
import { type DatabaseAddress, databaseAddress } from '../server/database/database-login';
import { idempotency, expiredIdempotencyKeys } from '../server/idempotency';
import { startWorkers } from '../server/jobs/job-workers';
import { type Task, jobQueue } from '../server/jobs/jobs';
import type { NamedKeys } from '../server/database/key-check';
import { keyedHash } from '../server/keyed-hash';
import { prepare } from '../server/database/prepare';
import { occupancyKeys } from '../server/occupancy-keys';
import { expiredRateLimits } from '../server/callers/rate-limits';
import { registerClock } from '../server/database/register-clock';
import { purgePeriodically } from '../server/retention';
import { type RunningSubgraph, type SubgraphOptions, isDatabaseReady } from '../server/graph/running-subgraph';
import { type SubgraphLink, localLink } from '../server/graph/subgraph-link';
import { anonymisingModule } from './anonymisation/anonymisation.module';
import { legacyConsentModule } from './legacy/legacy-consents.module';
import { contactModule } from './contacts/contacts.module';
import { operatorModule } from './operator/operator.module';
import { signInModule } from './sign-in/sign-in.module';
import { customerSessions } from './sign-in/customer-sessions.flow';
import { blindIndexes } from './records/blind-index';
import { IDENTITY_OCCUPANCIES } from './occupancy/identity-occupancies.queries';
import { OccupancyRepository } from './occupancy/occupancy.repository';
import { PasskeyRepository } from './passkeys/passkey.repository';
import { relyingParty } from './passkeys/webauthn.flow';
import { IdentityRecordRepository } from './records/identity-record.repository';
import { personalDataCipher } from './records/personal-data-cipher';
import { IDENTITY_JOBS, identityTables } from './tables.sql';
import type { SubgraphModule, IdentityDependencies, IdentityUrls } from './dependencies';
import { identityRecordModule } from './records/identity-records.module';
import { mailModule } from './mails/mails.module';
import { reidentificationModule } from './reidentification/reidentification.module';
import { identitySchema } from './schema';
import { mailQueue } from './mails/mail-queue.flow';
import type { IdentityKeys } from './keys';

/** Options of {@link startIdentity}. */
interface IdentityOptions extends SubgraphOptions {
  readonly keys: IdentityKeys;
  readonly urls: IdentityUrls;
  readonly access: SubgraphLink;
}

/** Jobs that a process runs concurrently; most send mails and wait for the mail server. */
const WORKERS = 4;
const PURGE_EVERY_SECONDS = 300;

/** Starts the subgraph `identity`. It alone stores personal data of Interfaces A and B, with its own database schemas, login and keys. */
export async function startIdentity(options: IdentityOptions): Promise<RunningSubgraph> {
  const { databaseUrl, keys, logger, clockOffsetSeconds } = options;
  const address = databaseAddress(databaseUrl, 'identity', keys.hashKey, options);
  await prepare(address, identityTables, clockOffsetSeconds !== undefined, namedIdentityKeys(keys), logger);
  const dependencies = await openDependencies(address, options);
  const { database } = dependencies;
  const sessions = customerSessions(dependencies);
  const modules: SubgraphModule[] = [
    identityRecordModule(dependencies),
    reidentificationModule(dependencies, sessions),
    mailModule(dependencies),
    anonymisingModule(dependencies, address),
    signInModule(dependencies, sessions),
    operatorModule(dependencies),
    legacyConsentModule(dependencies),
    contactModule(dependencies, sessions),
  ];
  const { schema } = await identitySchema(modules.flatMap(({ resolvers }) => resolvers));
  const workers = await startWorkers({
    address,
    schema: IDENTITY_JOBS,
    tasks: Object.assign({}, ...modules.map(({ tasks }) => tasks)) as Record<string, Task>,
    logger,
    concurrency: WORKERS,
  });
  const expired = [expiredIdempotencyKeys(database.pool), expiredRateLimits(database.pool)];
  const stopPurging = purgePeriodically(database.pool, expired, PURGE_EVERY_SECONDS, logger);
  return {
    link: localLink('identity', schema, logger, database.pool),
    ready: () => isDatabaseReady(database),
    endWork: (forced) => workers.stop(forced),
    close: async (forced) => {
      await Promise.all([stopPurging(), workers.stop(forced)]);
      await Promise.all(modules.map((module) => module.stop?.()));
      await database.close();
    },
  };
}

async function openDependencies(address: DatabaseAddress, options: IdentityOptions): Promise<IdentityDependencies> {
  const { keys, rateLimitsOff, limits, access, urls, logger, production } = options;
  const database = openDatabase(address);
  const indexes = blindIndexes(keys.indexKey);
  const cipher = personalDataCipher(keys.encryptionKey);
  const party = relyingParty(urls, keys);
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
    indexes,
    cipher,
    occupancyKeys: occupancyKeys(IDENTITY_OCCUPANCIES, keys.encryptionKey),
    records: new IdentityRecordRepository(database, indexes, cipher),
    occupants: new OccupancyRepository(database, indexes, cipher),
    party,
    passkeys: new PasskeyRepository(database, cipher, party, keys),
    idempotency: idempotency(database, keys.hashKey, keys.encryptionKey),
    clock: registerClock(database),
    access,
    urls,
    logger,
    production,
  };
}

/** Keys of `identity` by the names of their environment variables, for the key check of the database. */
export function namedIdentityKeys({ hashKey, indexKey, encryptionKey }: IdentityKeys): NamedKeys {
  return { IDENTITY_HASH_KEY: hashKey, IDENTITY_INDEX_KEY: indexKey, IDENTITY_ENCRYPTION_KEY: encryptionKey };
}
