import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type SigningKeys } from '../server/callers/bearer-token';
import { type Database, openDatabase } from '../server/database/database';
import { type DatabaseAddress, databaseAddress } from '../server/database/database-login';
import { RENEW_AT_CONNECT } from '../server/event-log/event-era';
import { measureEventLog } from '../server/event-log/event-log-lag';
import { idempotency, expiredIdempotencyKeys } from '../server/idempotency';
import type { NamedKeys } from '../server/database/key-check';
import { AuditLog } from '../server/audit/audit.repository';
import { keyedHash } from '../server/keyed-hash';
import { prepare } from '../server/database/prepare';
import { type Limits, type RateLimitStore, expiredRateLimits, rateLimit } from '../server/callers/rate-limits';
import { sparing } from '../server/callers/sparing-limit';
import { callbackUrlPolicy } from '../delivery/requests/callback-url';
import { registerClock } from '../server/database/register-clock';
import { purgePeriodically } from '../server/retention';
import { type RunningSubgraph, type SubgraphOptions, isDatabaseReady } from '../server/graph/running-subgraph';
import { type SubgraphLink, localLink } from '../server/graph/subgraph-link';
import { AccessRecordQueries } from './records/access-record.queries';
import { recordsOfOperations } from './records/operation-records.queries';
import { AccessRecordRepository, readableKeys } from './records/access-record.repository';
import { AccountAdmission } from './accounts/account-admission.queries';
import { AccountRepository } from './accounts/account.repository';
import { ControllerReferences } from './records/controller-references.queries';
import { DataUserRepository } from './accounts/data-user.repository';
import { OrganisationRepository } from './accounts/organisation.repository';
import { ClosingRepository } from './identity-links/closing.repository';
import { CustomerRecordRepository } from './customers/customer-record.repository';
import { EventCounts } from './events/event-counts.queries';
import { EventLog } from './events/event-log.queries';
import { eventRelations } from './events/event-relations.queries';
import { DiscoveredAccessRepository } from './operator/discovered-access.repository';
import { purgeExpired } from './retention.module';
import { countVerifications } from './customers/lookup-counts.repository';
import { LegacyConsentRepository } from './legacy/legacy-consent.repository';
import { PortalAccessRepository } from './customers/portal-access.repository';
import { RedeemedTokenRepository } from './identity-links/redeemed-token.repository';
import { accessTables } from './tables.sql';
import { encryptReferences } from './records/reference-encryption.repository';
import { RecordHistory } from './records/record-history.queries';
import { TenancyChangeRepository } from './operator/tenancy-change.repository';
import { TerminationRepository } from './accounts/termination.repository';
import { customerScopes } from './customers/customer-scope.client';
import { discoveredMeterPoints } from './operator/discovered-meter-points.client';
import { identityLinks } from './identity-links/identity-link.client';
import { reidentificationProofs } from './identity-links/reidentification-proof.client';
import { accessSchema } from './schema';
import { startSweeps } from './records/sweeps.module';
import { verificationCounter } from './customers/verification-counter.flow';
import { deliverWebhooks, webhookDependencies } from './webhooks/webhooks.module';
import type { AccessLimits, AccessDependencies } from './dependencies';

/** Keys of the subgraph `access`: 32 bytes each. */
export interface AccessKeys {
  /** Keyed hashes of access keys, secrets and idempotency keys. */
  readonly hashKey: Buffer;
  /** Encrypts access keys, stored responses and client secrets. */
  readonly encryptionKey: Buffer;
}

/** Options of {@link startAccess}. */
interface AccessOptions extends SubgraphOptions {
  readonly keys: AccessKeys;
  readonly signing: SigningKeys;
  readonly identity: SubgraphLink;
  /** The mail server of alerts about webhook deliveries. */
  readonly mail: { readonly smtpUrl: string | undefined; readonly mailFrom: string };
  /** Whether webhooks may be delivered to loopback addresses: in development only. */
  readonly webhookAllowLoopback: boolean;
  /** Days after the last sighting at which a discovered access expires; undefined for never. */
  readonly discoveredMaxAgeDays: number | undefined;
  /** Metrics of deliveries and the lag of the event log. */
  readonly metrics?: Registry | undefined;
}

/** Keys of `access` by the names of their environment variables, for the key check of the database. */
export function namedAccessKeys({ hashKey, encryptionKey }: AccessKeys): NamedKeys {
  return { ACCESS_HASH_KEY: hashKey, ACCESS_ENCRYPTION_KEY: encryptionKey };
}

