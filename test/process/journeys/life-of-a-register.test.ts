import crypto from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader } from 'jose';
import { Client } from 'pg';
import { createDemoData } from '../../../sandbox/demo-data';
import type { DemoData } from '../../../sandbox/sandbox-file';
import { graphqlClient } from '../../../sandbox/graphql-client';
import { newKeyVariables } from '../../../process/settings/new-keys';
import { runningPostgres } from '../../../sandbox/postgres/running-postgres';
import type { SandboxUrls } from '../../../sandbox/sandbox';
import { ACCOUNT_ROLES, type AccountRole } from '../../../schema/roles';
import { type OnboardedAccount, onboarded, signIn } from '../../support/administration';
import { backOffice } from '../../support/console-visitor';
import { graphAs, graphOf } from '../../support/graph';
import { livingProcesses } from '../../support/launcher-fixture';
import { runOperatorCommand } from '../../support/operator-command';
import { freePort, spawnRegisterProcess } from '../../support/register';
import { accountOf, anonymousClient, good, signedInClient, tokenOf } from '../../support/rest-client';
import { type TraceCollector, startTraceCollector } from '../../support/trace-collector';
import { until } from '../../support/until';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver';

type Sandbox = DemoData & { readonly urls: SandboxUrls & { readonly oidc: string }; readonly mailbox: string };
type Environment = Record<string, string>;

const PORTS = ['GATEWAY_PORT', 'REST_PORT', 'PORTAL_PORT', 'CONSOLE_PORT', 'MAILBOX_PORT', 'OIDC_PORT'];
const THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
/** Maximum duration of a start on a busy machine. */
const MAX_START_MS = 180_000;
/** Less than the lifetime of a token. */
const SECONDS_AHEAD = 1_200;

const folder = mkdtempSync(join(tmpdir(), 'register-life-'));
/** A data folder readable by every account, so that it contains the database files. */
const dataDir = join(folder, 'data');
const file = join(dataDir, 'sandbox.json');
const keys: object[] = [];
const sockets: Socket[] = [];
let environment: Environment;
let register: ReturnType<typeof spawnRegisterProcess>;
let sandbox: Sandbox;
/** A receiver of webhooks that never responds. */
let silent: WebhookReceiver;
/** Duration of the shutdown of a register with half a request open on both ports and a delivery under way, in milliseconds. */
let gracefulShutdownMs: number;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  const ports = Object.fromEntries(await Promise.all(PORTS.map(async (name) => [name, String(await freePort())])));
  const issuer = { BASE_URL: `http://localhost:${ports['REST_PORT']}/v1` };
  environment = { DATA_DIR: dataDir, RATE_LIMITS: 'off', WEBHOOK_ALLOW_LOOPBACK: 'true', ...issuer, ...ports };
  silent = await webhookReceiver();
  silent.respondWith(() => () => undefined);
  for (const { TOKEN_SIGNING_KEYS } of [newKeyVariables(), newKeyVariables()])
    keys.push(...(JSON.parse(TOKEN_SIGNING_KEYS as string) as { keys: object[] }).keys);
});
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
afterAll(async () => {
  await register.kill();
  await silent.close();
  await until(() => processes().length === 0 || undefined);
  rmSync(folder, { recursive: true, force: true });
});

const processes = () => livingProcesses().filter(({ command }) => command.includes(folder));
const interrupt = () => process.kill(Number(register.child.pid), 'SIGINT');
const interruptTheGroup = () => process.kill(-Number(register.child.pid), 'SIGINT');

/** Empties the data folder. */
function emptyDataDir(): void {
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
}

/** Starts the register with the present data as the leader of a process group, as a terminal does. */
async function start(more: Environment): Promise<void> {
  register = spawnRegisterProcess({ ...environment, ...more }, true);
  await register.ready;
  sandbox = JSON.parse(readFileSync(file, 'utf8')) as Sandbox;
}

const signedBy = (...chosen: (object | undefined)[]) => ({ TOKEN_SIGNING_KEYS: JSON.stringify({ keys: chosen }) });

/** Sends signals; returns exit code and duration once no process of the register is left. */
async function endOf(signal: () => void): Promise<{ code: number | null; milliseconds: number }> {
  const begin = performance.now();
  signal();
  const code = await register.ended;
  const milliseconds = performance.now() - begin;
  await until(() => processes().length === 0 || undefined);
  return { code, milliseconds };
}

