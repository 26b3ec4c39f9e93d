import { hash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import { itemJson } from '../../subgraphs/grid-models/domain/difference-model-json';
import { readDifferenceModel } from '../../subgraphs/grid-models/domain/read-difference-model';
import { publishArchive } from '../../subgraphs/grid-models/publishing/publish';
import { stageVersion } from '../../subgraphs/grid-models/publishing/stage';
import { StagedModelRepository } from '../../subgraphs/grid-models/database/staged-model.repository';
import {
  attributeChange,
  differenceModelXml,
  gridArchive,
  largeArchive,
  lineSegment,
  zipOf,
} from '../support/grid-archives';
import { type GridDatabase, TRIAL_PLACE, gridDatabase } from '../support/grid-database';
import { until } from '../support/until';

jest.setTimeout(120_000);

let grid: GridDatabase;
beforeAll(async () => {
  grid = await gridDatabase();
});
afterAll(() => grid?.close());

/** A place of its own for each test. */
const newPlace = () => ({ ...TRIAL_PLACE, projectId: `P-${randomUUID().slice(0, 8)}` });

async function one<Row>(text: string, values: unknown[] = []): Promise<Row> {
  return (await grid.owner.query(text, values)).rows[0] as Row;
}

describe('an archive that is published', () => {
  it('is the next version of its project, from 1 and without a gap', async () => {
    const place = newPlace();
    const versions = [];
    for (let version = 1; version <= 3; version += 1) versions.push(await grid.published(await gridArchive(), place));
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(versions[2]).toMatchObject({ ...place, archive: { name: `LTDS_EPN_2026-01_${place.projectId}_v3.zip` } });
    expect((await grid.published(await gridArchive(), newPlace())).version).toBe(1);
  });

  it('is answered by the newest version when it has the same members, by a new one when an older version has', async () => {
    const place = newPlace();
    const [first, second] = [await gridArchive(), await gridArchive()];
    const { id } = await grid.published(first, place);
    expect(await grid.publish(first, place)).toMatchObject({ isNew: false, version: { id, version: 1 } });
    await grid.published(second, place);
    expect(await grid.publish(first, place)).toMatchObject({ isNew: true, version: { version: 3 } });
  });

  it('is n or n + 1 when two are published at once, and one version when they are the same', async () => {
    const place = newPlace();
    const archives = await Promise.all(Array.from({ length: 4 }, () => gridArchive()));
    const outcomes = await Promise.all([...archives, archives[0] as Buffer].map((each) => grid.published(each, place)));
    const { versions } = await one<{ versions: number[] }>(
      'select array_agg(version order by version) as versions from project_version v join development_project p on p.id = v.project where project_id = $1',
      [place.projectId],
    );
    expect(versions).toEqual(versions.map((_, index) => index + 1));
    expect(new Set(outcomes.map(({ id }) => id)).size).toBe(versions.length);
    const same = newPlace();
    const [first, second] = await Promise.all([0, 1].map(() => grid.published(archives[0] as Buffer, same)));
    expect(first?.id).toBe(second?.id);
    expect((await grid.owner.query('select from project_version where version is null')).rowCount).toBe(0);
  });

  it('has the instant of the one clock', async () => {
    await grid.owner.query('select register.set_clock_offset(86400)');
    const { publishedAt } = await grid.published(await gridArchive(), newPlace());
    await grid.owner.query('select register.set_clock_offset(0)');
    expect(publishedAt.getTime() - Date.now()).toBeGreaterThan(86_000_000);
  });
});

describe('the contents of a version', () => {
  it('are the bytes as they came, their JSON view, and both compressed where that is smaller', async () => {
    const EQ = `\uFEFF${differenceModelXml('EQ', { forward: lineSegment('A', 'One & only'.replace('&', '&amp;')), reverse: null })}`;
    const archive = await gridArchive({ EQ });
    const { id } = await grid.published(archive, newPlace());
    const contents = await contentsOf(id);
    expect(contents.get('EQ rdf identity')).toEqual(Buffer.from(EQ));
    expect(contents.get('archive zip identity')).toEqual(archive);
    expect(gunzipSync(contents.get('EQ rdf gzip') as Buffer)).toEqual(Buffer.from(EQ));
    const { header, forward = [] } = readDifferenceModel(Buffer.from(EQ));
    const json = JSON.parse(String(contents.get('EQ json identity'))) as unknown;
    expect(json).toEqual({ header, forwardDifferences: forward.map(itemJson) });
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
  it('is published as it was', async () => {
    const archive = await gridArchive();
    const path = await grid.folder.write('changing.zip', archive);
    const holder = await grid.owner.connect();
    await holder.query('begin; lock table content in share mode');
    const publishing = publishArchive(grid.parts, { ...newPlace(), accountId: null }, path);
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
    const { number } = await one<{ number: number }>(`select number from content where sha256 = sha256($1)`, [archive]);
    expect(await grid.parts.contents.read(number)).toEqual(archive);
  });

  it('is not staged under a size or a SHA-256 that are not those of its bytes', async () => {
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
      const staged = await stageVersion(grid.parts, staging.id, [], lie).catch(String);
      await staging.end();
      expect(staged).toMatch('archive as zip is not what it was');
    }
  });
});

describe('a file of few objects with many statements', () => {
  it('is staged in statements of a bounded length', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `<cim:a${index}/>`).join('');
    const forward = Array.from({ length: 12 }, (_, index) => `<cim:X rdf:ID="_${index}">${many}</cim:X>`).join('');
    const longest = `cim:${'n'.repeat(250)}`;
    const named = Array.from(
      { length: 400 },
      (_, index) => `<cim:Y rdf:ID="_y${index}">${`<${longest}/>`.repeat(20)}</cim:Y>`,
    ).join('');
    const adding = jest.spyOn(StagedModelRepository.prototype, 'addItems');
    await grid.published(await storedArchive(differenceModelXml('EQ', { forward: forward + named })), newPlace());
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

describe('what the models of a version say', () => {
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
      newPlace(),
    ));
  });
  const rows = async (text: string) => (await grid.owner.query(text, [version])).rows as unknown[];
  const OF_EQ = `model = (select number from difference_model where project_version = $1 and file = 'EQ')`;

  it('has the header and the counts of each section, null where there is none', async () => {
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

  it('is numbered in the order of the file, and each item counted among those of its mRID', async () => {
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

  it('is found by name and value of a statement', async () => {
    expect(
      await rows(
        `select item from item_statement where ${OF_EQ} and statement_hash = hashtext('cim:ACLineSegment.r 0.5')`,
      ),
    ).toEqual([{ item: 3 }]);
  });

  it('is counted by class', async () => {
    expect(
      await rows(`select section, type, items, statements from class_count where ${OF_EQ} order by section, type`),
    ).toEqual([
      { section: 'forward', type: 'cim:ACLineSegment', items: 1, statements: 5 },
      { section: 'forward', type: 'rdf:Description', items: 2, statements: 2 },
      { section: 'reverse', type: 'cim:ACLineSegment', items: 1, statements: 5 },
      { section: 'reverse', type: 'rdf:Description', items: 1, statements: 1 },
    ]);
  });

  it('is merged by object over the three files', async () => {
    expect(
      await rows(
        'select mrid_key, mrid, type, kind, name, files from object_change where project_version = $1 order by mrid_key',
      ),
    ).toEqual([
      { mrid_key: 'added', mrid: 'Added', type: 'cim:ACLineSegment', kind: 'added', name: 'New', files: ['EQ', 'GL'] },
      { mrid_key: 'named', mrid: 'Named', type: 'rdf:Description', kind: 'changed', name: 'After', files: ['EQ'] },
      { mrid_key: 'removed', mrid: 'Removed', type: 'cim:ACLineSegment', kind: 'removed', name: 'Old', files: ['EQ'] },
    ]);
  });

  it('has one digest for items that say the same in another order', async () => {
    const [some, others] = ['<cim:A.b>1</cim:A.b><cim:A.c>2</cim:A.c>', '<cim:A.c>2</cim:A.c><cim:A.b>1</cim:A.b>'].map(
      (statements, index) => `<rdf:Description rdf:about="#_${index}">${statements}</rdf:Description>`,
    );
    const forward = `${some}${others}${attributeChange('2', 'cim:A.b', '1')}`;
    const { id } = await grid.published(await gridArchive({ EQ: differenceModelXml('EQ', { forward }) }), newPlace());
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

describe('a project of 50,000 objects', () => {
  it('is published in seconds, and other work of the process goes on meanwhile', async () => {
    const archive = await largeArchive(50_000);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const begin = performance.now();
    const { id } = await grid.published(archive, newPlace());
    const seconds = (performance.now() - begin) / 1000;
    delay.disable();
    expect(seconds).toBeLessThan(60);
    expect(delay.max / 1e6).toBeLessThan(500);
    const { objects } = await one<{ objects: number }>(
      `select count(*)::integer as objects from object_change where project_version = $1 and kind = 'added'`,
      [id],
    );
    expect(objects).toBe(50_000);
  });
});