/** Starts the subgraph `access`: migrates its schema, opens its database and composes its resolvers, sweeps and deliveries. */
export async function startAccess(
  options: AccessOptions,
): Promise<RunningSubgraph & { readonly accounts: AccountRepository }> {
  const { logger, keys, databaseUrl, clockOffsetSeconds } = options;
  const address = databaseAddress(databaseUrl, 'access', keys.hashKey, options);
  const { database, accounts } = await openAccounts(address, keys, clockOffsetSeconds !== undefined, logger);
  const dependencies = accessDependencies(database, accounts, options);
  if (clockOffsetSeconds !== undefined) await dependencies.clock.setOffset(clockOffsetSeconds);
  const { schema } = await accessSchema(dependencies);
  const { pool } = database;
  const purges = [
    purgePeriodically(pool, [expiredIdempotencyKeys(pool), expiredRateLimits(pool)], PURGE_EVERY_SECONDS, logger),
    purgeExpired(database, logger),
    encryptReferences(database, new ControllerReferences(keys.encryptionKey, logger), logger),
  ];
  const sweeps = startSweeps(database, logger);
  if (options.metrics) measureEventLog(database, options.metrics);
  const deliveries = await deliverWebhooks({
    ...options,
    address,
    database,
    changes: dependencies.tenancyChanges,
    allowLoopback: callbackUrlPolicy(options).allowLoopback,
  });
  return {
    link: localLink('access', schema, logger, database.pool),
    accounts,
    ready: () => isDatabaseReady(database),
    endWork: (forced) => deliveries.stop(forced),
    close: async (forced) => {
      await dependencies.lookups.close();
      await Promise.all([sweeps.stop(), deliveries.stop(forced)]);
      await Promise.all(purges.map((stop) => stop()));
      await database.close();
    },
  };
}

/** Seconds between two deletions of expired idempotency keys and rate limits. */
const PURGE_EVERY_SECONDS = 300;

/** Composes the dependencies of the resolvers over an open database. */
function accessDependencies(
  database: Database,
  accounts: AccountRepository,
  options: AccessOptions,
): AccessDependencies {
  const { logger, production, signing, identity } = options;
  const { hashKey, encryptionKey } = options.keys;
  const maxAgeDays = options.discoveredMaxAgeDays;
  const hash = (purpose: string) => keyedHash(hashKey, purpose);
  const references = new ControllerReferences(encryptionKey, logger);
  const records = new AccessRecordRepository(database, hash('access-key'), encryptionKey, references);
  const recordQueries = new AccessRecordQueries(database, readableKeys(records, logger));
  const hashOfToken = hash('reidentification-token');
  const proofs = reidentificationProofs(identity, hashOfToken);
  const store = { pool: database.pool, schema: 'access', hash: hash('rate-limit'), off: options.rateLimitsOff };
  return {
    records,
    recordQueries,
    recordsOfOperations: recordsOfOperations(database, records),
    history: new RecordHistory(database),
    events: new EventLog(database),
    eventCounts: new EventCounts(database),
    eventRelations: eventRelations(database),
    accounts,
    audit: new AuditLog(database.pool),
    admission: new AccountAdmission(database, hash('account-secret')),
    dataUsers: new DataUserRepository(database),
    organisations: new OrganisationRepository(database, encryptionKey),
    clock: registerClock(database),
    limits: accessLimits(store, options.limits),
    signing,
    production,
    movableClock: options.clockOffsetSeconds !== undefined,
    identities: identityLinks(identity, proofs, logger),
    proofs,
    portals: new PortalAccessRepository(database, recordQueries, hash('portal-alias')),
    customers: new CustomerRecordRepository(database),
    closing: new ClosingRepository(database),
    redeemedTokens: new RedeemedTokenRepository(database, hashOfToken),
    terminations: new TerminationRepository(database),
    legacyConsents: new LegacyConsentRepository(database, hash('access-key'), references),
    scopes: customerScopes(identity),
    discoveries: new DiscoveredAccessRepository(database, hash, encryptionKey, maxAgeDays),
    discoveredMeterPoints: discoveredMeterPoints(identity),
    tenancyChanges: new TenancyChangeRepository(database, hash('tenancy-subject')),
    ...webhookDependencies(database, options.keys, callbackUrlPolicy(options), logger),
    lookups: verificationCounter((seen) => countVerifications(database, seen), logger),
    idempotency: idempotency(database, hashKey, encryptionKey),
  };
}

/** Prepares the schema and opens the accounts only, for commands of the operator. */
export async function openAccounts(
  address: DatabaseAddress,
  keys: AccessKeys,
  movableClock?: boolean,
  logger?: Logger,
) {
  await prepare(address, accessTables, movableClock, namedAccessKeys(keys), logger);
  const database = openDatabase(address, RENEW_AT_CONNECT);
  const accounts = new AccountRepository(database, keyedHash(keys.hashKey, 'account-secret'), keys.encryptionKey);
  return { database, accounts, close: () => database.close() };
}

/** Limits of accounts and client networks per minute (decisions A/B, 2). */
function accessLimits(store: RateLimitStore, limits: Limits): AccessLimits {
  return {
    requests: rateLimit(store, 'requests', limits.requests, 60),
    failedSignIns: rateLimit(store, 'failed-sign-ins', limits.failedSignIns, 60),
    unknownKeys: rateLimit(store, 'refused-keys', limits.failedSignIns, 60),
    verifyMisses: sparing(rateLimit(store, 'verify-misses', limits.verifyMisses, 60)),
  };
}
