import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoData } from '../../sandbox/demo-data';
import { graphOf } from '../support/graph';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { type RegisterProcess, freePort, startTogether } from '../support/register';
import { type RestClient, accountOf, anonymousClient, signedInClient, tokenOf } from '../support/rest-client';

const MISSES = 3;
const FAILED_SIGN_INS = 2;

/** A register as one of several. */
interface Replica {
  readonly rest: string;
  readonly gateway: string;
}

describe('Two registers that start at once on one empty database', () => {
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
    sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData; // of the one that wrote last
  });
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

  it('refuse at once, through both, an account that was suspended through one', async () => {
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

  it('count one limit together: verifications of unknown keys', async () => {
    const miss = async ({ rest }: Replica) =>
      (await anonymousClient(rest)('GET', `/v1/access-records/ak_${'0'.repeat(24)}`)).status;
    expect([await miss(one), await miss(other), await miss(one)]).toEqual(Array<number>(MISSES).fill(404));
    expect([await miss(one), await miss(other)]).toEqual([429, 429]);
  });

  it('count one limit together: questions of an account whether an identity record exists', async () => {
    const ask = async (replica: Replica) =>
      (
        await (
          await signedInClient({ ...replica, sandbox }, 'data_user')
        )('GET', '/v1/identity-records/exists?mpxn=1012345678')
      ).status;
    expect([await ask(one), await ask(other)]).toEqual([200, 429]);
  });

  it('count one limit together: existence checks and re-identifications of an account', async () => {
    const mpxn = '9912345678'; // nobody is registered there
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

  it('count one limit together: failed sign-ins', async () => {
    const fail = async ({ rest }: Replica) =>
      (await anonymousClient(rest, `Basic ${btoa('acc_none:sk_none')}`)('GET', '/v1/auth/token')).status;
    expect([await fail(one), await fail(other)]).toEqual(Array<number>(FAILED_SIGN_INS).fill(401));
    expect([await fail(other), await fail(one)]).toEqual([429, 429]);
  });
});
