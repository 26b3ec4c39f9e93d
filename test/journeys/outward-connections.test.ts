import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoData } from '../../sandbox/demo-data';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { type RegisterProcess, freePort, startRegisterProcess } from '../support/register';
import { anonymousClient } from '../support/rest-client';

const THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

describe('A register that has nobody to tell anything', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'register-data-'));
  let database: FreshDatabase;
  let register: RegisterProcess;
  let rest: string;

  beforeAll(async () => {
    database = await freshDatabase();
    const ports = { REST_PORT: String(await freePort()), GATEWAY_PORT: String(await freePort()) };
    rest = `http://localhost:${ports.REST_PORT}`;
    register = await startRegisterProcess({
      ...ports,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      NODE_OPTIONS: `--require=${join(__dirname, '..', 'support', 'connection-log.js')}`,
    });
  });
  afterAll(async () => {
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('connects to this machine only, from its start to its end: no library reports its use or looks for a cloud', async () => {
    const { samples } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as DemoData;
    const { status } = await anonymousClient(rest)('GET', `/v1/access-records/${samples.access_keys.active}`);
    expect(status).toBe(200);
    await register.stop();
    const hosts = new Set([...register.output().matchAll(/connects to (\S+)/g)].map(([, host]) => host as string));
    expect([...hosts].filter((host) => !THIS_MACHINE.test(host))).toEqual([]);
    expect(hosts).toContain('127.0.0.1');
  });
});