/** Sends an incomplete request to each port. */
async function sendHalves(): Promise<void> {
  for (const port of [environment['REST_PORT'], environment['GATEWAY_PORT']]) {
    const socket = connect(Number(port), 'localhost');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await new Promise((resolve) =>
      socket.write(
        'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
        resolve,
      ),
    );
  }
  for (const port of [environment['REST_PORT'], environment['GATEWAY_PORT']]) {
    await fetch(`http://localhost:${port}/health/live`); // the server has received the earlier bytes by then
  }
}

/** Sends an event to a receiver that does not respond. */
async function sendUnansweredEvent(): Promise<void> {
  const dataUser = await signedInClient(at(), 'data_user');
  const { received, url } = silent;
  const before = received.length;
  const subscription = { 'callback-url': `${url}/${before}`, 'alert-email': 'alerts@larkhill.example' };
  const { body } = good(await dataUser('POST', '/v1/webhooks', subscription));
  good(await dataUser('POST', `/v1/webhooks/${body['webhook'].wid}/test`));
  await until(() => received.slice(before).some(({ path }) => path.endsWith(`/${before}`)) || undefined);
}

const at = () => ({ rest: sandbox.urls.rest, gateway: sandbox.urls.gateway, sandbox });
const ofRole = (role: AccountRole) => sandbox.accounts.filter((account) => account.role === role);
const kidOf = (key: object | undefined) => (key as { kid: string }).kid;
const viewerStatus = async (token: string) => (await graphOf(at(), token)('{ viewer { accountId } }')).status;

/** Returns the offset of the register's clock in seconds. */
async function secondsAhead(): Promise<number> {
  const client = new Client({ connectionString: await runningPostgres(dataDir) });
  await client.connect();
  try {
    const { rows } = await client.query<{ ahead: number }>(
      'select extract(epoch from register.register_now() - statement_timestamp())::int as ahead',
    );
    return rows[0]?.ahead ?? NaN;
  } finally {
    await client.end();
  }
}

describe('A register that is interrupted during its first start', () => {
  it.each([
    ['its group', interruptTheGroup],
    ...(process.env['TEST_LONG'] === undefined ? [] : [['the process', interrupt] as const]),
  ] as const)('ends when Ctrl-C reaches %s', async (_, signal) => {
    emptyDataDir();
    register = spawnRegisterProcess(environment, true);
    await until(() => existsSync(join(dataDir, 'postgres.new')) || undefined);
    expect(await endOf(signal)).toMatchObject({ code: 0 });
  });
});

let tokenOfTheOldKey: string;
let robbed: OnboardedAccount;

/** Runs the command that replaces a stolen secret. */
const revokeSecret = () =>
  runOperatorCommand('commands/admin', ['revoke-secret', '--account', robbed.accountId], { DATA_DIR: dataDir }).ended;

