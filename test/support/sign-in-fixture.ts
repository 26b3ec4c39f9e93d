import { randomBytes, randomInt } from 'node:crypto';
import { Client } from 'pg';
import pino from 'pino';
import { generatedKey } from '../../process/settings/generated-key';
import { type Mailbox, startMailbox } from '../../sandbox/mailbox';
import { type RunningSupplier, startSupplier } from '../../sandbox/supplier/supplier';
import { startAccess } from '../../subgraphs/access/access.module';
import { blindIndexes } from '../../subgraphs/identity/records/blind-index';
import type { IdentityUrls } from '../../subgraphs/identity/dependencies';
import { startIdentity } from '../../subgraphs/identity/identity.module';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import type { Limits } from '../../subgraphs/server/callers/rate-limits';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';
import { urls } from './identity-surroundings';
import { migratedDatabase } from './postgres';
import { until } from './until';
import { readSettings } from '../../process/settings/read-settings';
import type { IdentityKeys } from '../../subgraphs/identity/keys';

/** The response of a subgraph: its data, or its error codes. */
export interface FixtureResponse {
  readonly data: ReturnType<typeof JSON.parse>;
  readonly codes: readonly string[];
  readonly retryAfter?: number;
}

/** Both subgraphs, a mailbox and a supplier around one database; no gateway. */
export interface SignInFixture {
  readonly accounts: Awaited<ReturnType<typeof startAccess>>['accounts'];
  /** The link to the first replica of `identity`. */
  readonly identity: SubgraphLink;
  readonly supplier: RunningSupplier;
  readonly mailbox: Mailbox;
  readonly urls: IdentityUrls;
  /** The database, with the login of its owner. */
  readonly owner: Client;
  readonly databaseUrl: string;
  /** Keys of `identity`. */
  readonly keys: IdentityKeys;
  /** Returns the complete log. */
  log(): string;
  /** Calls a replica of `identity`; by default unauthenticated. */
  execute(
    query: string,
    variables?: object,
    context?: Partial<CallContext>,
    replica?: number,
  ): Promise<FixtureResponse>;
  /** Calls `access`. */
  executeInAccess(query: string, variables?: object, context?: Partial<CallContext>): Promise<FixtureResponse>;
  /** Creates a Data User with return URLs. */
  dataUser(...returnUrls: string[]): Promise<Caller>;
  /** Creates a supplier where customers can sign in; returns its MPID. */
  newSupplier(change?: { issuer?: string; secret?: string }): Promise<{ mpid: string; accountId: string }>;
  /** Registers an Identity Record; returns its key. */
  newRecord(by: Caller, change?: object, principal?: object): Promise<string>;
  /** Registers an Identity Record with a passkey enrolment; returns its key, and the customer's redirect URL. */
  newEnrolment(by: Caller, change: object, principal?: object): Promise<{ ir: string; redirect: string }>;
  /** Records a Change of Tenancy at a meter point, as the owner of the tables. */
  tenancyChanged(mpxn: string, effectiveDate: string): Promise<void>;
  /** Moves the register's clock. */
  moveClock(seconds: number): Promise<void>;
  /** Damages the data key of the record with a key `ir`, which cannot be decrypted from then on, when no job uses it. */
  damageDataKey(ir: string): Promise<void>;
  /** Starts another replica of `identity`. */
  addReplica(): Promise<void>;
  /** Resolves when no job is waiting or running, except those of a later day. */
  jobsDone(): Promise<void>;
  close(): Promise<void>;
}

/** Options of a test. */
export interface SignInFixtureOptions {
  readonly replicas?: number;
  /** Rate limits; off by default. */
  readonly limits?: Partial<Limits>;
  readonly production?: boolean;
  /** Wraps the link from `identity` to `access`; by default the link is direct. */
  readonly between?: (access: SubgraphLink) => SubgraphLink;
}

/**
 * Returns the fixture that all chapters of a test file share, with two replicas of `identity`: its start costs more
 * than a chapter. A chapter uses separate people, meter points and organisations, and resets the clock. Closed after
 * the last test of the file.
 */
export function fixtureOfThisFile(): Promise<SignInFixture> {
  return (ofThisFile ??= startSignInFixture({ replicas: 2 }));
}

let ofThisFile: Promise<SignInFixture> | undefined;
if (typeof afterAll === 'function') afterAll(async () => (await ofThisFile)?.close());

