import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JWK, decodeJwt } from 'jose';
import { Pool } from 'pg';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import type { DemoData } from '../../../sandbox/sandbox-file';
import { BEARER_TOKEN_LIFETIME, issueBearerToken } from '../../../subgraphs/server/callers/bearer-token';
import { onboarded, signIn } from '../../support/administration';
import { expectWait } from '../../support/limit-period';
import { repeated } from '../../support/confirmed-tokens';
import { graphOf } from '../../support/graph';
import { heldBy } from '../../support/held-lock';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import { type RegisterProcess, freePort, startTogether } from '../../support/register';
import { type RestClient, accountOf, anonymousClient, signedInClient, tokenOf } from '../../support/rest-client';

const MISSES = 3;
const FAILED_SIGN_INS = 2;
/** More requests than an account needs for the demo data. */
const REQUESTS = 300;
const LOOKUPS = 4;

/**
 * Expects 429 from a limit per minute whose requests started after an instant, with the wait in `Retry-After` and `RateLimit`
 * (draft-ietf-httpapi-ratelimit-headers).
 */
function expectLimited({ status, headers }: { status: number; headers: Headers }, startedAt: number): void {
  const seconds = Number(headers.get('retry-after'));
  expect([status, headers.get('ratelimit')]).toEqual([429, `"requests";r=0;t=${seconds}`]);
  expectWait(seconds, 60, startedAt);
}

/** Maximum duration of the start of two registers on a busy machine. */
const MAX_START_MS = 180_000;

const GRID_PROJECTS = '/grid-modelling/stage3/development-projects';

/** URLs of one of several registers. */
interface Replica {
  readonly rest: string;
  readonly gateway: string;
}

