import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  STAGED_BASES,
  removeAbandoned,
} from '../../../../subgraphs/grid-models/publications/staged-removal.repository';
import { publicationQueue } from '../../../../subgraphs/grid-models/publications/publication-queue';
import { UploadRepository } from '../../../../subgraphs/grid-models/publications/upload.repository';
import { uploadsOf } from '../../../../subgraphs/grid-models/publications/uploads.flow';
import { gridArchive, lineSegment } from '../../../support/grid-archives';
import { baseArchive, fullModelXml } from '../../../support/grid-base-archives';
import { ADMIN, type GridGraph, gridGraph } from '../../../support/grid-graph';
import { heldBy } from '../../../support/held-lock';
import { until } from '../../../support/until';

const [AREA, YEAR] = ['EPN', 2026];
const CYCLE = `area: "${AREA}", publicationYear: ${YEAR}, period: "01"`;

/** Base models that arrive at upload addresses. */
export function baseUploads(): void {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
  });
  afterAll(() => grid?.close());

  const prepare = async (input = CYCLE) =>
    (await grid.execute(`mutation { prepareBaseModelPublication(input: { ${input} }) { address } }`, {}, ADMIN))
      .prepareBaseModelPublication.address as string;
  const publish = (address: string, archive: Buffer) => grid.running.files.publishAt(address, Readable.from(archive));
  const check = (address: string, archive: Buffer) => grid.running.files.checkAt(address, Readable.from(archive));
  const base = (name: string) => baseArchive({ EQ: fullModelXml('EQ', lineSegment(randomUUID(), name)) });
  const current = async () => (await grid.execute(`{ baseModel(${CYCLE}) { version } }`)).baseModel as unknown;

  describe('An upload address of a base model', () => {
    it('publishes it once; the same archive again returns it, another one is gone', async () => {
      const [address, archive] = [await prepare(), await base('One')];
      const published = { area: AREA, publicationYear: YEAR, period: '01', projectId: null, version: 1 };
      const warnings = [{ file: 'SC', kind: 'no-dependency' }, { file: 'GL' }];
      const outcome = { outcome: 'published', version: published, warnings };
      expect(await publish(address, archive)).toMatchObject({ ...outcome, isNew: true });
      expect(await publish(address, archive)).toMatchObject({ ...outcome, isNew: false });
      expect(await publish(address, await base('Two'))).toEqual({ outcome: 'gone' });
      expect(await check(address, archive)).toEqual({ outcome: 'gone' });
      expect(await current()).toEqual({ version: 1 });
    });

    it('publishes it while reads occupy all other connections of the service', async () => {
      const [address, archive] = [await prepare(), await base('Meanwhile')];
      await grid.published(await gridArchive());
      const items = `{ developmentProjects(first: 1) { nodes { latestVersion { models { items(first: 1) { nodes { mRID } } } } } } }`;
      const lock = await heldBy(grid.owner, 'lock table difference_item in access exclusive mode', []);
      const reads = Array.from({ length: 10 }, () => grid.execute(items).catch(String));
      await lock.isWaitedFor(10);
      const outcome = await publish(address, archive).catch(String);
      await lock.release();
      await Promise.all(reads);
      expect(outcome).toMatchObject({ outcome: 'published', isNew: true });
    });

    it('returns the base model that applies if the archive repeats it at another address', async () => {
      const archive = await base('Repeated');
      const [first, second] = [await prepare(), await prepare()];
      const { version } = (await publish(first, archive)) as { version: { version: number } };
      expect(await publish(second, archive)).toMatchObject({ isNew: false, version: { version: version.version } });
      expect(await publish(second, await base('Other'))).toEqual({ outcome: 'gone' });
    });

    it('is used by one of two archives that arrive one after the other before the first is published', async () => {
      const address = await prepare();
      const outcomes = await Promise.all(
        ['Early', 'Late'].map(async (name) => publish(address, await base(name)).then(({ outcome }) => outcome)),
      );
      expect(outcomes).toContain('published');
      expect(outcomes.filter((outcome) => outcome !== 'published')).toEqual([expect.stringMatching(/^(gone|busy)$/)]);
    });

    it('is used by one of two archives that two processes receive at once', async () => {
      const uploads = new UploadRepository(grid.database);
      const other = uploadsOf({ ...grid.parts, uploads, queue: publicationQueue(1), key: grid.key });
      const [address, early, late] = [await prepare(), await base('Here'), await base('There')];
      const outcomes = await Promise.all([publish(address, early), other.publishAt(address, Readable.from(late))]);
      expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['gone', 'published']);
    });

    it('rejects difference models, as the address of a project rejects full models; both stay valid', async () => {
      const ofProject = (
        await grid.execute(
          `mutation { prepareGridPublication(input: { ${CYCLE}, projectId: "Mixed" }) { address } }`,
          {},
          ADMIN,
        )
      ).prepareGridPublication.address as string;
      const ofBase = await prepare();
      const before = await grid.rows();
      expect(await publish(ofBase, await gridArchive())).toMatchObject({
        outcome: 'refused',
        faults: expect.arrayContaining([
          expect.objectContaining({ message: 'the file contains a difference model, not a full model' }),
        ]),
      });
      expect(await publish(ofProject, await base('Full'))).toMatchObject({
        outcome: 'refused',
        faults: expect.arrayContaining([
          expect.objectContaining({ message: 'the file contains a full model, not a difference model' }),
        ]),
      });
      expect(await grid.rows()).toEqual(before);
      expect(await publish(ofBase, await base('Corrected'))).toMatchObject({ outcome: 'published', isNew: true });
      expect(await publish(ofProject, await gridArchive())).toMatchObject({ outcome: 'published', isNew: true });
    });

    it('checks full models without storing them, and counts all statements and those that apply', async () => {
      const address = await prepare();
      const before = await grid.rows();
      const two = fullModelXml('EQ', [1, 2].map((number) => lineSegment(randomUUID(), `Line ${number}`)).join(''));
      expect(await check(address, await baseArchive({ EQ: two }))).toMatchObject({
        ...{ outcome: 'checked', base: { publicationYear: YEAR, period: '01' } },
        ...{ statementsBefore: 5, statementsAfter: 10, findingCount: 0, findings: [] },
      });
      expect(await check(address, await gridArchive())).toMatchObject({ outcome: 'refused' });
      expect(await grid.rows()).toEqual(before);
    });

    describe('after ten minutes, by the clock of the register,', () => {
      const moveClock = (seconds: number) => grid.owner.query('select register.set_clock_offset($1)', [seconds]);
      afterEach(() => moveClock(0));

      /** Starts to send an archive. Resolves when the register reads it. */
      const start = (send: (archive: Readable) => Promise<unknown>) =>
        new Promise<{ breaks(): Promise<unknown> }>((resolve) => {
          const archive: Readable = new Readable({
            read: () =>
              resolve({
                breaks: () => {
                  archive.destroy(new Error('connection reset'));
                  return outcome;
                },
              }),
          });
          const outcome = send(archive).catch(String);
        });

      it('receives the archive again if the connection of an upload breaks that began in time', async () => {
        const [address, archive] = [await prepare(), await base('Again')];
        await moveClock(590);
        const upload = await start((bytes) => grid.running.files.publishAt(address, bytes));
        await moveClock(4_000);
        expect(await upload.breaks()).toBe('Error: connection reset');
        expect(await publish(address, archive)).toMatchObject({ outcome: 'published', isNew: true });
        expect(await publish(address, archive)).toMatchObject({ outcome: 'published', isNew: false });
      });

      it('receives the archive after a check that began in time', async () => {
        const [address, archive] = [await prepare(), await base('Checked')];
        const upload = await start((bytes) => grid.running.files.checkAt(address, bytes));
        await moveClock(601);
        await upload.breaks();
        expect(await publish(address, archive)).toMatchObject({ outcome: 'published', isNew: true });
      });

      it('is gone two hours after the last upload, and a day after its preparation, whatever arrives meanwhile', async () => {
        const [unused, repeated] = [await prepare(), await prepare()];
        const reject = (address: string) => publish(address, Buffer.from('no zip'));
        expect(await reject(unused)).toMatchObject({ outcome: 'refused' });
        for (let seconds = 500; seconds < 86_400; seconds += 7_100) {
          await moveClock(seconds);
          expect(await reject(repeated)).toMatchObject({ outcome: 'refused' });
        }
        expect(await publish(unused, await base('Late'))).toEqual({ outcome: 'gone' });
        await moveClock(86_500);
        expect(await publish(repeated, await base('Late'))).toEqual({ outcome: 'gone' });
      });
    });

    it('receives more than the archive of a project may have', async () => {
      const mebibyte = Buffer.alloc(1024 * 1024);
      const archive = Readable.from(
        (function* () {
          for (let sent = 0; sent < 193; sent += 1) yield mebibyte;
        })(),
      );
      expect(await grid.running.files.publishAt(await prepare(), archive)).toMatchObject({
        outcome: 'refused',
        faults: [{ message: 'the archive is not a complete zip file' }],
      });
    });

    it('is for admins, and names all invalid fields', async () => {
      const invalid = 'area: "X", publicationYear: 99, period: "3"';
      const mutation = (input: string) => `mutation { prepareBaseModelPublication(input: { ${input} }) { address } }`;
      expect(await grid.errorOf(mutation(CYCLE))).toBe('AUT001');
      expect(await grid.errorOf(mutation(invalid), {}, ADMIN)).toBe('VAL003 area publicationYear period');
    });
  });

  describe('A base model that a crashed process left', () => {
    it('is deleted with the rows of a statement of that process which still runs', async () => {
      const before = await grid.rows();
      const { rows } = await grid.owner.query<{ number: number }>(
        `insert into base_model (area, publication_year, period, archive_sha256) values ('EPN', 2026, '01', sha256('')) returning number`,
      );
      const [{ number }] = rows as [{ number: number }];
      const item = (at: number) =>
        `insert into base_item (base, file, number, mrid, type, is_object, statements) values (${number}, 'EQ', ${at}, 'a', 'cim:A', true, '[]')`;
      const late = await grid.owner.connect();
      await late.query('begin');
      await late.query(item(1));
      await late.query(`insert into base_reference values (${number}, 'b', 'EQ', 1)`);
      const removing = removeAbandoned(grid.database.pool, STAGED_BASES);
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
      await expect(grid.database.pool.query(item(2))).rejects.toMatchObject({ code: '23001' });
    });
  });
}
