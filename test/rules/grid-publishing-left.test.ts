import { randomUUID } from 'node:crypto';
import type { DifferenceModelHeader } from '../../subgraphs/grid-models/domain/difference-model';
import { readDifferenceModel } from '../../subgraphs/grid-models/domain/read-difference-model';
import { removeLeft } from '../../subgraphs/grid-models/database/staged-removal.repository';
import { differenceModelXml, gridArchive, lineSegment } from '../support/grid-archives';
import { type GridDatabase, TRIAL_PLACE, gridDatabase } from '../support/grid-database';
import { until } from '../support/until';

let grid: GridDatabase;
beforeEach(async () => {
  grid = await gridDatabase();
});
afterEach(() => grid?.close());

const archive = () => {
  const dependentOn = [randomUUID()];
  return gridArchive({
    EQ: differenceModelXml('EQ', { dependentOn, forward: lineSegment('A', 'One') }),
    GL: differenceModelXml('GL', { forward: '<cim:Location rdf:ID="_L"/>' }),
  });
};
const TABLES = [
  ...['difference_model', 'model_dependency', 'content', 'content_chunk', 'difference_item', 'item_statement'],
  ...['class_count', 'object_change', 'grid_location'],
];

describe('a publication that fails', () => {
  it.each([...TABLES, 'development_project'])('at its rows of %s leaves nothing', async (table) => {
    await grid.owner.query(
      `create function fail() returns trigger language plpgsql as 'begin raise exception ''full''; end'`,
    );
    await grid.owner.query(`create trigger failing before insert on ${table} for each row execute function fail()`);
    await expect(grid.publish(await archive())).rejects.toThrow('full');
    expect(await grid.rows()).toEqual({});
    await grid.owner.query(`drop trigger failing on ${table}`);
    expect((await grid.published(await archive())).version).toBe(1);
  });

  it('because its session is lost is not published, and nobody takes what a living process holds', async () => {
    const { pool } = grid.database;
    const { publications } = grid.parts;
    const staging = await publications.stage(null, Buffer.alloc(32));
    expect(await removeLeft(pool)).toBe(0);
    expect(await grid.rows()).toEqual({ project_version: 1 });
    await grid.owner.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    const digests = { archive: Buffer.alloc(32), members: [] };
    const publication = { ...TRIAL_PLACE, accountId: null };
    await expect(staging.publish({ publication, digests, upload: null })).rejects.toThrow(/terminat|queryable/i);
    await staging.end();
    // The server lets go of what the session held a moment later.
    expect(await until(async () => (await removeLeft(pool)) || undefined)).toBe(1);
    expect(await grid.rows()).toEqual({});
  });
});

describe('what a process that was killed had still asked for', () => {
  it('is waited for, and removed with the rest', async () => {
    const version = randomUUID();
    await grid.owner.query(`insert into project_version (id, archive_sha256) values ($1, sha256(''))`, [version]);
    const { header } = readDifferenceModel(Buffer.from(differenceModelXml('EQ')));
    const counts = { forward: null, reverse: null };
    const model = await grid.parts.models.addModel(version, {
      ...{ file: 'EQ', counts },
      header: header as DifferenceModelHeader,
    });
    const late = await grid.owner.connect();
    await late.query('begin');
    await late.query(`insert into item_statement values ($1, 'cim:A.b', 1, 1)`, [model]);
    const removing = removeLeft(grid.database.pool);
    await until(async () => {
      const waiting = await grid.owner.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like '%for update'`,
      );
      return waiting.rowCount === 1 || undefined;
    });
    await late.query('commit');
    late.release();
    expect(await removing).toBe(1);
    expect(await grid.rows()).toEqual({});
    await expect(
      grid.database.pool.query(`insert into item_statement values ($1, 'cim:A.b', 2, 1)`, [model]),
    ).rejects.toMatchObject({ code: '23001' });
  });
});

describe('a version that is published', () => {
  const refused = async (statement: string): Promise<unknown> =>
    (await grid.database.pool.query(statement).catch((error: unknown) => error)) as unknown;
  /** Refused by a guard, or because the login has no right to it. */
  const REFUSED = expect.objectContaining({ code: expect.stringMatching(/^(23001|42501)$/) }) as unknown;

  it('is neither changed nor removed, nor is any of its parts', async () => {
    await grid.published(await archive());
    const before = await grid.rows();
    for (const table of ['project_version', ...TABLES]) {
      expect({ table, error: await refused(`delete from ${table}`) }).toEqual({ table, error: REFUSED });
      await expect(grid.owner.query(`delete from ${table}`)).rejects.toMatchObject({ code: '23001' });
    }
    await expect(grid.owner.query('delete from development_project')).rejects.toMatchObject({ code: '23503' });
    for (const [table, column] of Object.entries(A_COLUMN)) {
      expect(await refused(`update ${table} set ${column} = ${column}`)).toEqual(REFUSED);
      await expect(grid.owner.query(`update ${table} set ${column} = ${column}`)).rejects.toMatchObject({
        code: '23001',
      });
    }
    expect(await grid.rows()).toEqual(before);
  });

  const A_COLUMN = {
    ...{
      project_version: 'published_at',
      difference_model: 'description',
      model_dependency: 'mrid_key',
      content: 'size',
    },
    ...{
      content_chunk: 'bytes',
      difference_item: 'name',
      item_statement: 'name',
      class_count: 'items',
      object_change: 'name',
      grid_location: 'kind',
    },
  };

  it('is not added to', async () => {
    await grid.published(await archive());
    const additions = [
      `insert into difference_item (model, number, section, mrid, occurrence, type, is_object, statements, digest)
       select number, 99, 'forward', 'x', 1, 'cim:X', true, '[]', '\\x00' from difference_model where file = 'EQ'`,
      `insert into item_statement select number, 'a', 1, 99 from difference_model where file = 'EQ'`,
      `insert into class_count select number, 'forward', 'cim:X', 1, 1 from difference_model where file = 'EQ'`,
      `insert into model_dependency select number, 'x' from difference_model where file = 'EQ'`,
      `insert into object_change select id, 'x', 'x', 'cim:X', 'added', null, '{EQ}' from project_version`,
      `insert into grid_location select id, 'x', 'x', 'added' from project_version`,
      `insert into content_chunk select number, 99, '\\x00' from content limit 1`,
      `insert into content (project_version, member, view, encoding, size, sha256)
       select id, 'archive', 'zip', 'gzip', 1, sha256('') from project_version`,
      `insert into item_statement values (0, 'of no model', 1, 1)`,
    ];
    for (const addition of additions)
      await expect(grid.database.pool.query(addition)).rejects.toMatchObject({ code: '23001' });
  });
});
