import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandErrorMessage, startupErrorMessage } from '../../../process/startup-error';
import { readMigrationSettings } from '../../../process/settings/migration-settings';
import { readBackupSettings, readSettings } from '../../../process/settings/read-settings';

const production = { NODE_ENV: 'production' };

/** Returns what a synchronous or asynchronous function throws. */
const thrown = async (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (error: unknown) => error,
    );

describe('The message of a failed command', () => {
  it('does not say that the register cannot start; that of a failed start does', async () => {
    for (const read of [readMigrationSettings, readBackupSettings]) {
      const message = commandErrorMessage(await thrown(() => read(production)), production);
      expect(message).toMatch(/^some settings are missing or wrong:\n[^]* - DATABASE_URL: missing/);
    }
    const message = startupErrorMessage(await thrown(() => readSettings(production)), production);
    expect(message).toMatch(/^the register cannot start: some settings are missing or wrong:\n {2}- /);
  });

  it('names the folder that cannot be created, and DATA_DIR only for a folder in it', async () => {
    const folder = join(__filename, 'register'); // below a file
    const error = await thrown(() => mkdir(folder, { recursive: true }));
    expect(commandErrorMessage(error, {})).toMatch(`${folder} cannot be used: ENOTDIR`);
    expect(commandErrorMessage(error, { DATA_DIR: __filename })).toMatch(/^DATA_DIR cannot be used: ENOTDIR/);
  });

  it('names no variable for a full disk, whose error names no path', () => {
    const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    expect(commandErrorMessage(error, {})).toBe('ENOSPC: no space left on device, write');
  });

  it('names HOST for a name that cannot be resolved if it is that of HOST, and DATABASE_URL for another one', () => {
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND absent.example'), {
      ...{ code: 'ENOTFOUND', hostname: 'absent.example' },
    });
    expect(commandErrorMessage(error, { HOST: 'absent.example' })).toMatch(/^HOST cannot be used: getaddrinfo/);
    expect(commandErrorMessage(error, { HOST: '0.0.0.0' })).toMatch(/^DATABASE_URL cannot be used: getaddrinfo/);
  });
});