export const REGISTER_CLIENT = { id: 'the-register', secret: 'a-secret-between-two-of-them' };

/** Starts the fixture. */
export async function startSignInFixture(options: SignInFixtureOptions = {}): Promise<SignInFixture> {
  const database = await migratedDatabase();
  const mailbox = await startMailbox({ port: 0, host: 'localhost' });
  const supplier = await startSupplier({
    port: 0,
    host: 'localhost',
    redirectUris: [`${urls.portalUrl}/sign-in/supplier/callback`],
    client: REGISTER_CLIENT,
  });
  const keys: IdentityKeys = { indexKey: randomBytes(32), encryptionKey: randomBytes(32), hashKey: randomBytes(32) };
  const fixtureUrls = { ...urls, smtpUrl: mailbox.smtpUrl };
  const { access, identities, startReplica, log } = await startSubgraphs(database.url, keys, fixtureUrls, options);
  const owner = new Client({ connectionString: database.url });
  await owner.connect();
  const execute: SignInFixture['execute'] = (query, variables, context, replica = 0) =>
    responseOf(identities[replica]?.link as SubgraphLink, query, variables, context);
  return {
    accounts: access.accounts,
    identity: (identities[0] as (typeof identities)[number]).link,
    supplier,
    mailbox,
    urls: fixtureUrls,
    owner,
    databaseUrl: database.url,
    keys,
    log,
    execute,
    executeInAccess: (...request) => responseOf(access.link, ...request),
    ...organisationsOf(access.accounts, supplier.issuer),
    ...recordsOf(execute),
    ...whatTheOwnerDoes(owner, keys, log),
    addReplica: async () => void identities.push(await startReplica()),
    close: async () => {
      await Promise.all([...identities.map((identity) => identity.close()), supplier.close(), mailbox.close()]);
      await access.close();
      await owner.end();
      await database.drop();
    },
  };
}

function organisationsOf(
  accounts: SignInFixture['accounts'],
  ownIssuer: string,
): Pick<SignInFixture, 'dataUser' | 'newSupplier'> {
  return {
    dataUser: async (...returnUrls) => {
      const contactUrl = 'https://larkhill.example/';
      const input = { role: 'data_user' as const, displayName: 'Larkhill Insight Ltd', contactUrl, returnUrls };
      const { account } = await accounts.onboard('test', input);
      return { accountId: account.accountId, role: 'data_user', duid: account.duid, mpid: null };
    },
    newSupplier: async ({ issuer = ownIssuer, secret = REGISTER_CLIENT.secret } = {}) => {
      const mpid = randomInt(36 ** 3, 36 ** 4)
        .toString(36)
        .toUpperCase();
      const { account } = await accounts.onboard('test', { role: 'supplier', displayName: `Supplier ${mpid}`, mpid });
      await accounts.setSupplierOAuth('test', account.accountId, issuer, REGISTER_CLIENT.id, secret);
      return { mpid, accountId: account.accountId };
    },
  };
}

function recordsOf(execute: SignInFixture['execute']): Pick<SignInFixture, 'newRecord' | 'newEnrolment'> {
  const register = async (caller: Caller, change: object = {}, principal: object = {}) => {
    const { data, codes } = await execute(REGISTER, { input: recordInput(change, principal) }, { caller });
    if (codes.length > 0) throw new Error(codes.join());
    return data.registerIdentityRecord;
  };
  return {
    newRecord: async (...record) => (await register(...record)).ir,
    newEnrolment: async (...record) => {
      const { ir, passkeyRegistrationRedirect } = await register(...record);
      return { ir, redirect: String(passkeyRegistrationRedirect) };
    },
  };
}