describe('The next start, the first successful one,', () => {
  beforeAll(
    () =>
      start({
        ...signedBy(keys[0]),
        NODE_OPTIONS: `--require=${join(__dirname, '..', '..', 'support', 'connection-log.js')}`,
      }),
    MAX_START_MS,
  );

  it('has written a file with all logins that only its owner can read, and no temporary file', () => {
    expect(Object.keys(sandbox).toSorted()).toEqual([
      ...['accounts', 'customers', 'grid', 'mailbox', 'rti_users', 'samples', 'tariff', 'urls'],
    ]);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect(readdirSync(dataDir).filter((name) => name.startsWith('sandbox'))).toEqual(['sandbox.json']);
    expect(sandbox.urls).toEqual({
      gateway: `http://localhost:${environment['GATEWAY_PORT']}`,
      rest: `http://localhost:${environment['REST_PORT']}`,
      portal: `http://localhost:${environment['PORTAL_PORT']}`,
      console: `http://localhost:${environment['CONSOLE_PORT']}`,
      identity: `http://localhost:${environment['PORTAL_PORT']}/identify`,
      oidc: `http://localhost:${environment['OIDC_PORT']}`,
    });
    expect(sandbox.mailbox).toBe(`http://localhost:${environment['MAILBOX_PORT']}`);
    expect(sandbox.grid).toEqual({ area: 'EPN', project: 'Thetford-33kV', year: 2026, period: '01' });
  });

  it('has at least two Data Users and one account of every other role, and each of them signs in', async () => {
    for (const role of ACCOUNT_ROLES) {
      expect([role, ofRole(role).length]).toEqual([role, role === 'data_user' ? 2 : 1]);
    }
    for (const { name, role, account_id: id, secret_key: secret, ...more } of sandbox.accounts) {
      expect([name, id, secret]).toEqual([
        expect.stringMatching(/./),
        expect.stringMatching(/^acc_[0-9a-f]{24}$/),
        expect.stringMatching(/^sk_[\w-]{43}$/),
      ]);
      const duid = expect.stringMatching(/^duid_[0-9a-f]{24}$/);
      const organisation = { duid, return_urls: [expect.stringMatching(/^https:/)] };
      const supplier = { mpid: expect.stringMatching(/^[A-Z0-9]{4}$/), api_key: expect.stringMatching(/^sk_/) };
      expect(more).toEqual(
        role === 'data_user' || role === 'portal' ? organisation : role === 'supplier' ? supplier : {},
      );
      const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
      expect((await anonymousClient(sandbox.urls.rest, basic)('GET', '/v1/auth/token')).status).toBe(200);
    }
  });

  it('has sample keys whose names are the states of their records', async () => {
    const client = anonymousClient(sandbox.urls.rest);
    for (const [name, key] of Object.entries(sandbox.samples.access_keys)) {
      const { body } = await client('GET', `/v1/access-records/${key}`);
      expect([name, body['access-record']['access-event'].state]).toEqual([name, name.toUpperCase()]);
    }
    expect(Object.keys(sandbox.samples.access_keys)).toEqual(['active', 'revoked', 'expired', 'discovered']);
  });

  it('shows in the console that no webhook is subscribed', async () => {
    const visitor = await backOffice({ console: sandbox.urls.console, sandbox });
    expect((await visitor.get('/')).text).toContain('No Data User has a subscription.');
  });

  it('has customers whose Identity Records the first Data User can read', async () => {
    const dataUser = await signedInClient(at(), 'data_user');
    expect(sandbox.customers.length).toBeGreaterThan(0);
    expect(sandbox.customers[0]).toMatchObject({ ir: sandbox.samples.identity_record, mpxn: sandbox.samples.mpxn });
    for (const { ir, mpxn, email } of sandbox.customers) {
      const { body } = await dataUser('GET', `/v1/identity-records/${ir}`);
      expect(body['identity-record']).toMatchObject({ ir, 'has-email': true, 'pii-principal': { mpxn } });
      const found = await dataUser('GET', `/v1/identity-records?email=${encodeURIComponent(email)}`);
      expect(found.body['identity-records'].map((record: { ir: string }) => record.ir)).toContain(ir);
    }
  });

  it('has a customer who signs in at the supplier, because no contact is verified', async () => {
    for (const { oidc_login, oidc_password } of sandbox.customers)
      expect([oidc_login, oidc_password]).toEqual([
        expect.stringMatching(/^[\w.]+$/),
        expect.stringMatching(/^[\w-]{16}$/),
      ]);
    const { issuer } = (await (await fetch(`${sandbox.urls.oidc}/.well-known/openid-configuration`)).json()) as {
      issuer: string;
    };
    expect(issuer).toBe(sandbox.urls.oidc);
    expect(await (await fetch(sandbox.mailbox)).json()).toEqual([]);
    expect((await fetch(sandbox.urls.portal)).status).toBe(200);
  });

  it('has records of all six legal bases, of every state, sole, joint and group', async () => {
    const analyst = await graphAs(at(), 'analyst');
    const { data } = await analyst('{ allAccessRecords { nodes { legalBasis state arrangementType } } }');
    const valuesOf = (name: string) =>
      [...new Set(data.allAccessRecords.nodes.map((node: Record<string, string>) => node[name]))].toSorted();
    expect(valuesOf('legalBasis').filter(Boolean)).toEqual([
      'UK_CONSENT',
      'UK_CONTRACT',
      'UK_EXPLICIT_CONSENT',
      'UK_LEGAL_OBLIGATION',
      'UK_LEGITIMATE_INTERESTS',
      'UK_PUBLIC_TASK',
    ]);
    expect(valuesOf('state')).toEqual(['ACTIVE', 'DISCOVERED', 'EXPIRED', 'REVOKED']);
    expect(valuesOf('arrangementType')).toEqual(['GROUP', 'JOINT', 'SOLE']);
  });

  it('signs tokens with its key', async () => {
    tokenOfTheOldKey = await tokenOf(at(), 'admin');
    expect(decodeProtectedHeader(tokenOfTheOldKey).kid).toBe(kidOf(keys[0]));
  });

  it('restarts its PostgreSQL when that is killed, and serves again', async () => {
    const url = `${sandbox.urls.rest}/v1/access-records/${sandbox.samples.access_keys.active}`;
    const status = async () => (await fetch(url)).status;
    expect(await status()).toBe(200);
    process.kill(Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
    await until(async () => (await status()) === 503 || undefined);
    await until(async () => (await status()) === 200 || undefined);
  });

  it('has a command that replaces a stolen secret in its embedded database', async () => {
    const analyst = { role: 'ANALYST', displayName: 'Robbed Analyst' };
    robbed = await onboarded(await graphAs(at(), 'admin'), analyst);
    const { code, printed } = await revokeSecret();
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(/^\{"account_id":/) });
    const login = JSON.parse(printed) as { account_id: string; secret_key: string };
    expect((await signIn(at(), robbed.accountId, robbed.secretKey)).status).toBe(401);
    expect((await signIn(at(), login.account_id, login.secret_key)).status).toBe(200);
  });

  it('ends within ten seconds with half a request open on both ports and a delivery under way', async () => {
    await sendUnansweredEvent();
    await sendHalves();
    const { code, milliseconds } = await endOf(interrupt);
    gracefulShutdownMs = milliseconds;
    expect(code).toBe(0); // after nine seconds it would be 1
  });

  it('must run for that command, which says so', async () => {
    const printed = expect.stringContaining(
      `no register with an embedded database runs in ${dataDir} (DATA_DIR): start it`,
    );
    expect(await revokeSecret()).toMatchObject({ code: 1, printed });
  });

  it('has connected only to this machine: no library sends telemetry or queries cloud metadata', () => {
    const hosts = new Set([...register.output().matchAll(/connects to (\S+)/g)].map(([, host]) => host as string));
    expect([...hosts].filter((host) => !THIS_MACHINE.test(host))).toEqual([]);
    expect(hosts).toContain('127.0.0.1');
  });
});

