import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import pino from 'pino';
import { generatedKey } from '../../process/settings/generated-key';
import { type CapturedMail, startMailbox } from '../../sandbox/mailbox';
import { RegisterError } from '../../schema/register-error';
import { startAccess } from '../../subgraphs/access/access.module';
import { withdrawal } from '../../subgraphs/access/customers/consent-withdrawal.sql';
import { startIdentity } from '../../subgraphs/identity/identity.module';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import type { RunningSubgraph } from '../../subgraphs/server/graph/running-subgraph';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';
import { urls } from './identity-surroundings';
import { migratedDatabase } from './postgres';
import { newMpxn, verified } from './sign-in-fixture';
import { type ReceivedPost, type WebhookReceiver, webhookReceiver } from './webhook-receiver';
import { until } from './until';
import { readSettings } from '../../process/settings/read-settings';
import { OPERATOR } from './operator-caller';

/** The response of a subgraph: its data, its error codes, and the path of the first error. */
export interface WebhookResult {
  readonly data: ReturnType<typeof JSON.parse>;
  readonly codes: readonly string[];
  readonly violations: readonly string[];
}

/** A record on consent, as its Data User and its customer see it. */
export interface RegisteredConsent {
  readonly ak: string;
  readonly id: string;
  readonly mpxn: string;
  readonly ir: string;
}

/** A subscription with its secret. */
export interface Subscription {
  readonly id: string;
  readonly wid: string;
  readonly signingSecret: string;
}

/** Both subgraphs with the delivery of webhooks, a receiver and a mailbox on one database; no gateway. */
export interface WebhookFixture {
  readonly receiver: WebhookReceiver;
  readonly databaseUrl: string;
  /** The database with the login of its owner, `access` first in its search path. */
  readonly owner: Client;
  /** `access` and `identity`. */
  readonly subgraphs: readonly RunningSubgraph[];
  readonly accounts: Awaited<ReturnType<typeof startAccess>>['accounts'];
  log(): string;
  /** The link to `access`, for services. */
  readonly link: SubgraphLink;
  /** Calls `access`. */
  execute(caller: Caller, query: string, variables?: object): Promise<WebhookResult>;
  dataUser(displayName?: string): Promise<Caller>;
  /** Registers a subscription; by default at the fixture's receiver. */
  subscribe(by: Caller, change?: object): Promise<Subscription>;
  /** Registers access on consent for a new customer, or at a given meter point. */
  consent(by: Caller, expiresInDays?: number | null, mpxn?: string): Promise<RegisteredConsent>;
  /** The customer withdraws consent. */
  withdraw(record: Pick<RegisteredConsent, 'id'>): Promise<void>;
  /** The operator records a Change of Tenancy. */
  tenancyChange(mpxn: string, effectiveDate: string, sourceReference: string): Promise<void>;
  anonymise(by: Caller, ir: string): Promise<void>;
  /** Disconnects `identity`, or connects it again. */
  setIdentityAway(away: boolean): void;
  moveClock(seconds: number): Promise<void>;
  /** Waits for a number of POSTs to a path. */
  posts(count: number, path?: string): Promise<readonly ReceivedPost[]>;
  mails(to: string): Promise<CapturedMail[]>;
  close(): Promise<void>;
}