function whatTheOwnerDoes(
  owner: Client,
  { indexKey }: IdentityKeys,
  log: () => string,
): Pick<SignInFixture, 'tenancyChanged' | 'moveClock' | 'damageDataKey' | 'jobsDone'> {
  const due = `from identity_jobs._private_jobs job join identity_jobs._private_tasks task on task.id = task_id
    where run_at <= now() or locked_at is not null or attempts > 0`;
  const isDone = async () => (await owner.query(`select ${due} limit 1`)).rowCount === 0 || undefined;
  const whyNotDone = async () => {
    const { rows } = await owner.query(`select identifier, attempts, last_error, locked_by, run_at, now() ${due}`);
    const warnings = log().match(/^.*"level":[456]0.*$/gm) ?? [];
    return ['jobs are not done', ...rows.map((row) => JSON.stringify(row)), ...warnings.slice(-20)].join('\n');
  };
  const jobsDone = async () =>
    void (await until(isDone).catch(async () => {
      throw new Error(await whyNotDone());
    }));
  return {
    tenancyChanged: async (mpxn, effectiveDate) =>
      void (await owner.query(
        'insert into identity.change_of_tenancy (mpxn_index, effective_date, recorded_at) values ($1, $2, now())',
        [blindIndexes(indexKey).mpxn(mpxn), effectiveDate],
      )),
    moveClock: async (seconds) => void (await owner.query('select register.set_clock_offset($1)', [seconds])),
    damageDataKey: async (ir) => {
      await jobsDone();
      await owner.query(
        `update identity_keys.data_key set wrapped = '\\x00'
          where record_id = (select id from identity.identity_record where ref = $1)`,
        [ir],
      );
    },
    jobsDone,
  };
}

type Access = Awaited<ReturnType<typeof startAccess>>;
/** Starts `access`, and `identity` in one or more replicas, linked to each other. */
async function startSubgraphs(
  databaseUrl: string,
  keys: IdentityKeys,
  fixtureUrls: IdentityUrls,
  { replicas = 1, limits, production = false, between = (link) => link }: SignInFixtureOptions,
) {
  const lines: string[] = [];
  const common = {
    databaseUrl,
    logger: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
    production,
    clockOffsetSeconds: 0,
    rateLimitsOff: limits === undefined,
    limits: { ...readSettings({}).limits, ...limits },
  };
  let access: Access | undefined;
  const toAccess: SubgraphLink = {
    name: 'access',
    execute: (...request) => (access as Access).link.execute(...request),
  };
  const startReplica = () => startIdentity({ ...common, keys, urls: fixtureUrls, access: between(toAccess) });
  const first = await startReplica();
  access = await startAccess({
    ...common,
    keys: { hashKey: randomBytes(32), encryptionKey: randomBytes(32) },
    signing: { issuer: 'http://localhost', keys: [generatedKey('ed25519').export({ format: 'jwk' })] },
    identity: first.link,
    mail: { smtpUrl: undefined, mailFrom: fixtureUrls.mailFrom },
    webhookAllowLoopback: false,
    discoveredMaxAgeDays: undefined,
  });
  const others = await Promise.all(Array.from({ length: replicas - 1 }, startReplica));
  return { access, identities: [first, ...others], startReplica, log: () => lines.join('') };
}

async function responseOf(
  link: SubgraphLink,
  query: string,
  variables: object = {},
  context: Partial<CallContext> = {},
): Promise<FixtureResponse> {
  const unauthenticated = { caller: null, service: null, transactionId: 'tid_test', clientAddress: '127.0.0.1' };
  const result = await link.execute(
    { query, variables: { ...variables }, fixed: true },
    { ...unauthenticated, ...context },
  );
  const { data, errors = [] } = JSON.parse(JSON.stringify(result));
  type ReportedError = { extensions: { code: string; retryAfter?: number } };
  const codes = (errors as ReportedError[]).map(({ extensions }) => extensions.code);
  const retryAfter = (errors as ReportedError[])[0]?.extensions.retryAfter;
  return { data, codes, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

const REGISTER =
  'mutation ($input: IdentityRecordInput!) { registerIdentityRecord(input: $input) { ir passkeyRegistrationRedirect } }';

/** Returns a verified Identity Record with an e-mail address. */
export function recordInput(change: object, principal: object) {
  return {
    piiPrincipal: {
      mpxn: newMpxn(),
      moveInDate: '2021-04-01',
      address: { addressLine1: '4 Lantern Row', townCity: 'Exampleford', postcode: 'NR1 4AB' },
      ...principal,
    },
    expressedBy: 'DATA_SUBJECT',
    principalVerification: verified,
    email: `customer-${randomInt(1e9)}@customer.example`,
    ...change,
  };
}

/** Evidence of the person's identity. */
export const verified = { method: 'Bill and bank card', verifiedAt: '2026-01-12T10:00:00Z', outcome: 'VERIFIED' };

/** Returns a unique meter point number. */
export function newMpxn(): string {
  return String(randomInt(1e9, 1e10 - 1)).padStart(10, '0');
}
