import os from 'node:os';
import { join } from 'node:path';
import { startupErrorMessage } from '../../../../process/startup-error';
import { gridArchive } from '../../../support/grid-archives';
import { type GridDatabase, commandVariables, gridDatabase } from '../../../support/grid-database';
import { runOperatorCommand } from '../../../support/operator-command';

export function publishCommand(): void {
  describe('The command of the operator', () => {
    let grid: GridDatabase;
    let environment: Record<string, string>;
    beforeAll(async () => {
      grid = await gridDatabase();
      environment = await commandVariables(grid);
    });

    afterAll(() => grid.close());

    const PLACE = ['--area', 'EPN', '--year', '2026', '--period', '01', '--project', 'Reinforcement'];

    const runPublish = async (...words: string[]) => {
      const { code, printed } = await runOperatorCommand('commands/publish-grid', words, environment).ended;
      return { code, printed };
    };

    describe('the command publish-grid explains', () => {
      it('its usage, with --help', async () => {
        const { code, printed } = await runPublish('--help');
        expect(code).toBe(0);
        expect(printed).toMatch(/^usage: npm run --silent publish-grid -- --area EPN/);
        expect((await runPublish(...PLACE, '--help')).code).toBe(0);
      });

      it('that the file does not exist', async () => {
        const absent = join(grid.folder.path, 'absent.zip');
        expect(await runPublish(...PLACE, absent)).toEqual({ code: 1, printed: `${absent}: there is no such file\n` });
        const below = join(await grid.folder.write('plain', ''), 'absent.zip');
        expect(await runPublish(...PLACE, below)).toEqual({ code: 1, printed: `${below}: there is no such file\n` });
      });

      it('that the file is a folder', async () => {
        const printed = `${grid.folder.path}: is a folder, not an archive\n`;
        expect(await runPublish(...PLACE, grid.folder.path)).toEqual({ code: 1, printed });
      });

      it('that the file is not a regular file', async () => {
        expect(await runPublish(...PLACE, '/dev/null')).toEqual({ code: 1, printed: '/dev/null: is no plain file\n' });
      });

      it('that the folder for temporary files cannot be used', async () => {
        const archive = await gridArchive();
        for (const path of [join(grid.folder.path, 'absent'), await grid.folder.write('no-folder', '')]) {
          const folder = jest.spyOn(os, 'tmpdir').mockReturnValue(path);
          const error = await grid.publish(archive).catch((failure: unknown) => failure);
          folder.mockRestore();
          const printed = startupErrorMessage(error, {});
          expect(printed).toContain(`the folder for temporary files ${path} (TMPDIR) cannot be used: `);
          expect(printed).not.toMatch(/DATA_DIR|DATABASE_URL/);
        }
      });

      it('that the file is not a zip file', async () => {
        const archive = await grid.folder.write('text.zip', 'no zip file, but a text '.repeat(20));
        const printed = `${archive}: the archive is not a complete zip file\n`;
        expect(await runPublish(...PLACE, archive)).toEqual({ code: 1, printed });
      });
    });
  });
}
