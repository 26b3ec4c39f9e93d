import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type SigningKeys } from '../server/bearer-token';
import { type Database, openDatabase } from '../server/database';
import { databaseAddress } from '../server/database-login';
import { RENEW_AT_CONNECT } from '../server/event-era';
import { measureEventLog } from '../server/event-standstill';
import { idempotency, passedIdempotencyKeys } from '../server/idempotency';
import type { NamedKeys } from '../server/key-check';
import { keyedHash } from '../server/keyed-hash';
import { migrate } from '../server/migrate';
import { type Limits, type RateLimitStore, passedRateLimits, rateLimit } from '../server/rate-limits';
import { registerClock } from '../server/register-clock';
import { forgetPassed } from '../server/retention';
import { type RunningSubgraph, type SubgraphOptions, answers } from '../server/running-subgraph';
import { type SubgraphLink, localLink } from '../server/subgraph-link';
import { AccessRecordLists } from './database/access-record-lists';
import { AccessRecordRepository } from './database/access-record.repository';
import { accessEntities } from './database/account.entity';
import { AccountRepository } from './database/account.repository';
import { DataUserRepository } from './database/data-user.repository';
import { OrganisationRepository } from './database/organisation.repository';
import { ClosingRepository } from './database/closing.repository';
import { CustomerRecordRepository } from './database/customer-record.repository';
import { EventCounts } from './database/event-counts';
import { EventLog } from './database/event-log';
import { eventRelations } from './database/event-relations';
import { DiscoveredAccessRepository } from './database/discovered-access.repository';
import { forgetWhatHasPassed } from './database/forgetting';
import { countVerifications } from './database/looks';
import { LegacyConsentRepository } from './database/legacy-consent.repository';
import { PortalAccessRepository } from './database/portal-access.repository';
import { RedeemedTokenRepository } from './database/redeemed-token.repository';
import { accessTables } from './database/tables';
import { RecordHistory } from './database/record-history';
import { TenancyChangeRepository } from './database/tenancy-change.repository';
import { TerminationRepository } from './database/termination.repository';
import { customerScopes } from './customer-scope';
import { discoveredMeterPoints } from './discovered-meter-points';
import { identityLinks } from './identity-links';
import { reidentificationProofs } from './reidentification-proofs';
import { type AccessLimits, type AccessParts, accessSchema } from './schema';
import { sweepExpiries } from './events/sweeps';
import { verificationLooks } from './verification-looks';
import { deliverWebhooks, webhookParts } from './webhooks/webhooks';

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
  /** How alerts reach those who look after a subscription. */
  readonly mail: { readonly smtpUrl: string | undefined; readonly mailFrom: string };
  /** Whether webhooks may be delivered to this machine: in development only. */
  readonly webhookAllowLoopback: boolean;
  /** Days after which a discovered access has expired, from when it was last seen; undefined for never. */
  readonly discoveredMaxAgeDays: number | undefined;
  /** Where deliveries are counted, and the standstill of the event log. */
  readonly metrics?: Registry | undefined;
}

/** The keys of `access` by their variables, as the database checks them. */
export function namedAccessKeys({ hashKey, encryptionKey }: AccessKeys): NamedKeys {
  return { ACCESS_HASH_KEY: hashKey, ACCESS_ENCRYPTION_KEY: encryptionKey };
}

/** Where `access` keeps its data. */
export const accessAddress = (url: string, { hashKey }: AccessKeys) => databaseAddress(url, 'access', hashKey);

/** Starts the subgraph `access`: its schema brought up to date, its database opened, its resolvers wired. */
export async function startAccess(
  options: AccessOptions,
): Promise<RunningSubgraph & { readonly accounts: AccountRepository }> {
  const { logger, keys, databaseUrl, clockOffsetSeconds } = options;
  const { database, accounts } = await openAccounts(databaseUrl, keys, clockOffsetSeconds !== undefined);
  const parts = accessParts(database, accounts, options);
  if (clockOffsetSeconds !== undefined) await parts.clock.setOffset(clockOffsetSeconds);
  const { schema } = await accessSchema(parts);
  const forgetting = [forgetOften(database, logger), forgetWhatHasPassed(database, logger)];
  const sweeps = sweepExpiries(database, logger);
  if (options.metrics) measureEventLog(database, options.metrics);
  const deliveries = await deliverWebhooks({
    ...options,
    address: accessAddress(databaseUrl, keys),
    database,
    encryptionKey: keys.encryptionKey,
    changes: parts.tenancyChanges,
    allowLoopback: allowLoopback(options),
  });
  return {
    link: localLink('access', schema, logger),
    accounts,
    ready: () => answers(database),
    close: async () => {
      await parts.looks.close();
      await Promise.all([sweeps.stop(), deliveries.stop()]);
      await Promise.all(forgetting.map((stop) => stop()));
      await database.close();
    },
  };
}

