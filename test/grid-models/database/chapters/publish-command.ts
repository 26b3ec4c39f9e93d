import { createHash } from 'node:crypto';
import os from 'node:os';
import { join } from 'node:path';
import { startupErrorMessage } from '../../../../process/startup-error';
import { GridAudit1790000000013 } from '../../../../subgraphs/grid-models/migrations/0013-audit';
import { gridArchive } from '../../../support/grid-archives';
import { baseArchive } from '../../../support/grid-base-archives';
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

    it('publishes as `operator` in the audit; the migration adds the same entries for what was published before', async () => {
      const archive = await gridArchive();
      expect(await runPublish(...PLACE, await grid.folder.write('published.zip', archive))).toMatchObject({ code: 0 });
      expect(await grid.publishBase(await baseArchive())).toMatchObject({ outcome: 'published' });
      const entries = async () =>
        (await grid.owner.query('select actor, action, subject, detail from audit_entry order by id')).rows;
      const written = await entries();
      const archiveSha256 = createHash('sha256').update(archive).digest('hex');
      expect(written[0]).toMatchObject({
        ...{ actor: 'operator', action: 'publish-project-version', subject: 'EPN/2026/01/Reinforcement' },
        detail: { version: 1, archiveSha256 },
      });
      expect(written).toHaveLength(2);
      const [, , fill] = new GridAudit1790000000013().statements;
      await grid.owner.query(
        `begin; set local session_replication_role = replica; delete from audit_entry; ${fill}; commit`,
      );
      expect(await entries()).toEqual(written);
    });

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
