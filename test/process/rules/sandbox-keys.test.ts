import 'reflect-metadata';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxKeyVariables, sandboxedSettings } from '../../../sandbox/keys';
import { KEY_VARIABLES } from '../../../process/keys';
import { readSettings } from '../../../process/settings';
import type { AccountRepository } from '../../../subgraphs/access/database/account.repository';
import type { TerminationRepository } from '../../../subgraphs/access/database/termination.repository';
import { AccountResolver } from '../../../subgraphs/access/resolvers/account.resolver';
import type { CallContext } from '../../../subgraphs/server/caller';
import type { RegisterClock } from '../../../subgraphs/server/register-clock';

describe('The clock', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'register-clock-'));
  afterAll(() => rmSync(dataDir, { recursive: true }));

  it.each([
    ['can be moved in a sandbox, which has a database of its own', {}, 0],
    ['cannot be moved in another database', { DATABASE_URL: 'postgres://localhost/register' }, undefined],
    [
      'can be moved there, where a setting says so',
      { DATABASE_URL: 'postgres://localhost/r', CLOCK_CAN_MOVE: 'true' },
      0,
    ],
  ])('%s', async (_, environment, offset) => {
    expect((await sandboxedSettings({ DATA_DIR: dataDir, ...environment })).clockOffsetSeconds).toBe(offset);
  });

  it('is not moved by an admin where no setting says so', async () => {
    const nothing = {} as AccountRepository & TerminationRepository & RegisterClock;
    const resolver = new AccountResolver(nothing, nothing, false, nothing, false);
    await expect(resolver.setClockOffset(60, {} as CallContext)).rejects.toMatchObject({ code: 'PRM001' });
  });
});

describe('The keys of a sandbox', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'register-keys-'));
  afterAll(() => rmSync(dataDir, { recursive: true }));

  it('are the same for all who start at once, and at every later start', async () => {
    const starts = await Promise.all(Array.from({ length: 8 }, () => sandboxKeyVariables(dataDir)));
    const later = await sandboxKeyVariables(dataDir);
    for (const start of starts) expect(start).toEqual(later);
  });

  it('are all that the register asks for', async () => {
    const { keys } = readSettings(await sandboxKeyVariables(dataDir));
    expect(Object.keys(keys).toSorted()).toEqual(Object.keys(KEY_VARIABLES).toSorted());
  });

  it('lie in one file that nobody else may read', () => {
    expect(readdirSync(dataDir)).toEqual(['keys.json']);
    expect(statSync(join(dataDir, 'keys.json')).mode & 0o777).toBe(0o600);
  });
});
