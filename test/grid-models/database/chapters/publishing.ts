import { hash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import { StagedModelRepository } from '../../../../subgraphs/grid-models/publications/staged-model.repository';
import {
  STAGED_VERSIONS,
  removeAbandoned,
} from '../../../../subgraphs/grid-models/publications/staged-removal.repository';
import type { DifferenceModelHeader } from '../../../../subgraphs/grid-models/rdf/difference-model';
import { itemJson } from '../../../../subgraphs/grid-models/rdf/difference-model-json';
import { readDifferenceModel } from '../../../support/read-difference-model';
import { publishArchive } from '../../../../subgraphs/grid-models/publications/publish.flow';
import { stageVersion } from '../../../../subgraphs/grid-models/publications/stage.flow';
import {
  attributeChange,
  differenceModelXml,
  gridArchive,
  largeArchive,
  lineSegment,
  zipOf,
} from '../../../support/grid-archives';
import { type GridDatabase, TEST_KEY, gridDatabase } from '../../../support/grid-database';
import { until } from '../../../support/until';
import { OF_THIS_DATABASE } from '../../../support/lock-waiters';

export function publishedProjects(): void {
  let grid: GridDatabase;
  beforeAll(async () => {
    grid = await gridDatabase();
  });
  afterAll(() => grid?.close());

  /** A separate development project for each test. */
  const newKey = () => ({ ...TEST_KEY, projectId: `P-${randomUUID().slice(0, 8)}` });

  async function one<Row>(text: string, values: unknown[] = []): Promise<Row> {
    return (await grid.owner.query(text, values)).rows[0] as Row;
  }

  const trialArchive = () => {
    const dependentOn = [randomUUID()];
    return gridArchive({
      EQ: differenceModelXml('EQ', { dependentOn, forward: lineSegment('A', 'One') }).replace(
        '</dm:DifferenceModel>',
        '<dm:preconditions rdf:parseType="Statements"><cim:X rdf:about="#_B"/></dm:preconditions>$&',
      ),
      GL: differenceModelXml('GL', { forward: '<cim:Location rdf:ID="_L"/>' }),
    });
  };
  const TABLES = [
    ...['difference_model', 'model_dependency', 'content', 'content_chunk', 'difference_item', 'item_statement'],
    ...['class_count', 'model_precondition', 'object_change', 'grid_location'],
  ];

  describe('a publication that fails', () => {
    it.each([...TABLES, 'development_project'])('at its rows of %s leaves nothing', async (table) => {
      const [before, place] = [await grid.rows(), newKey()];
      await grid.owner.query(
        `create or replace function fail() returns trigger language plpgsql as 'begin raise exception ''full''; end'`,
      );
      await grid.owner.query(`create trigger failing before insert on ${table} for each row execute function fail()`);
      await expect(grid.publish(await trialArchive(), place)).rejects.toThrow('full');
      expect(await grid.rows()).toEqual(before);
      await grid.owner.query(`drop trigger failing on ${table}`);
      expect((await grid.published(await trialArchive(), place)).version).toBe(1);
    });

    it('whose session is lost is not published, and the clean-up spares what a running process stages', async () => {
      const { pool } = grid.database;
      const { publications } = grid.parts;
      const before = await grid.rows();
      const versions = before['project_version'] ?? 0;
      const staging = await publications.stage(null, Buffer.alloc(32));
      expect(await removeAbandoned(pool, STAGED_VERSIONS)).toBe(0);
      expect(await grid.rows()).toEqual({ ...before, project_version: versions + 1 });
      await grid.owner.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and ${OF_THIS_DATABASE}`,
      );
      const digests = { archive: Buffer.alloc(32), members: [] };
      const publication = { ...newKey(), accountId: null };
      await expect(staging.publish({ publication, digests, upload: null }, null)).rejects.toThrow(
        /terminat|queryable/i,
      );
      await staging.end();
      // The server releases the locks of a lost session with a delay.
      expect(await until(async () => (await removeAbandoned(pool, STAGED_VERSIONS)) || undefined)).toBe(1);
      expect(await grid.rows()).toEqual(before);
    });
  });

  describe('a statement of a crashed process that still runs', () => {
    it('delays the clean-up, which then deletes its rows, too', async () => {
      const before = await grid.rows();
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
      const removing = removeAbandoned(grid.database.pool, STAGED_VERSIONS);
      await until(async () => {
        const waiting = await grid.owner.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like '%for update'`,
        );
        return waiting.rowCount === 1 || undefined;
      });
      await late.query('commit');
      late.release();
      expect(await removing).toBe(1);
      expect(await grid.rows()).toEqual(before);
      await expect(
        grid.database.pool.query(`insert into item_statement values ($1, 'cim:A.b', 2, 1)`, [model]),
      ).rejects.toMatchObject({ code: '23001' });
    });
  });

  describe('a version that is published', () => {
    const rejected = async (statement: string): Promise<unknown> =>
      (await grid.database.pool.query(statement).catch((error: unknown) => error)) as unknown;
    /** Rejected by a trigger, or because the login has no grant. */
    const REJECTED = expect.objectContaining({ code: expect.stringMatching(/^(23001|42501)$/) }) as unknown;

    it('cannot be changed or deleted, nor can its rows', async () => {
      await grid.published(await trialArchive(), newKey());
      const before = await grid.rows();
      for (const table of ['project_version', ...TABLES]) {
        expect({ table, error: await rejected(`delete from ${table}`) }).toEqual({ table, error: REJECTED });
        await expect(grid.owner.query(`delete from ${table}`)).rejects.toMatchObject({ code: '23001' });
      }
      await expect(grid.owner.query('delete from development_project')).rejects.toMatchObject({ code: '23503' });
      for (const [table, column] of Object.entries(A_COLUMN)) {
        expect(await rejected(`update ${table} set ${column} = ${column}`)).toEqual(REJECTED);
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
        model_precondition: 'type',
        item_statement: 'name',
        class_count: 'items',
        object_change: 'name',
        grid_location: 'kind',
      },
    };

    it('accepts no more rows', async () => {
      await grid.published(await trialArchive(), newKey());
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

  describe('an archive that is published', () => {
    it('is the next version of its project, from 1 and without a gap', async () => {
      const place = newKey();
      const versions = [];
      for (let version = 1; version <= 3; version += 1) versions.push(await grid.published(await gridArchive(), place));
      expect(versions.map(({ version }) => version)).toEqual([1, 2, 3]);
      expect(versions[2]).toMatchObject({ ...place, archive: { name: `LTDS_EPN_2026-01_${place.projectId}_v3.zip` } });
      expect((await grid.published(await gridArchive(), newKey())).version).toBe(1);
    });

    it('is not published again if it repeats the newest version, but is if it repeats an older one', async () => {
      const place = newKey();
      const [first, second] = [await gridArchive(), await gridArchive()];
      const { id } = await grid.published(first, place);
      expect(await grid.publish(first, place)).toMatchObject({ isNew: false, version: { id, version: 1 } });
      await grid.published(second, place);
      expect(await grid.publish(first, place)).toMatchObject({ isNew: true, version: { version: 3 } });
    });

    it('has version n or n + 1 if two are published concurrently; two equal ones have one version', async () => {
      const place = newKey();
      const archives = await Promise.all(Array.from({ length: 4 }, () => gridArchive()));
      const outcomes = await Promise.all(
        [...archives, archives[0] as Buffer].map((each) => grid.published(each, place)),
      );
      const { versions } = await one<{ versions: number[] }>(
        'select array_agg(version order by version) as versions from project_version v join development_project p on p.id = v.project where project_id = $1',
        [place.projectId],
      );
      expect(versions).toEqual(versions.map((_, index) => index + 1));
      expect(new Set(outcomes.map(({ id }) => id)).size).toBe(versions.length);
      const same = newKey();
      const [first, second] = await Promise.all([0, 1].map(() => grid.published(archives[0] as Buffer, same)));
      expect(first?.id).toBe(second?.id);
      expect((await grid.owner.query('select from project_version where version is null')).rowCount).toBe(0);
    });

    it('has the instant of the clock of the register', async () => {
      await grid.owner.query('select register.set_clock_offset(86400)');
      const { publishedAt } = await grid.published(await gridArchive(), newKey());
      await grid.owner.query('select register.set_clock_offset(0)');
      expect(publishedAt.getTime() - Date.now()).toBeGreaterThan(86_000_000);
    });
  });

  describe('the contents of a version', () => {
    it('are the published bytes, the JSON view, and both with gzip if that is smaller', async () => {
      const EQ = `\uFEFF${differenceModelXml('EQ', { forward: lineSegment('A', 'One & only'.replace('&', '&amp;')), reverse: null })}`;
      const archive = await gridArchive({ EQ });
      const { id } = await grid.published(archive, newKey());
      const contents = await contentsOf(id);
      expect(contents.get('EQ rdf identity')).toEqual(Buffer.from(EQ));
      expect(contents.get('archive zip identity')).toEqual(archive);
      expect(gunzipSync(contents.get('EQ rdf gzip') as Buffer)).toEqual(Buffer.from(EQ));
      const { header, forward = [] } = readDifferenceModel(Buffer.from(EQ));
      const json = JSON.parse(String(contents.get('EQ json identity'))) as unknown;
      expect(json).toEqual({ header: { ...header, supersedes: undefined }, forwardDifferences: forward.map(itemJson) });
      expect(gunzipSync(contents.get('EQ json gzip') as Buffer)).toEqual(contents.get('EQ json identity'));
      expect([...contents.keys()].toSorted()).toHaveLength(13);
    });

    async function contentsOf(version: string): Promise<Map<string, Buffer>> {
      const { rows } = await grid.owner.query<{ key: string; number: number; size: number; digest: boolean }>(
        `select member || ' ' || view || ' ' || encoding as key, number, size,
         sha256 = sha256((select string_agg(bytes, '' order by number) from content_chunk where content = content.number)) as digest
       from content where project_version = $1`,
        [version],
      );
      const contents = new Map<string, Buffer>();
      for (const { key, number, size, digest } of rows) {
        const bytes = await grid.parts.contents.read(number);
        expect({ key, size, digest }).toEqual({ key, size: bytes.length, digest: true });
        contents.set(key, bytes);
      }
      return contents;
    }
  });

  describe('an archive that changes while it is published', () => {
    it('is published with its bytes at the start', async () => {
      const archive = await gridArchive();
      const path = await grid.folder.write('changing.zip', archive);
      const holder = await grid.owner.connect();
      await holder.query('begin; lock table content in share mode');
      const publishing = publishArchive(grid.parts, { ...newKey(), accountId: null }, path);
      publishing.catch(() => undefined);
      await until(async () => {
        const waiting = await grid.owner.query(`select from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database() and query like 'insert into content %'`);
        return waiting.rowCount === 1 || undefined;
      });
      await writeFile(path, 'another file');
      await holder.query('commit');
      holder.release();
      const outcome = await publishing;
      expect(outcome).toMatchObject({ outcome: 'published', version: { archive: { size: archive.length } } });
      const { number } = await one<{ number: number }>(`select number from content where sha256 = sha256($1)`, [
        archive,
      ]);
      expect(await grid.parts.contents.read(number)).toEqual(archive);
    });

    it('is not staged with a size or SHA-256 that differs from its bytes', async () => {
      const chunks = async function* () {
        yield Buffer.from('zip');
      };
      const sha256 = hash('sha256', 'zip', 'buffer');
      const lies = [
        { size: 4, sha256: () => sha256, chunks },
        { size: 3, sha256: () => Buffer.alloc(32), chunks },
      ];
      for (const lie of lies) {
        const staging = await grid.parts.publications.stage(null, Buffer.alloc(32));
        const archive = { members: [], archive: lie, base: null };
        const staged = await stageVersion(grid.parts, staging.id, archive).catch(String);
        await staging.end();
        expect(staged).toMatch('archive as zip has changed since');
      }
    });
  });

  describe('a file of few objects with many statements', () => {
    it('is staged in SQL statements of limited length', async () => {
      const many = Array.from({ length: 5_000 }, (_, index) => `<cim:a${index}/>`).join('');
      const forward = Array.from({ length: 12 }, (_, index) => `<cim:X rdf:ID="_${index}">${many}</cim:X>`).join('');
      const longest = `cim:${'n'.repeat(250)}`;
      const named = Array.from(
        { length: 400 },
        (_, index) => `<cim:Y rdf:ID="_y${index}">${`<${longest}/>`.repeat(20)}</cim:Y>`,
      ).join('');
      const adding = jest.spyOn(StagedModelRepository.prototype, 'addItems');
      await grid.published(await storedArchive(differenceModelXml('EQ', { forward: forward + named })), newKey());
      const batches = adding.mock.calls.map(([, items]) => items.flatMap(({ item }) => item.statements));
      adding.mockRestore();
      expect(batches.flat()).toHaveLength(12 * 5_000 + 400 * 20);
      expect(Math.max(...batches.map(({ length }) => length))).toBeLessThan(20_000);
      const characters = (statements: (typeof batches)[number]) =>
        statements.reduce((sum, { name }) => sum + name.length, 0);
      expect(Math.max(...batches.map(characters))).toBeLessThan(600 * 1024);
    });

    const storedArchive = (EQ: string) =>
      zipOf([
        { name: 'EQ.xml', bytes: EQ, compress: false },
        { name: 'SC.xml', bytes: differenceModelXml('SC') },
        { name: 'GL.xml', bytes: differenceModelXml('GL') },
      ]);
  });

  describe('the rows of the models of a version', () => {
    const base = randomUUID();
    const model = {
      dependentOn: [base.toUpperCase()],
      forward: `${lineSegment('Added', 'New', '0.5')}${attributeChange('Named', 'cim:IdentifiedObject.name', 'After')}${attributeChange('named', 'cim:Conductor.length', '2')}`,
      reverse: `${lineSegment('Removed', 'Old')}${attributeChange('Named', 'cim:IdentifiedObject.name', 'Before')}`,
    };
    let version: string;
    beforeAll(async () => {
      const GL = differenceModelXml('GL', {
        reverse: null,
        forward: attributeChange('Added', 'cim:Location.mainAddress', 'x'),
      });
      ({ id: version } = await grid.published(
        await gridArchive({ EQ: differenceModelXml('EQ', model), GL }),
        newKey(),
      ));
    });
    const rows = async (text: string) => (await grid.owner.query(text, [version])).rows as unknown[];
    const OF_EQ = `model = (select number from difference_model where project_version = $1 and file = 'EQ')`;

    it('contain the header and the counts of each section, null for an absent section', async () => {
      expect(
        await rows(
          `select file, forward_items, forward_statements, reverse_items, reverse_statements, dependent_on
         from difference_model where project_version = $1 order by file`,
        ),
      ).toEqual([
        counts('EQ', [3, 7, 2, 6], [base.toUpperCase()]),
        counts('GL', [1, 1, null, null], []),
        counts('SC', [0, 0, 0, 0], []),
      ]);
      expect(await rows(`select mrid_key from model_dependency where ${OF_EQ}`)).toEqual([{ mrid_key: base }]);
    });

    const counts = (file: string, [fi, fs, ri, rs]: (number | null)[], dependentOn: string[]) => ({
      ...{ file, forward_items: fi, forward_statements: fs, reverse_items: ri, reverse_statements: rs },
      dependent_on: dependentOn,
    });

    it('number the items in the order of the file, and among the items of their mRID', async () => {
      expect(
        await rows(
          `select number, section, mrid, occurrence, type, is_object, name from difference_item where ${OF_EQ} order by number`,
        ),
      ).toEqual([
        item(1, 'reverse', 'Removed', 1, 'cim:ACLineSegment', 'Old'),
        item(2, 'reverse', 'Named', 1, 'rdf:Description', 'Before'),
        item(3, 'forward', 'Added', 1, 'cim:ACLineSegment', 'New'),
        item(4, 'forward', 'Named', 1, 'rdf:Description', 'After'),
        item(5, 'forward', 'named', 2, 'rdf:Description', null),
      ]);
    });

    const item = (
      number: number,
      section: string,
      mrid: string,
      occurrence: number,
      type: string,
      name: string | null,
    ) => ({
      ...{ number, section, mrid, occurrence, type, name },
      is_object: type !== 'rdf:Description',
    });

    it('index items by name and value of their statements', async () => {
      expect(
        await rows(
          `select item from item_statement where ${OF_EQ} and statement_hash = hashtext('cim:ACLineSegment.r 0.5')`,
        ),
      ).toEqual([{ item: 3 }]);
    });

    it('count items by class', async () => {
      expect(
        await rows(`select section, type, items, statements from class_count where ${OF_EQ} order by section, type`),
      ).toEqual([
        { section: 'forward', type: 'cim:ACLineSegment', items: 1, statements: 5 },
        { section: 'forward', type: 'rdf:Description', items: 2, statements: 2 },
        { section: 'reverse', type: 'cim:ACLineSegment', items: 1, statements: 5 },
        { section: 'reverse', type: 'rdf:Description', items: 1, statements: 1 },
      ]);
    });

    it('merge the items of an object over the three files', async () => {
      expect(
        await rows(
          'select mrid_key, mrid, type, kind, name, files from object_change where project_version = $1 order by mrid_key',
        ),
      ).toEqual([
        {
          mrid_key: 'added',
          mrid: 'Added',
          type: 'cim:ACLineSegment',
          kind: 'added',
          name: 'New',
          files: ['EQ', 'GL'],
        },
        { mrid_key: 'named', mrid: 'Named', type: 'rdf:Description', kind: 'changed', name: 'After', files: ['EQ'] },
        {
          mrid_key: 'removed',
          mrid: 'Removed',
          type: 'cim:ACLineSegment',
          kind: 'removed',
          name: 'Old',
          files: ['EQ'],
        },
      ]);
    });

    it('contain equal digests for items with the same statements in another order', async () => {
      const [some, others] = [
        '<cim:A.b>1</cim:A.b><cim:A.c>2</cim:A.c>',
        '<cim:A.c>2</cim:A.c><cim:A.b>1</cim:A.b>',
      ].map((statements, index) => `<rdf:Description rdf:about="#_${index}">${statements}</rdf:Description>`);
      const forward = `${some}${others}${attributeChange('2', 'cim:A.b', '1')}`;
      const { id } = await grid.published(await gridArchive({ EQ: differenceModelXml('EQ', { forward }) }), newKey());
      const { digests } = await oneOf(id);
      expect(digests[0]).toBe(digests[1]);
      expect(digests[2]).not.toBe(digests[1]);
    });

    const oneOf = (id: string) =>
      one<{ digests: string[] }>(
        `select array_agg(encode(digest, 'hex') order by i.number) as digests from difference_item i
       join difference_model m on m.number = i.model where m.project_version = $1 and m.file = 'EQ'`,
        [id],
      );
  });

  /** In long runs: the size of the largest real projects. */
  const OBJECTS = process.env['TEST_LONG'] === undefined ? 10_000 : 50_000;

  describe(`a project of ${OBJECTS} objects`, () => {
    it('is published without blocking the event loop: no tick takes a large part of the time', async () => {
      const archive = await largeArchive(OBJECTS);
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const begin = performance.now();
      const { id } = await grid.published(archive, newKey());
      const whole = performance.now() - begin;
      delay.disable();
      expect(delay.max / 1e6).toBeLessThan(whole / 4);
      const { objects } = await one<{ objects: number }>(
        `select count(*)::integer as objects from object_change where project_version = $1 and kind = 'added'`,
        [id],
      );
      expect(objects).toBe(OBJECTS);
    });
  });
}