/** Starts the fixture. */
export async function webhookFixture(): Promise<WebhookFixture> {
  const database = await migratedDatabase();
  const [mailbox, receiver] = await Promise.all([startMailbox({ port: 0, host: 'localhost' }), webhookReceiver()]);
  const { access, identity, setIdentityAway, log } = await startSubgraphs(database.url, mailbox.smtpUrl);
  const owner = new Client({ connectionString: database.url, options: '-c search_path=access,register' });
  await owner.connect();
  const execute: WebhookFixture['execute'] = (caller, ...request) => responseOf(access.link, caller, ...request);
  const executeInIdentity: WebhookFixture['execute'] = (caller, ...request) =>
    responseOf(identity.link, caller, ...request);
  return {
    receiver,
    databaseUrl: database.url,
    owner,
    subgraphs: [access, identity],
    accounts: access.accounts,
    log,
    link: access.link,
    execute,
    setIdentityAway,
    ...whatDataUsersDo(execute, executeInIdentity, access.accounts, receiver, owner),
    withdraw: async ({ id }) => {
      await owner.query(withdrawal('id = $1', { account: `'a portal'`, reason: `'customer-request'` }), [id]);
    },
    tenancyChange: async (mpxn, effectiveDate, sourceReference) => {
      const input = { mpxn, effectiveDate, sourceReference };
      orFail(await executeInIdentity(OPERATOR, CHANGE, { input }));
    },
    moveClock: async (seconds) => void (await owner.query('select register.set_clock_offset($1)', [seconds])),
    posts: (count, path = '/hook') =>
      until(() => {
        const arrived = receiver.received.filter((post) => post.path === path);
        return arrived.length >= count ? arrived : undefined;
      }),
    mails: async (to) => (await fetch(`${mailbox.url}?to=${encodeURIComponent(to)}`)).json() as Promise<CapturedMail[]>,
    close: async () => {
      await access.close();
      await Promise.all([identity.close(), mailbox.close(), receiver.close()]);
      await owner.end();
      await database.drop();
    },
  };
}

async function startSubgraphs(databaseUrl: string, smtpUrl: string) {
  const lines: string[] = [];
  const { limits } = readSettings({});
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const common = { databaseUrl, logger, production: false, clockOffsetSeconds: 0, rateLimitsOff: true, limits };
  let access: Awaited<ReturnType<typeof startAccess>> | undefined;
  const toAccess: SubgraphLink = {
    name: 'access',
    execute: (...request) => (access as NonNullable<typeof access>).link.execute(...request),
  };
  const keys = { indexKey: randomBytes(32), encryptionKey: randomBytes(32), hashKey: randomBytes(32) };
  const identity = await startIdentity({ ...common, keys, urls: { ...urls, smtpUrl }, access: toAccess });
  let isDatabaseUnavailable = false;
  const toIdentity: SubgraphLink = {
    name: 'identity',
    execute: (...request) =>
      isDatabaseUnavailable ? Promise.reject(new RegisterError('SYS002')) : identity.link.execute(...request),
  };
  access = await startAccess({
    ...common,
    keys: { hashKey: randomBytes(32), encryptionKey: randomBytes(32) },
    signing: { issuer: 'http://localhost', keys: [generatedKey('ed25519').export({ format: 'jwk' })] },
    identity: toIdentity,
    mail: { smtpUrl, mailFrom: urls.mailFrom },
    webhookAllowLoopback: true,
    discoveredMaxAgeDays: undefined,
  });
  return {
    access,
    identity,
    setIdentityAway: (away: boolean) => void (isDatabaseUnavailable = away),
    log: () => lines.join(''),
  };
}

function whatDataUsersDo(
  execute: WebhookFixture['execute'],
  executeInIdentity: WebhookFixture['execute'],
  accounts: WebhookFixture['accounts'],
  receiver: WebhookReceiver,
  owner: Client,
): Pick<WebhookFixture, 'dataUser' | 'subscribe' | 'consent' | 'anonymise'> {
  return {
    dataUser: async (displayName = 'Larkhill Insight Ltd') => {
      const contactUrl = 'https://larkhill.example/';
      const { account } = await accounts.onboard('test', { role: 'data_user', displayName, contactUrl });
      return { accountId: account.accountId, role: 'data_user', duid: account.duid, mpid: null };
    },
    subscribe: async (by, change = {}) => {
      const input = { callbackUrl: receiver.url, alertEmail: 'alerts@larkhill.example', ...change };
      const { webhook, signingSecret } = orFail(await execute(by, SUBSCRIBE, { input })).registerWebhook;
      return { ...webhook, signingSecret };
    },
    consent: async (by, expiresInDays = null, mpxn = newMpxn()) => {
      const ir = orFail(await executeInIdentity(by, IDENTIFY, { input: identityRecord(mpxn) })).registerIdentityRecord
        .ir;
      const now = (await owner.query('select register_now() as now')).rows[0].now as Date;
      const input = recordOnConsent(ir, now, expiresInDays);
      const ak = orFail(await execute(by, REGISTER, { input })).registerAccessRecord.accessToken.key;
      const { id } = orFail(
        await execute(by, 'query ($ak: AccessKey!) { accessRecord(key: $ak) { id } }', { ak }),
      ).accessRecord;
      return { ak, id, mpxn, ir };
    },
    anonymise: async (by, ir) => {
      orFail(
        await executeInIdentity(by, 'mutation ($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { ir } }', {
          ir,
        }),
      );
    },
  };
}

