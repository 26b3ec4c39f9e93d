import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxKeyVariables, sandboxedSettings } from '../../../sandbox/keys';
import { KEY_VARIABLES } from '../../../process/settings/keys';
import type { AccountRepository } from '../../../subgraphs/access/accounts/account.repository';
import type { TerminationRepository } from '../../../subgraphs/access/accounts/termination.repository';
import { AccountResolver } from '../../../subgraphs/access/accounts/account.resolver';
import type { CallContext } from '../../../subgraphs/server/callers/caller';
import type { RegisterClock } from '../../../subgraphs/server/database/register-clock';
import { readSettings } from '../../../process/settings/read-settings';

describe('The clock', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'register-clock-'));
  afterAll(() => rmSync(dataDir, { recursive: true }));

  it.each([
    ['can be moved in a sandbox with the embedded database', {}, 0],
    ['cannot be moved in an existing database', { DATABASE_URL: 'postgres://localhost/register' }, undefined],
    [
      'can be moved in an existing database if CLOCK_CAN_MOVE permits it',
      { DATABASE_URL: 'postgres://localhost/r', CLOCK_CAN_MOVE: 'true' },
      0,
    ],
  ])('%s', async (_, environment, offset) => {
    expect((await sandboxedSettings({ DATA_DIR: dataDir, ...environment })).clockOffsetSeconds).toBe(offset);
  });

  it('cannot be moved by an admin if no setting permits it', async () => {
    const nothing = {} as AccountRepository & TerminationRepository & RegisterClock;
    const resolver = new AccountResolver(nothing, nothing, false, nothing, false);
    await expect(resolver.setClockOffset(60, {} as CallContext)).rejects.toMatchObject({ code: 'PRM001' });
  });
});

describe('The keys of a sandbox', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'register-keys-'));
  afterAll(() => rmSync(dataDir, { recursive: true }));

  it('are the same at every later start', () => {
    expect(sandboxKeyVariables(dataDir)).toEqual(sandboxKeyVariables(dataDir));
  });

  it('are all keys of the register', () => {
    const { keys } = readSettings(sandboxKeyVariables(dataDir));
    expect(Object.keys(keys).toSorted()).toEqual(Object.keys(KEY_VARIABLES).toSorted());
  });

  it('are used for keys whose variable is empty, as for missing ones', async () => {
    const empty = Object.fromEntries(Object.values(KEY_VARIABLES).map(({ variable }) => [variable, '']));
    const { keys } = await sandboxedSettings({ DATA_DIR: dataDir, ...empty });
    expect(keys).toEqual(readSettings(sandboxKeyVariables(dataDir)).keys);
  });

  it('are in one file that only the owner may read', () => {
    expect(readdirSync(dataDir)).toEqual(['keys.json']);
    expect(statSync(join(dataDir, 'keys.json')).mode & 0o777).toBe(0o600);
  });
});
