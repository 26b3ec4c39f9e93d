import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { type RegisterProcess, freePort, startTogether } from '../support/register';
import { anonymousClient } from '../support/rest-client';

const SUBSETS = [
  ['identity,access,grid-models,tariffs,gateway', 'rest-adapter'],
  ['identity,access,grid-models,tariffs,rest-adapter', 'gateway'],
  ['identity,tariffs', 'access,grid-models,gateway,rest-adapter'],
  ['access,grid-models', 'identity,tariffs,gateway,rest-adapter'],
] as const;

describe.each(SUBSETS)('A register of two processes, %s and %s,', (first, second) => {
  let database: FreshDatabase;
  let dataDir: string;
  let rest: string;
  let ports: Record<string, string>;
  let processes: RegisterProcess[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'register-subset-'));
    const variables = ['GATEWAY_PORT', 'REST_PORT', 'ACCESS_PORT', 'IDENTITY_PORT', 'GRID_MODELS_PORT', 'TARIFFS_PORT'];
    ports = Object.fromEntries(await Promise.all(variables.map(async (name) => [name, String(await freePort())])));
    rest = `http://localhost:${ports['REST_PORT']}`;
    const common = { ...ports, DATABASE_URL: database.url, DATA_DIR: dataDir, LOG_LEVEL: 'error' };
    processes = await startTogether([first, second].map((services) => ({ ...common, SERVICES: services })));
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    rmSync(dataDir, { recursive: true, force: true });
    await database.drop();
  });

  it('answers for each part: records, sign-in and the keys of the tokens', async () => {
    const anonymous = anonymousClient(rest);
    expect((await anonymous('GET', `/v1/access-records/ak_${'0'.repeat(24)}`)).status).toBe(404);
    const signIn = anonymousClient(rest, `Basic ${btoa('acc_none:sk_none')}`);
    expect((await signIn('GET', '/v1/auth/token')).status).toBe(401);
    const keySet = await anonymous('GET', '/.well-known/jwks.json');
    expect([keySet.status, keySet.body['keys']]).toEqual([200, [expect.objectContaining({ kty: 'OKP' })]]);
  });

  it('is ready in all parts', async () => {
    expect((await fetch(`http://localhost:${ports['GATEWAY_PORT']}/health`)).status).toBe(200);
  });
});
