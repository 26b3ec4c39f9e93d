import os from 'node:os';
import { join } from 'node:path';
import { startFault } from '../../process/start-fault';
import { newKeyVariables } from '../../sandbox/keys';
import { gridArchive } from '../support/grid-archives';
import { type GridDatabase, gridDatabase } from '../support/grid-database';
import { runOperatorCommand } from '../support/operator-command';

let grid: GridDatabase;
let environment: Record<string, string>;
beforeAll(async () => {
  grid = await gridDatabase();
  environment = {
    ...(await newKeyVariables()),
    GRID_MODELS_KEY: grid.key.toString('base64'),
    DATABASE_URL: grid.url,
    DATA_DIR: grid.folder.path,
  };
});
afterAll(() => grid?.close());

const PLACE = ['--area', 'EPN', '--year', '2026', '--period', '01', '--project', 'Told'];

const told = (...words: string[]) => runOperatorCommand('publish-grid.ts', words, environment).ended;

describe('the command that publishes says in its own words', () => {
  it('how it is used, when it is asked', async () => {
    const { code, said } = await told('--help');
    expect(code).toBe(0);
    expect(said).toMatch(/^usage: npm run --silent publish-grid -- --area EPN/);
    expect((await told(...PLACE, '--help')).code).toBe(0);
  });

  it('that there is no such file', async () => {
    const absent = join(grid.folder.path, 'absent.zip');
    expect(await told(...PLACE, absent)).toEqual({ code: 1, said: `${absent}: there is no such file\n` });
    const below = join(await grid.folder.write('plain', ''), 'absent.zip');
    expect(await told(...PLACE, below)).toEqual({ code: 1, said: `${below}: there is no such file\n` });
  });

  it('that it is a folder', async () => {
    const said = `${grid.folder.path}: is a folder, not an archive\n`;
    expect(await told(...PLACE, grid.folder.path)).toEqual({ code: 1, said });
  });

  it('that it is something else than a file', async () => {
    expect(await told(...PLACE, '/dev/null')).toEqual({ code: 1, said: '/dev/null: is no plain file\n' });
  });

  it('that the folder for temporary files cannot be used', async () => {
    const archive = await gridArchive();
    for (const path of [join(grid.folder.path, 'absent'), await grid.folder.write('no-folder', '')]) {
      const folder = jest.spyOn(os, 'tmpdir').mockReturnValue(path);
      const error = await grid.publish(archive).catch((failure: unknown) => failure);
      folder.mockRestore();
      const said = startFault(error, {});
      expect(said).toContain(`the folder for temporary files ${path} (TMPDIR) cannot be used: `);
      expect(said).not.toMatch(/DATA_DIR|DATABASE_URL/);
    }
  });

  it('that it is no zip file', async () => {
    const archive = await grid.folder.write('text.zip', 'no zip file, but a text '.repeat(20));
    const said = `${archive}: the archive is no zip file, or not a whole one\n`;
    expect(await told(...PLACE, archive)).toEqual({ code: 1, said });
  });
});