/** Seconds between two runs of forgetting what is kept for minutes and hours. */
const FORGET_OFTEN = 300;

function forgetOften({ pool }: Database, logger: Logger): () => Promise<void> {
  return forgetPassed([passedIdempotencyKeys(pool), passedRateLimits(pool)], FORGET_OFTEN, logger);
}

const allowLoopback = ({ webhookAllowLoopback, production }: AccessOptions) => webhookAllowLoopback && !production;

/** What the resolvers work with, over an open database. */
function accessParts(database: Database, accounts: AccountRepository, options: AccessOptions): AccessParts {
  const { logger, production, signing, identity } = options;
  const { hashKey, encryptionKey } = options.keys;
  const hash = (purpose: string) => keyedHash(hashKey, purpose);
  const lists = new AccessRecordLists(database);
  const hashOfToken = hash('reidentification-token');
  const proofs = reidentificationProofs(identity, hashOfToken);
  const store = { pool: database.pool, schema: 'access', hash: hash('rate-limit'), off: options.rateLimitsOff };
  return {
    records: new AccessRecordRepository(database, hash('access-key'), encryptionKey),
    lists,
    history: new RecordHistory(database),
    events: new EventLog(database),
    eventCounts: new EventCounts(database),
    eventRelations: eventRelations(database),
    accounts,
    dataUsers: new DataUserRepository(database),
    organisations: new OrganisationRepository(database, encryptionKey),
    clock: registerClock(database),
    limits: accessLimits(store, options.limits),
    signing,
    production,
    movableClock: options.clockOffsetSeconds !== undefined,
    identities: identityLinks(identity, proofs, logger),
    proofs,
    portals: new PortalAccessRepository(database, lists, hash('portal-alias')),
    customers: new CustomerRecordRepository(database),
    closing: new ClosingRepository(database),
    redeemedTokens: new RedeemedTokenRepository(database, hashOfToken),
    terminations: new TerminationRepository(database),
    legacyConsents: new LegacyConsentRepository(database, hash('access-key')),
    scopes: customerScopes(identity),
    discoveries: new DiscoveredAccessRepository(
      database,
      hash('access-key'),
      encryptionKey,
      options.discoveredMaxAgeDays,
    ),
    discoveredMeterPoints: discoveredMeterPoints(identity),
    tenancyChanges: new TenancyChangeRepository(database, hash('tenancy-subject'), encryptionKey),
    ...webhookParts(database, options.keys, allowLoopback(options)),
    looks: verificationLooks((seen) => countVerifications(database, seen), logger),
    idempotency: idempotency(hashKey, encryptionKey),
  };
}

/** Brings the schema up to date and opens the accounts alone, for commands of the operator. */
export async function openAccounts(databaseUrl: string, keys: AccessKeys, movableClock?: boolean) {
  const address = accessAddress(databaseUrl, keys);
  await migrate(address, accessTables, movableClock, namedAccessKeys(keys));
  const database = await openDatabase(address, accessEntities, RENEW_AT_CONNECT);
  const accounts = new AccountRepository(database, keyedHash(keys.hashKey, 'account-secret'), keys.encryptionKey);
  return { database, accounts, close: () => database.close() };
}

/** Limits of accounts and addresses (2-decisions-a-b.md, section 2), all within a minute. */
function accessLimits(store: RateLimitStore, limits: Limits): AccessLimits {
  return {
    requests: rateLimit(store, 'requests', limits.requests, 60),
    failedSignIns: rateLimit(store, 'failed-sign-ins', limits.failedSignIns, 60),
    refusedKeys: rateLimit(store, 'refused-keys', limits.failedSignIns, 60),
    verifyMisses: rateLimit(store, 'verify-misses', limits.verifyMisses, 60),
  };
}