describe('Two registers that start at the same time on one empty database', () => {
  let database: FreshDatabase;
  let dataDir: string;
  let one: Replica;
  let other: Replica;
  let sandbox: DemoData;
  let processes: RegisterProcess[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'register-replicas-'));
    const places = await Promise.all([placeOf(), placeOf()]);
    processes = await startTogether(places.map(({ environment }) => environment));
    [one, other] = places as [Replica, Replica];
    sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData; // the file of the register that wrote last
  }, MAX_START_MS);
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    rmSync(dataDir, { recursive: true, force: true });
    await database.drop();
  });

  async function placeOf() {
    const [restPort, gatewayPort] = [await freePort(), await freePort()];
    const environment = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      REST_PORT: String(restPort),
      GATEWAY_PORT: String(gatewayPort),
      LIMIT_VERIFY_MISSES: String(MISSES),
      LIMIT_FAILED_SIGN_INS: String(FAILED_SIGN_INS),
      LIMIT_EXISTS_MINUTE: '1',
      LIMIT_REQUESTS: String(REQUESTS),
      LIMIT_PUBLIC_LOOKUPS: String(LOOKUPS),
      LIMIT_GRID_FILES: String(LOOKUPS),
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'error',
    };
    return { environment, rest: `http://localhost:${restPort}`, gateway: `http://localhost:${gatewayPort}` };
  }

  it('serve the same records', async () => {
    const { active } = sandbox.samples.access_keys;
    for (const { rest } of [one, other]) {
      expect((await anonymousClient(rest)('GET', `/v1/access-records/${active}`)).status).toBe(200);
    }
  });

  it('both reject an account as soon as one has suspended it', async () => {
    const admin = graphOf(one, await tokenOf({ ...one, sandbox }, 'admin'));
    const { account_id: accountId } = accountOf(sandbox, 'data_provider');
    const clients = await Promise.all(
      [one, other].map((replica) => signedInClient({ ...replica, sandbox }, 'data_provider')),
    );
    const { duid } = accountOf(sandbox, 'data_user') as { duid?: string };
    const statuses = async () =>
      Promise.all(clients.map(async (client) => (await client('GET', `/v1/data-users/${duid}`)).status));
    expect(await statuses()).toEqual([200, 200]);
    const change = (name: string) =>
      admin(`mutation ($id: ID!) { ${name}(accountId: $id) { accountId } }`, { id: accountId });
    expect((await change('suspendAccount')).errors).toEqual([]);
    expect(await statuses()).toEqual([401, 401]);
    expect((await change('reactivateAccount')).errors).toEqual([]);
    expect(await statuses()).toEqual([200, 200]);
  });

  it('both reject the tokens of an account at once when its secret is revoked, and accept those of the new secret', async () => {
    const admin = graphOf(one, await tokenOf({ ...one, sandbox }, 'admin'));
    const { accountId, secretKey } = await onboarded(admin, { role: 'ANALYST', displayName: 'Often Elsewhere' });
    const graphsWith = (secret: string) =>
      Promise.all(
        [one, other].map(async (replica) => graphOf(replica, (await signIn(replica, accountId, secret)).token)),
      );
    const statuses = (graphs: Awaited<ReturnType<typeof graphsWith>>) =>
      Promise.all(graphs.map(async (graph) => (await graph('{ viewer { role } }')).status));
    const thief = await graphsWith(secretKey);
    expect(await statuses(thief)).toEqual([200, 200]);
    const { data } = await admin(
      `mutation { rotateAccountSecret(accountId: "${accountId}", revokePrevious: true) { secretKey } }`,
    );
    expect(await statuses(thief)).toEqual([401, 401]);
    expect(await statuses(await graphsWith(String(data.rotateAccountSecret.secretKey)))).toEqual([200, 200]);
  });

  it('count no requests with an expired or revoked token: the account keeps its rate limit', async () => {
    const admin = graphOf(one, await tokenOf({ ...one, sandbox }, 'admin'));
    const { accountId, secretKey } = await onboarded(admin, { role: 'ANALYST', displayName: 'Often Robbed' });
    const { token: revoked } = await signIn(one, accountId, secretKey);
    const { TOKEN_SIGNING_KEYS: signingKeys } = sandboxKeyVariables(dataDir);
    const signing = { issuer: String(decodeJwt(revoked).iss), ...(JSON.parse(String(signingKeys)) as { keys: JWK[] }) };
    const caller = { accountId, role: 'analyst', duid: null, mpid: null } as const;
    const expired = await issueBearerToken(signing, caller, new Date(Date.now() - (BEARER_TOKEN_LIFETIME + 1) * 1_000));
    const flood = async (token: string) => {
      const codes = await repeated(REQUESTS, async () => {
        const { status, errors } = await graphOf(one, token)('{ viewer { role } }');
        return `${status} ${errors[0]?.extensions.code}`;
      });
      return [...new Set(codes)];
    };
    expect(await flood(expired)).toEqual(['401 AUT002']);
    const { data } = await admin(
      `mutation { rotateAccountSecret(accountId: "${accountId}", revokePrevious: true) { secretKey } }`,
    );
    expect(await flood(revoked)).toEqual(['401 AUT001']);
    const { token } = await signIn(one, accountId, String(data.rotateAccountSecret.secretKey));
    expect((await graphOf(one, token)('{ viewer { role } }')).status).toBe(200);
  });

  /** Verifies a key from a client address, which the trusted proxy passes on. */
  const verify = ({ rest }: Replica, key: string, address: string) =>
    anonymousClient(rest)('GET', `/v1/access-records/${key}`, undefined, { 'x-forwarded-for': address });
  const UNKNOWN = `ak_${'0'.repeat(24)}`;

  it.each([
    ['an IPv4 address', () => '198.51.100.7', '198.51.100.8'],
    ['the /64 of an IPv6 address', (number: number) => `2001:db8:7:7:${number}::${number}`, '2001:db8:7:8::1'],
    [
      'an IPv4-mapped IPv6 address',
      (number: number) => (number % 2 === 0 ? '198.51.100.9' : '::ffff:198.51.100.9'),
      '::ffff:198.51.100.10',
    ],
  ])('share one limit: verifications of unknown keys, not of existing ones, from %s', async (_, of, neighbour) => {
    const { active } = sandbox.samples.access_keys;
    const hits = async (count: number) => {
      for (let number = 0; number < count; number++)
        expect((await verify(number % 2 === 0 ? one : other, active, of(number))).status).toBe(200);
    };
    await hits(3 * MISSES);
    const startedAt = performance.now();
    for (let number = 0; number < MISSES; number++)
      expect((await verify(number % 2 === 0 ? one : other, UNKNOWN, of(number))).status).toBe(404);
    expectLimited(await verify(one, UNKNOWN, of(8)), startedAt);
    expectLimited(await verify(other, UNKNOWN, of(9)), startedAt);
    await hits(3 * MISSES);
    expect((await verify(one, UNKNOWN, neighbour)).status).toBe(404);
  });

  it('share one limit: requests of an account, by REST and GraphQL', async () => {
    const { duid } = accountOf(sandbox, 'data_user') as { duid?: string };
    const endpointsOf = async (replica: Replica) => {
      const token = await tokenOf({ ...replica, sandbox }, 'analyst');
      const rest = anonymousClient(replica.rest, `Bearer ${token}`);
      const graph = graphOf(replica, token);
      return {
        read: () => rest('GET', `/v1/data-users/${duid}`),
        query: () => graph('{ viewer { accountId } }'),
        verify: () => rest('GET', `/v1/access-records/${sandbox.samples.access_keys.active}`),
        readGrid: () => rest('GET', GRID_PROJECTS, undefined, { 'x-forwarded-for': '198.51.100.22' }),
      };
    };
    const [atOne, atOther] = [await endpointsOf(one), await endpointsOf(other)];
    const endpoints = [atOne.read, atOther.query, atOther.read, atOne.query] as const;
    const startedAt = performance.now();
    const statuses = await repeated(REQUESTS, async (number) => (await endpoints[number % 4]?.())?.status);
    expect(statuses).toEqual(Array<number>(REQUESTS).fill(200));
    for (const send of endpoints) expectLimited(await send(), startedAt);
    expect((await atOne.verify()).status).toBe(200);
    // What anyone may read then counts for the address, as without an account.
    for (let number = 0; number < LOOKUPS; number++) expect((await atOne.readGrid()).status).toBe(200);
    expectLimited(await atOther.readGrid(), startedAt);
  });

  it.each([
    ['suppliers', '/v1/suppliers'],
    ['grid models', GRID_PROJECTS],
  ])('share one limit: requests of an address for %s', async (_, path) => {
    const request = ({ rest }: Replica, address: string) =>
      anonymousClient(rest)('GET', path, undefined, { 'x-forwarded-for': address });
    const startedAt = performance.now();
    for (let number = 0; number < LOOKUPS; number++)
      expect((await request(number % 2 === 0 ? one : other, '198.51.100.20')).status).toBe(200);
    expectLimited(await request(one, '198.51.100.20'), startedAt);
    expectLimited(await request(other, '198.51.100.20'), startedAt);
    expect((await request(one, '198.51.100.21')).status).toBe(200);
  });

  it('share one limit: existence checks of an account', async () => {
    const request = async (replica: Replica) =>
      (
        await (
          await signedInClient({ ...replica, sandbox }, 'data_user')
        )('GET', '/v1/identity-records/exists?mpxn=1012345678')
      ).status;
    expect([await request(one), await request(other)]).toEqual([200, 429]);
  });

  it('share one limit: existence checks and re-identifications of an account', async () => {
    const mpxn = '9912345678'; // without a registered customer
    const clients = async (role: 'portal' | 'data_user', index: number) =>
      Promise.all([one, other].map((replica) => signedInClient({ ...replica, sandbox }, role, index)));
    const exists = async (client: RestClient) =>
      (await client('GET', `/v1/identity-records/exists?mpxn=${mpxn}`)).status;
    const reidentify = async (client: RestClient) =>
      (await client('POST', '/v1/identity-records/reidentify', { mpxn, method: 'magic-link' })).status;
    const [portalAtOne, portalAtOther] = (await clients('portal', 0)) as [RestClient, RestClient];
    expect([await exists(portalAtOne), await reidentify(portalAtOther)]).toEqual([200, 429]);
    const [dataUserAtOne, dataUserAtOther] = (await clients('data_user', 1)) as [RestClient, RestClient];
    expect([await reidentify(dataUserAtOther), await exists(dataUserAtOne)]).toEqual([404, 429]);
  });

  it('share one limit: failed sign-ins', async () => {
    const fail = ({ rest }: Replica) =>
      anonymousClient(rest, `Basic ${btoa('acc_none:sk_none')}`)('GET', '/v1/auth/token');
    const startedAt = performance.now();
    const failed = [await fail(one), await fail(other)].map(({ status }) => status);
    expect(failed).toEqual(Array<number>(FAILED_SIGN_INS).fill(401));
    expectLimited(await fail(other), startedAt);
    expectLimited(await fail(one), startedAt);
  });

  it('reject a sign-in whose secret was being checked when failed ones exceeded the limit', async () => {
    const { account_id: accountId, secret_key: secret } = accountOf(sandbox, 'data_user');
    const startedAt = performance.now();
    const from = { 'x-forwarded-for': '192.0.2.77' };
    const signInWith = (secretKey: string) =>
      fetch(`${one.rest}/v1/auth/token`, {
        headers: { ...from, authorization: `Basic ${btoa(`${accountId}:${secretKey}`)}` },
      });
    for (let count = 0; count < FAILED_SIGN_INS; count++) expect((await signInWith('sk_none')).status).toBe(401);
    const pool = new Pool({ connectionString: database.url });
    const lock = await heldBy(pool, 'lock table access.account_secret in access exclusive mode', []);
    const signingIn = signInWith(secret);
    await lock.isWaitedFor();
    // As a concurrent failed sign-in does.
    await pool.query('update access.rate_limit set points = points + 1 where points = $1', [FAILED_SIGN_INS]);
    await lock.release();
    const response = await signingIn;
    await pool.end();
    expectLimited(response, startedAt);
  });
});
