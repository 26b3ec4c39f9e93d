import { newKey } from '../../../process/settings/keys';
import {
  STAGED_VERSIONS,
  removeAbandoned,
} from '../../../subgraphs/grid-models/publications/staged-removal.repository';
import { gridArchive, largeArchive } from '../../support/grid-archives';
import { type GridDatabase, commandVariables, gridDatabase } from '../../support/grid-database';
import { type OperatorCommand, runOperatorCommand } from '../../support/operator-command';
import { until } from '../../support/until';

const IS_LONG = process.env['TEST_LONG'] !== undefined;

jest.setTimeout(180_000);

let grid: GridDatabase;
let environment: Record<string, string>;
let large: string;
beforeAll(async () => {
  grid = await gridDatabase();
  environment = await commandVariables(grid);
  large = await grid.folder.write('large.zip', await largeArchive(20_000));
});
afterAll(() => grid?.close());

const publishGrid = (archive: string, project = 'Kills', more: Record<string, string> = {}): OperatorCommand =>
  runOperatorCommand(
    'commands/publish-grid',
    ['--area', 'epn', '--year', '2026', '--period', '01', '--project', project, archive],
    { ...environment, ...more },
  );

/** The published versions. */
const visible = async () =>
  (await grid.owner.query('select version from project_version where version is not null')).rows as unknown[];

/** Resolves when a table has at least `count` rows. */
const grown = (table: string, count: number) =>
  until(async () => {
    const { rowCount } = await grid.owner.query(`select from ${table} limit ${count}`);
    return rowCount === count || undefined;
  });

/**
 * Moments of the kill: the table that is being written, and its rows. The next command cleans up after a kill among
 * items.
 */
const MOMENTS: [string, string, number][] = [
  ['while its contents are written', 'content_chunk', 3],
  ['after its first row', 'project_version', 1],
  ['while its items are written', 'difference_item', 5_000],
  ['while its objects are written', 'object_change', 2_000],
];

describe('a publication that is killed', () => {
  it.each(IS_LONG ? MOMENTS : MOMENTS.slice(0, 1))('%s is not visible, and leaves no rows', async (_, table, rows) => {
    const { child, ended } = publishGrid(large);
    await grown(table, rows);
    child.kill('SIGKILL');
    await ended;
    expect(await visible()).toEqual([]);
    expect(await grid.rows()).not.toEqual({});
    // The server detects the lost session later than the test detects the end of the process.
    await until(async () => (await removeAbandoned(grid.database.pool, STAGED_VERSIONS)) === 1 || undefined);
    expect(await grid.rows()).toEqual({});
  });

  it('is removed by the next command, which publishes version 1', async () => {
    const { child, ended } = publishGrid(large);
    await grown('difference_item', 1);
    child.kill('SIGKILL');
    await ended;
    const archive = await grid.folder.write('small.zip', await gridArchive());
    const { code, printed, output } = await publishGrid(archive).ended;
    expect({ code, ...(JSON.parse(output) as object) }).toMatchObject({
      code: 0,
      version: 1,
      isNew: true,
      area: 'EPN',
    });
    expect(printed).toMatch(/^warning: EQ\.xml: /m);
    expect(await grid.rows()).toMatchObject({ project_version: 1, difference_model: 3 });
  });
});

describe('the command of the operator', () => {
  it('publishes n and n + 1 if two run concurrently, and returns the newest version for a repeat', async () => {
    const archives = await Promise.all(
      [1, 2].map(async (number) => grid.folder.write(`two-${number}.zip`, await largeArchive(500))),
    );
    const ended = await Promise.all(archives.map((archive) => publishGrid(archive, 'Two').ended));
    const published = ended.map(({ output }) => JSON.parse(output) as { version: number });
    expect(published.map(({ version }) => version).toSorted()).toEqual([1, 2]);
    const newest = archives[published.findIndex(({ version }) => version === 2)] as string;
    const { output } = await publishGrid(newest, 'Two').ended;
    expect(JSON.parse(output)).toMatchObject({ version: 2, isNew: false });
  });

  it('prints every fault with file and line, and exits with 1', async () => {
    const archive = await grid.folder.write('bad.zip', await gridArchive({ EQ: '<a>\n</b>', SC: '<!DOCTYPE a><a/>' }));
    const { code, printed } = await publishGrid(archive, 'Bad').ended;
    expect(code).toBe(1);
    expect(printed).toMatch(/^EQ\.xml:\d: /m);
    expect(printed).toMatch(/^SC\.xml:1: a DTD is not allowed/m);
  });

  it.each([
    [
      'a place that is none',
      ['--area', 'XX', '--year', '99', '--period', '03', '--project=-x', 'a.zip'],
      /--area: [^]*--year: [^]*--period: [^]*--project: [^]*usage: /,
    ],
    ['options that are missing', ['a.zip'], /^--area: is missing\n--year: [^]*\n--project: is missing\nusage: /],
    ['an unknown option', ['--who', 'me'], /^--who: is not an option of this command\n[^]*\nusage: /],
    [
      'no archive at the path',
      ['--area', 'EPN', '--year', '2026', '--period', '01', '--project', 'P', 'absent.zip'],
      /^absent\.zip: there is no such file$/m,
    ],
  ])('prints %s', async (_, words, expected) => {
    const { code, printed } = await runOperatorCommand('commands/publish-grid', words, environment).ended;
    expect(code).toBe(1);
    expect(printed).toMatch(expected);
  });

  it('rejects a database of another key, and an invalid one', async () => {
    const archive = await grid.folder.write('other.zip', await gridArchive());
    const other = await publishGrid(archive, 'P', { GRID_MODELS_KEY: newKey().toString('base64') }).ended;
    expect(other).toMatchObject({ code: 1, printed: expect.stringContaining('GRID_MODELS_KEY') });
    const none = await publishGrid(archive, 'P', { DATABASE_URL: '' }).ended;
    expect(none).toMatchObject({ code: 1, printed: expect.stringContaining('DATABASE_URL is missing') });
  });
});