const SUBSCRIBE =
  'mutation ($input: WebhookInput!) { registerWebhook(input: $input) { webhook { id wid } signingSecret } }';
const IDENTIFY = 'mutation ($input: IdentityRecordInput!) { registerIdentityRecord(input: $input) { ir } }';
const REGISTER =
  'mutation ($input: AccessRecordInput!) { registerAccessRecord(input: $input) { accessToken { key } } }';
const CHANGE = 'mutation ($input: ChangeOfTenancyInput!) { recordChangeOfTenancy(input: $input) { mpxn } }';
const DAY = 86_400_000;

function recordOnConsent(ir: string, now: Date, expiresInDays: number | null) {
  const controller = {
    name: 'Larkhill Insight Ltd',
    contactUrl: 'https://larkhill.example/',
    privacyRightsUrl: 'https://larkhill.example/rights',
  };
  return {
    recordMetadata: {
      schemaVersion: '1.0',
      identityRecordRef: ir,
      controllerArrangement: { arrangementType: 'SOLE', controllers: [{ ...controller, role: 'SOLE' }] },
    },
    notice: { sharedNotice: { termsUrl: 'https://larkhill.example/terms', noticeVersion: '3' } },
    processing: { legalBasis: 'UK_CONSENT', purpose: 'Find a better tariff', dataTypes: ['HH_CONSUMPTION'] },
    accessEvent: {
      state: 'ACTIVE',
      registeredAt: new Date(now.getTime() - DAY).toISOString(),
      expiry: expiresInDays === null ? null : new Date(now.getTime() + expiresInDays * DAY).toISOString(),
      consent: { consentType: 'EXPRESSED_CONSENT' },
    },
  };
}

function identityRecord(mpxn: string) {
  const address = { addressLine1: '4 Lantern Row', townCity: 'Exampleford', postcode: 'NR1 4AB' };
  return {
    piiPrincipal: { mpxn, moveInDate: '2021-04-01', address },
    expressedBy: 'DATA_SUBJECT',
    principalVerification: verified,
    email: null,
  };
}

async function responseOf(
  link: SubgraphLink,
  caller: Caller,
  query: string,
  variables: object = {},
): Promise<WebhookResult> {
  const context: CallContext = { caller, service: null, transactionId: 'tid_test', clientAddress: '127.0.0.1' };
  const result = await link.execute({ query, variables: { ...variables }, fixed: true }, context);
  const { data, errors = [] } = JSON.parse(JSON.stringify(result));
  type ReportedError = {
    message: string;
    extensions: { code: string; violations?: { code: string; path: string[] }[] };
  };
  const reported = errors as ReportedError[];
  return {
    data,
    codes: reported.map(({ extensions }) => extensions.code),
    violations: reported
      .flatMap(({ extensions }) => extensions.violations ?? [])
      .map(({ code, path }) => `${code} ${path.join('.')}`),
  };
}

function orFail({ data, codes, violations }: WebhookResult) {
  if (codes.length > 0) throw new Error([...codes, ...violations].join());
  return data;
}
