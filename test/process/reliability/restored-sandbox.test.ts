import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rowsOf } from '../../support/backup-fixture';
import { type Place, freePort, placeOf, sandboxOf, startRegisterProcess } from '../../support/register';

/** Maximum duration of a start on a busy machine. */
const MAX_START_MS = 180_000;

/** Demo data are loaded at the first start only: each start has a register with accounts and no `sandbox.json`. */
describe('A register that was restored without its sandbox.json', () => {
  let place: Place;
  let file: string;
  let started: string;
  beforeAll(async () => {
    place = await placeOf();
    file = join(place.dataDir, 'sandbox.json');
    started = join(place.dataDir, 'demo-data.started');
    rmSync(file);
  });
  afterAll(() => place?.remove());

  const accounts = async () => (await rowsOf(place.databaseUrl, 'select from access.account')).length;

  async function outputOfStart(): Promise<string> {
    const ports = { REST_PORT: String(await freePort()), GATEWAY_PORT: String(await freePort()) };
    const register = await startRegisterProcess({ ...place.environment, ...ports });
    await register.stop();
    return register.output();
  }

  it(
    'starts without demo data, and prints where the logins are',
    async () => {
      const before = await accounts();
      expect(before).toBeGreaterThan(5);
      const output = await outputOfStart();
      expect(output).toContain(`No demo data: the register has accounts, but ${file} with the demo logins is missing.`);
      expect(output).not.toContain('Demo logins');
      expect([await accounts(), existsSync(file), existsSync(started)]).toEqual([before, false, false]);
    },
    MAX_START_MS,
  );

  it(
    'loads demo data if a start was interrupted while it loaded them',
    async () => {
      const before = await accounts();
      writeFileSync(started, '');
      expect(await outputOfStart()).toContain('Demo logins');
      const { length } = sandboxOf(place.dataDir).accounts;
      expect([await accounts(), existsSync(started)]).toEqual([before + length, false]);
      expect(readFileSync(file, 'utf8')).toContain('access_keys');
    },
    MAX_START_MS,
  );
});
