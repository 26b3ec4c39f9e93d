import crypto from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DemoData, createDemoData } from '../../sandbox/demo-data';
import { graphqlClient } from '../../sandbox/graphql-client';
import type { SandboxUrls } from '../../sandbox/sandbox';
import { ACCOUNT_ROLES, type AccountRole } from '../../schema/roles';
import { graphAs } from '../support/graph';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { type RegisterProcess, freePort, startRegisterProcess, startTestRegister } from '../support/register';
import { anonymousClient, signedInClient } from '../support/rest-client';

type Sandbox = DemoData & { readonly urls: SandboxUrls & { readonly oidc: string }; readonly mailbox: string };

describe('A sandbox, when its start says that it is ready', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'register-sandbox-'));
  const file = join(dataDir, 'sandbox.json');
  let database: FreshDatabase;
  let environment: Record<string, string>;
  let running: RegisterProcess;
  let sandbox: Sandbox;

  const start = async (): Promise<Sandbox> => {
    running = await startRegisterProcess(environment);
    return JSON.parse(readFileSync(file, 'utf8')) as Sandbox;
  };
  beforeAll(async () => {
    database = await freshDatabase();
    const names = ['GATEWAY_PORT', 'REST_PORT', 'PORTAL_PORT', 'CONSOLE_PORT', 'MAILBOX_PORT', 'OIDC_PORT'];
    const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await freePort())])));
    environment = { DATABASE_URL: database.url, DATA_DIR: dataDir, RATE_LIMITS: 'off', ...ports };
    sandbox = await start();
  });
  afterAll(async () => {
    await running.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const at = () => ({ rest: sandbox.urls.rest, gateway: sandbox.urls.gateway, sandbox }) as never;
  const ofRole = (role: AccountRole) => sandbox.accounts.filter((account) => account.role === role);

  it('has written a file with all logins, for its owner only, and nothing half written beside it', () => {
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

  it('has sample keys of the states that they are named after', async () => {
    const client = anonymousClient(sandbox.urls.rest);
    for (const [name, key] of Object.entries(sandbox.samples.access_keys)) {
      const { body } = await client('GET', `/v1/access-records/${key}`);
      expect([name, body['access-record']['access-event'].state]).toEqual([name, name.toUpperCase()]);
    }
    expect(Object.keys(sandbox.samples.access_keys)).toEqual(['active', 'revoked', 'expired', 'discovered']);
  });

  it('has customers whose Identity Records the first Data User reads', async () => {
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

  it('has a customer who signs in at the supplier: the one of whom nothing else is known for certain', async () => {
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

  it('shows the same logins after another start, with `ready` as its last word', async () => {
    await running.stop();
    const before = readFileSync(file, 'utf8');
    expect(await start()).toEqual(sandbox);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(running.output().trimEnd().split('\n').at(-1)).toMatch(/^ready gateway http/);
  });

  it('has logins that all work after another start, also when one of the old ones was suspended', async () => {
    const [analyst] = ofRole('analyst') as [DemoData['accounts'][number]];
    const admin = await graphAs(at(), 'admin');
    await admin(`mutation { suspendAccount(accountId: "${analyst.account_id}") { status } }`);
    await running.stop();
    sandbox = await start();
    expect(sandbox.accounts.map(({ account_id: id }) => id)).not.toContain(analyst.account_id);
    expect((await graphAs(at(), 'analyst').then((graph) => graph('{ viewer { role } }'))).status).toBe(200);
  });

  it('is filled anew in the same database when its data folder has no logins, however often', async () => {
    await running.stop();
    rmSync(file);
    const fresh = await start();
    const ids = new Set(sandbox.accounts.map(({ account_id: id }) => id));
    expect(fresh.accounts.filter(({ account_id: id }) => ids.has(id))).toEqual([]);
    expect(fresh.accounts).toHaveLength(sandbox.accounts.length);
  });
});

describe('Demo data in a register that has some', () => {
  it('draws another market participant id when the one drawn is in use', async () => {
    const register = await startTestRegister('one process');
    const accountOf = (role: AccountRole, { accounts }: Pick<DemoData, 'accounts'> = register.sandbox) =>
      accounts.find((account) => account.role === role) as DemoData['accounts'][number];
    const inUse = accountOf('supplier').mpid as string;
    const draw = jest.spyOn(crypto, 'randomInt').mockImplementationOnce((() => parseInt(inUse.slice(1), 36)) as never);
    try {
      const demo = await createDemoData(accountOf('admin'), (token) => graphqlClient(register.gateway, token));
      expect(draw).toHaveBeenCalledTimes(2);
      expect(accountOf('supplier', demo).mpid).not.toBe(inUse);
    } finally {
      draw.mockRestore();
      await register.close();
    }
  });
});