describe('Another start, with a new signing key first, a moved clock and a trace collector,', () => {
  let collector: TraceCollector;
  let before: string;
  let loginsBefore: Sandbox;

  beforeAll(async () => {
    collector = await startTraceCollector();
    before = readFileSync(file, 'utf8');
    loginsBefore = sandbox;
    await start({
      ...signedBy(keys[1], keys[0]),
      CLOCK_OFFSET_SECONDS: String(SECONDS_AHEAD),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
  }, MAX_START_MS);
  afterAll(() => collector.close());

  it('prints `ready` as its last line', () => {
    expect(register.output().trimEnd().split('\n').at(-1)).toMatch(
      /^ready gateway http:\S+ rest http:\S+ portal http:\S+ console http:\S+$/,
    );
    expect(register.output()).toContain('gateway listens');
  });

  it('prints the same logins', () => {
    expect(sandbox).toEqual(loginsBefore);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('is ahead by CLOCK_OFFSET_SECONDS', async () => {
    expect(await secondsAhead()).toBe(SECONDS_AHEAD);
  });

  it('signs with the new key, also accepts tokens of the old one, and publishes both public keys', async () => {
    const token = await tokenOf(at(), 'admin');
    expect(decodeProtectedHeader(token).kid).toBe(kidOf(keys[1]));
    expect([await viewerStatus(token), await viewerStatus(tokenOfTheOldKey)]).toEqual([200, 200]);
    const keySet = (await (await fetch(`${sandbox.urls.rest}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[];
    };
    expect(keySet.keys.map(({ kid }) => kid)).toEqual([keys[1], keys[0]].map(kidOf));
    expect(JSON.stringify(keySet)).not.toContain('"d"');
  });

  it('sends a trace with spans of adapter, gateway and subgraph, each with the transaction id of the request', async () => {
    const { active } = sandbox.samples.access_keys;
    const { body } = await anonymousClient(sandbox.urls.rest)('GET', `/v1/access-records/${active}`);
    const id = body['response']['transaction-id'];
    const ofRequest = () => collector.spans().filter(({ attributes }) => attributes['transaction-id'] === id);
    const spans = await until(() => (ofRequest().length >= 3 ? ofRequest() : undefined));
    expect(spans.map(({ name }) => name)).toEqual([
      'subgraph access',
      'gateway VerifyAccessRecord',
      'GET /v1/access-records/{ak}',
    ]);
    const [first] = spans;
    expect(collector.spans().filter(({ traceId }) => traceId === first?.traceId)).toEqual(spans);
    for (const { attributes } of spans) expect(attributes).toEqual({ 'transaction-id': id });
  });

  it('sends spans in a trace of its own for a client that names another trace and switches off its sampling', async () => {
    const others = 'ab'.repeat(16);
    const response = await fetch(`${sandbox.urls.gateway}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        traceparent: `00-${others}-${'cd'.repeat(8)}-00`,
        baggage: 'client=chosen',
      },
      body: JSON.stringify({ query: `{ accessRecord(key: "${sandbox.samples.access_keys.active}") { version } }` }),
    });
    const id = response.headers.get('transaction-id');
    const ofRequest = () => collector.spans().filter(({ attributes }) => attributes['transaction-id'] === id);
    const spans = await until(() => (ofRequest().length >= 2 ? ofRequest() : undefined));
    expect(spans.map(({ name }) => name)).toEqual(['subgraph access', 'gateway ad hoc']);
    for (const { traceId } of spans) expect(traceId).not.toBe(others);
  });

  it('sends no path value, query string or body', async () => {
    const { mpxn, access_keys: samples } = sandbox.samples;
    const dataUser = await signedInClient(at(), 'data_user');
    await dataUser('GET', `/v1/meter-points/${mpxn}/access-records`);
    await dataUser('GET', `/v1/identity-records?mpxn=${mpxn}`);
    await dataUser('GET', `/v1/access-records/${samples.active}`);
    const names = ['GET /v1/meter-points/{mpxn}/access-records', 'GET /v1/identity-records'];
    await until(() => names.every((expected) => collector.spans().some(({ name }) => name === expected)) || undefined);
    for (const secret of [mpxn, samples.active]) expect(collector.received()).not.toContain(secret);
  });

  it('ends immediately at a second signal with half a request open on both ports and a delivery under way', async () => {
    const [analyst] = ofRole('analyst');
    const admin = await graphAs(at(), 'admin');
    const suspended = await admin(`mutation { suspendAccount(accountId: "${analyst?.account_id}") { status } }`);
    expect(suspended.errors).toEqual([]);
    await sendUnansweredEvent();
    await sendHalves();
    const twice = () => {
      interrupt();
      setTimeout(interrupt, 1_000); // earlier it would count as the first signal, forwarded by npm
    };
    const { code, milliseconds } = await endOf(twice);
    silent.respondWith(() => 204); // no attempt of its deliveries prolongs a later shutdown
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(gracefulShutdownMs);
  });
});

describe('A start without the old signing key, after the suspension of a demo account,', () => {
  let before: Sandbox;
  beforeAll(async () => {
    before = sandbox;
    await start(signedBy(keys[1]));
  }, MAX_START_MS);

  it('has a clock that shows real time again', async () => {
    expect(await secondsAhead()).toBe(0);
  });

  it('rejects tokens of the old key', async () => {
    expect(await viewerStatus(tokenOfTheOldKey)).toBe(401);
  });

  it('has new logins for all accounts, and all work', async () => {
    const ids = new Set(before.accounts.map(({ account_id: id }) => id));
    expect(sandbox.accounts.filter(({ account_id: id }) => ids.has(id))).toEqual([]);
    expect(sandbox.accounts).toHaveLength(before.accounts.length);
    const analyst = await graphAs(at(), 'analyst');
    expect((await analyst('{ viewer { role } }')).status).toBe(200);
  });

  it('tries another market participant id for new demo data if the first is in use', async () => {
    const inUse = accountOf(sandbox, 'supplier').mpid as string;
    const draw = jest.spyOn(crypto, 'randomInt').mockImplementationOnce((() => parseInt(inUse.slice(1), 36)) as never);
    try {
      const demo = await createDemoData(accountOf(sandbox, 'admin'), (token) =>
        graphqlClient(sandbox.urls.gateway, token),
      );
      expect(draw).toHaveBeenCalledTimes(2);
      const supplier = demo.accounts.find(({ role }) => role === 'supplier');
      expect(supplier?.mpid).not.toBe(inUse);
    } finally {
      draw.mockRestore();
    }
  });

  it('shuts down gracefully when Ctrl-C reaches its group and npm forwards it', async () => {
    const twice = () => {
      interruptTheGroup();
      interruptTheGroup();
    };
    const requestedAt = new Date().toISOString();
    const { code, milliseconds } = await endOf(twice);
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(gracefulShutdownMs);
    const errors = [...register.output().matchAll(/"level":50,"time":"([^"]+)".*/g)];
    expect(errors.filter(([, time = '']) => time >= requestedAt).map(([line]) => line)).toEqual([]);
    expect(register.output()).not.toContain('did not close');
  });
});
