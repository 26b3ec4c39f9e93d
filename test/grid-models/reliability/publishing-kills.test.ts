import { newKey } from '../../../process/keys';
import { newKeyVariables } from '../../../sandbox/keys';
import { removeLeft } from '../../../subgraphs/grid-models/database/staged-removal.repository';
import { gridArchive, largeArchive } from '../../support/grid-archives';
import { type GridDatabase, gridDatabase } from '../../support/grid-database';
import { type OperatorCommand, runOperatorCommand } from '../../support/operator-command';
import { until } from '../../support/until';

const IS_LONG = process.env['TEST_LONG'] !== undefined;

jest.setTimeout(180_000);

let grid: GridDatabase;
let environment: Record<string, string>;
let large: string;
beforeAll(async () => {
  grid = await gridDatabase();
  environment = {
    ...(await newKeyVariables()),
    GRID_MODELS_KEY: grid.key.toString('base64'),
    DATABASE_URL: grid.url,
    DATA_DIR: grid.folder.path,
  };
  large = await grid.folder.write('large.zip', await largeArchive(20_000));
});
afterAll(() => grid?.close());

const publishGrid = (archive: string, project = 'Kills', more: Record<string, string> = {}): OperatorCommand =>
  runOperatorCommand(
    'publish-grid.ts',
    ['--area', 'epn', '--year', '2026', '--period', '01', '--project', project, archive],
    { ...environment, ...more },
  );

/** What everybody sees. */
const visible = async () =>
  (await grid.owner.query('select version from project_version where version is not null')).rows as unknown[];

/** Resolves when a table has so many rows. */
const grown = (table: string, count: number) =>
  until(async () => {
    const { rowCount } = await grid.owner.query(`select from ${table} limit ${count}`);
    return rowCount === count || undefined;
  });

/** When a publication is killed; the next command clears up after one that was killed among its items. */
const MOMENTS: [string, string, number][] = [
  ['among its contents', 'content_chunk', 3],
  ['when its first row is there', 'project_version', 1],
  ['among its items', 'difference_item', 5_000],
  ['among its objects', 'object_change', 2_000],
];

describe('a publication that is killed', () => {
  it.each(IS_LONG ? MOMENTS : MOMENTS.slice(0, 1))(
    '%s is not visible, and nothing of it stays',
    async (_, table, rows) => {
      const { child, ended } = publishGrid(large);
      await grown(table, rows);
      child.kill('SIGKILL');
      await ended;
      expect(await visible()).toEqual([]);
      expect(await grid.rows()).not.toEqual({});
      // The server notices that the session is gone a moment later than the test that its process is.
      await until(async () => (await removeLeft(grid.database.pool)) === 1 || undefined);
      expect(await grid.rows()).toEqual({});
    },
  );

  it('is removed by the next command, which publishes version 1', async () => {
    const { child, ended } = publishGrid(large);
    await grown('difference_item', 1);
    child.kill('SIGKILL');
    await ended;
    const archive = await grid.folder.write('small.zip', await gridArchive());
    const { code, said } = await publishGrid(archive).ended;
    expect({ code, ...(JSON.parse(said) as object) }).toMatchObject({ code: 0, version: 1, isNew: true, area: 'EPN' });
    expect(await grid.rows()).toMatchObject({ project_version: 1, difference_model: 3 });
  });
});

describe('the command of the operator', () => {
  it('publishes n and n + 1 when two run at once, and answers a repeat by the newest version', async () => {
    const archives = await Promise.all(
      [1, 2].map(async (number) => grid.folder.write(`two-${number}.zip`, await largeArchive(500))),
    );
    const ended = await Promise.all(archives.map((archive) => publishGrid(archive, 'Two').ended));
    const told = ended.map(({ said }) => JSON.parse(said) as { version: number });
    expect(told.map(({ version }) => version).toSorted()).toEqual([1, 2]);
    const newest = archives[told.findIndex(({ version }) => version === 2)] as string;
    const { said } = await publishGrid(newest, 'Two').ended;
    expect(JSON.parse(said)).toMatchObject({ version: 2, isNew: false });
  });

  it('tells every reason with file and line, and ends with 1', async () => {
    const archive = await grid.folder.write('bad.zip', await gridArchive({ EQ: '<a>\n</b>', SC: '<!DOCTYPE a><a/>' }));
    const { code, said } = await publishGrid(archive, 'Bad').ended;
    expect(code).toBe(1);
    expect(said).toMatch(/^EQ\.xml:\d: /m);
    expect(said).toMatch(/^SC\.xml:1: a DTD is not allowed/m);
  });

  it.each([
    [
      'a place that is none',
      ['--area', 'XX', '--year', '99', '--period', '03', '--project=-x', 'a.zip'],
      /--area: [^]*--year: [^]*--period: [^]*--project: [^]*usage: /,
    ],
    ['options that are missing', ['a.zip'], /^usage: /],
    ['an unknown option', ['--who', 'me'], /^usage: /],
    [
      'no archive at the path',
      ['--area', 'EPN', '--year', '2026', '--period', '01', '--project', 'P', 'absent.zip'],
      /^absent\.zip: there is no such file$/m,
    ],
  ])('tells %s', async (_, words, expected) => {
    const { code, said } = await runOperatorCommand('publish-grid.ts', words, environment).ended;
    expect(code).toBe(1);
    expect(said).toMatch(expected);
  });

  it('refuses a database of another key, and one that is none', async () => {
    const archive = await grid.folder.write('other.zip', await gridArchive());
    const other = await publishGrid(archive, 'P', { GRID_MODELS_KEY: newKey().toString('base64') }).ended;
    expect(other).toMatchObject({ code: 1, said: expect.stringContaining('GRID_MODELS_KEY') });
    const none = await publishGrid(archive, 'P', { DATABASE_URL: '' }).ended;
    expect(none).toMatchObject({ code: 1, said: expect.stringContaining('DATABASE_URL names no database') });
  });
});
