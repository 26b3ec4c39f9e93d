import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import { KEY_VARIABLES } from '../../../process/keys';
import { readSettings } from '../../../process/settings';

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
