import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { differenceModelXml, gridArchive, lineSegment } from '../../../support/grid-archives';
import { baseArchive, fullModelXml } from '../../../support/grid-base-archives';
import { TEST_KEY } from '../../../support/grid-database';
import { untilOneWaits } from '../../../support/lock-waiters';
import { type GridGraph, gridGraph } from '../../../support/grid-graph';
import { registerClock } from '../../../../subgraphs/server/database/register-clock';
import { profilesWith } from '../../../../subgraphs/grid-models/rdf/member-profiles';
import type { PublicationRepository } from '../../../../subgraphs/grid-models/publications/publication.repository';
import { type PublicationOutcome, publishArchive } from '../../../../subgraphs/grid-models/publications/publish.flow';

/** Results of a publication in addition to its version: warnings, preconditions and profiles of the setting. */
export function publicationChecks(): void {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
  });
  afterAll(() => grid?.close());

  const newKey = () => ({ ...TEST_KEY, projectId: `W-${randomUUID().slice(0, 8)}` });
  const VERSION = `query ($projectId: ProjectId!, $version: Int!) {
    developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: $projectId) {
      version(version: $version) {
        warnings { file kind }
        model(file: EQ_XML) {
          preconditions(first: 1) { nodes { mRID type name attributes { name value } associations { name target } } totalCount nextCursor }
          items { totalCount }
        }
      }
    }
  }`;

  describe('the warnings of a publication', () => {
    it('are reported to its publisher and in the graph, until the dependency is published', async () => {
      const [key, base, mRID] = [newKey(), randomUUID(), randomUUID()];
      const of = (name: string) =>
        gridArchive({
          EQ: differenceModelXml('EQ', { mRID, dependentOn: [base], forward: lineSegment('A', name) }),
          SC: differenceModelXml('SC', { dependentOn: [mRID] }).replace('2026-05-01T00:00:00Z', '2026-05-01T00:00:00'),
        });
      const one = await of('One');
      const first = await grid.publish(one, key);
      expect(first).toMatchObject({
        warnings: [
          { file: 'EQ', kind: 'unpublished-dependency' },
          { file: 'SC', kind: 'created-without-zone' },
          { file: 'GL', kind: 'no-dependency' },
        ],
      });
      expect(await grid.publish(one, key)).toMatchObject({ isNew: false, warnings: { length: 3 } });
      const second = await grid.publish(await of('Two'), key);
      expect(second).toMatchObject({ version: { version: 2 }, warnings: { length: 4 } });
      await grid.publish(await gridArchive({ EQ: differenceModelXml('EQ', { mRID: base.toUpperCase() }) }), newKey());
      const warningsOf = async (version: number) =>
        (await grid.execute(VERSION, { projectId: key.projectId, version })).developmentProject.version.warnings;
      expect(await warningsOf(1)).toEqual([
        { file: 'SC_XML', kind: 'CREATED_WITHOUT_ZONE' },
        { file: 'GL_XML', kind: 'NO_DEPENDENCY' },
      ]);
      expect((await warningsOf(2))[0]).toEqual({ file: 'EQ_XML', kind: 'REUSED_MRID' });
    });

    it('are reported of the version that is published later, even if it was staged earlier', async () => {
      const mRID = randomUUID();
      const of = (name: string) =>
        gridArchive({ EQ: differenceModelXml('EQ', { mRID, forward: lineSegment('A', name) }) });
      const reused = (outcome: PublicationOutcome) =>
        outcome.outcome === 'published' && outcome.warnings.some(({ kind }) => kind === 'reused-mrid');
      let other: PublicationOutcome | undefined;
      const publications = Object.create(grid.parts.publications) as PublicationRepository;
      publications.stage = async (...staged) => {
        const staging = await grid.parts.publications.stage(...staged);
        const publish: typeof staging.publish = async (...request) => {
          other = await grid.publish(await of('Two'), newKey());
          return staging.publish(...request);
        };
        return { id: staging.id, publish, end: () => staging.end() };
      };
      const path = await grid.folder.write('staged-first.zip', await of('One'));
      const first = await publishArchive({ ...grid.parts, publications }, { ...newKey(), accountId: null }, path);
      expect([reused(other as unknown as PublicationOutcome), reused(first)]).toEqual([false, true]);
    });
  });

  describe('a model mRID that was used before', () => {
    const reused = ({ warnings }: { readonly warnings?: readonly { readonly kind: string }[] }) =>
      (warnings ?? []).some(({ kind }) => kind === 'reused-mrid');
    const onPage = async (projectId: string, number: number): Promise<boolean> => {
      const { version } = (await grid.execute(VERSION, { projectId, version: number })).developmentProject;
      return version.warnings.some(({ kind }: { kind: string }) => kind === 'REUSED_MRID');
    };
    /** Publishes one archive after the other, with the clock an hour further back before each. */
    const againstTheClock = async (publications: readonly (() => Promise<object>)[]) => {
      const clock = registerClock(grid.database);
      const found: boolean[] = [];
      try {
        for (const [index, publication] of publications.entries()) {
          await clock.setOffset(-3600 * index);
          found.push(reused(await publication()));
        }
      } finally {
        await clock.setOffset(0);
      }
      return found;
    };

    const archivesWith = (mRID: string) => (name: string) =>
      gridArchive({ EQ: differenceModelXml('EQ', { mRID, forward: lineSegment('A', name) }) });

    it('is reported of the later version of a project, also if the clock is set back', async () => {
      const [key, of] = [newKey(), archivesWith(randomUUID())];
      const published = await againstTheClock([
        async () => grid.publish(await of('One'), key),
        async () => grid.publish(await of('Two'), key),
      ]);
      expect(published).toEqual([false, true]);
      expect([await onPage(key.projectId, 1), await onPage(key.projectId, 2)]).toEqual([false, true]);
    });

    it('is reported to the later publisher of two projects, also if the clock is set back', async () => {
      const of = archivesWith(randomUUID());
      const published = await againstTheClock([
        async () => grid.publish(await of('One'), newKey()),
        async () => grid.publish(await of('Two'), newKey()),
      ]);
      expect(published).toEqual([false, true]);
    });

    it('is reported of the later base model of a cycle, also if the clock is set back', async () => {
      const [key, mRID] = [{ ...TEST_KEY, area: 'SEPD' }, randomUUID()];
      const of = (name: string) => baseArchive({ EQ: fullModelXml('EQ', lineSegment('A', name), mRID) });
      const published = await againstTheClock([
        async () => grid.publishBase(await of('One'), key),
        async () => grid.publishBase(await of('Two'), key),
      ]);
      expect(published).toEqual([false, true]);
      const [one, two] = (await grid.owner.query(`select number from base_model where area = 'SEPD' order by version`))
        .rows as [{ number: number }, { number: number }];
      const { warnings } = grid.parts;
      const pages = [await warnings.ofBase(one.number), await warnings.ofBase(two.number)];
      expect(pages.map((found) => reused({ warnings: found }))).toEqual([false, true]);
    });
  });

  describe('a dependency on a base model', () => {
    it('is published when the base model is: it is no warning any more, and the model names the base model', async () => {
      const [key, base] = [newKey(), randomUUID()];
      const dependentOn = [base.toUpperCase()];
      const outcome = await grid.publish(await gridArchive({ EQ: differenceModelXml('EQ', { dependentOn }) }), key);
      expect(outcome).toMatchObject({ warnings: [{ file: 'EQ', kind: 'unpublished-dependency' }, {}, {}] });
      const read = async () => {
        const { version } = (
          await grid.execute(
            `query ($projectId: ProjectId!) { developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: $projectId) {
              version(version: 1) { warnings { file } models { dependentOn { baseModel { version } models { file } } } } } }`,
            { projectId: key.projectId },
          )
        ).developmentProject;
        return {
          warned: version.warnings.map(({ file }: { file: string }) => file),
          on: version.models[0].dependentOn,
        };
      };
      expect(await read()).toEqual({ warned: ['EQ_XML', 'SC_XML', 'GL_XML'], on: [{ baseModel: null, models: [] }] });
      await grid.publishBase(await baseArchive({ EQ: fullModelXml('EQ', '', base) }));
      expect(await read()).toEqual({ warned: ['SC_XML', 'GL_XML'], on: [{ baseModel: { version: 1 }, models: [] }] });
    });
  });

  describe('a base model that is published while a version is staged', () => {
    it('decides which objects of the version are added, since it applies when the version is published', async () => {
      const key = { ...newKey(), area: 'SPM' };
      const forward = `<cim:ACLineSegment rdf:about="#_A"><cim:IdentifiedObject.name>New</cim:IdentifiedObject.name></cim:ACLineSegment>`;
      const publications = Object.create(grid.parts.publications) as PublicationRepository;
      let stagings = 0;
      publications.stage = async (...staged) => {
        const staging = await grid.parts.publications.stage(...staged);
        stagings += 1;
        const publish: typeof staging.publish = async (...request) => {
          if (stagings === 1)
            await grid.publishBase(await baseArchive({ EQ: fullModelXml('EQ', lineSegment('A', 'Old')) }), key);
          return staging.publish(...request);
        };
        return { id: staging.id, publish, end: () => staging.end() };
      };
      const archive = await gridArchive({ EQ: differenceModelXml('EQ', { forward, reverse: null }) });
      const path = await grid.folder.write('overtaken.zip', archive);
      expect(await publishArchive({ ...grid.parts, publications }, { ...key, accountId: null }, path)).toMatchObject({
        ...{ outcome: 'published', isNew: true, version: { version: 1 } },
      });
      const query = `query ($projectId: ProjectId!) {
        developmentProject(area: "SPM", publicationYear: 2026, period: "01", projectId: $projectId) {
          version(version: 1) { objects(first: 2) { nodes { mRID kind } } } } }`;
      const { version } = (await grid.execute(query, { projectId: key.projectId })).developmentProject;
      expect(version.objects.nodes).toEqual([{ mRID: 'A', kind: 'CHANGED' }]);
      expect((await grid.owner.query('select from project_version where version is null')).rowCount).toBe(0);
    });
  });

  describe('a transaction of the login of the subgraph that is under way at a publication', () => {
    /** Publishes an archive; `atPublication` receives the id of the staged version and its contents, and publishes it. */
    const published = async (
      atPublication: (
        staged: { readonly id: string; readonly content: number },
        publish: () => Promise<unknown>,
      ) => Promise<void>,
    ) => {
      const publications = Object.create(grid.parts.publications) as PublicationRepository;
      publications.stage = async (...args) => {
        const staging = await grid.parts.publications.stage(...args);
        const publish: typeof staging.publish = async (...request) => {
          const { rows } = await grid.owner.query('select number from content where project_version = $1', [
            staging.id,
          ]);
          let result!: ReturnType<typeof staging.publish>;
          await atPublication({ id: staging.id, content: (rows[0] as { number: number }).number }, () => {
            result = staging.publish(...request);
            return result;
          });
          return result;
        };
        return { id: staging.id, publish, end: () => staging.end() };
      };
      const path = await grid.folder.write('intruded.zip', await gridArchive());
      return publishArchive({ ...grid.parts, publications }, { ...newKey(), accountId: null }, path);
    };

    const sessions: PoolClient[] = [];
    const connected = async () => {
      const session = await grid.database.pool.connect();
      sessions.push(session);
      return session;
    };
    afterEach(() => sessions.splice(0).forEach((session) => session.release(true)));

    it('deletes and adds no chunk if its snapshot is older', async () => {
      const session = await connected();
      const change = async (statement: string, content: number) => {
        await session.query('savepoint before_change');
        await expect(session.query(statement, [content])).rejects.toMatchObject({ code: '40001' });
        await session.query('rollback to before_change');
      };
      let content = 0;
      expect(
        await published(async (staged, publish) => {
          ({ content } = staged);
          await session.query('begin isolation level repeatable read');
          await session.query('select from content_chunk where content = $1', [content]);
          await publish();
        }),
      ).toMatchObject({ outcome: 'published', isNew: true });
      await change('delete from content_chunk where content = $1', content);
      await change(`insert into content_chunk (content, number, bytes) values ($1, 1000, 'x')`, content);
    });

    it('that changes chunks delays the publication until it ends', async () => {
      const session = await connected();
      for (const statement of [
        `insert into content_chunk (content, number, bytes) values ($1, 1000, 'x')`,
        'delete from content_chunk where content = $1',
      ])
        await published(async ({ id, content }, publish) => {
          await session.query('begin');
          await session.query(statement, [content]);
          let isPublished = false;
          const publication = publish().then(() => (isPublished = true));
          await Promise.race([publication, untilOneWaits(session)]);
          expect([id, isPublished]).toEqual([id, false]);
          await session.query('rollback');
          await publication;
        });
    });
  });

  describe('preconditions', () => {
    it('are in the graph and in none of the items', async () => {
      const key = newKey();
      const preconditions = `<dm:preconditions rdf:parseType="Statements">
        <cim:Terminal rdf:about="#_T"><cim:Terminal.connected>true</cim:Terminal.connected>
        <cim:Terminal.ConnectivityNode rdf:resource="#_C"/></cim:Terminal>
        <rdf:Description rdf:about="#_U"/></dm:preconditions>`;
      const EQ = differenceModelXml('EQ', { forward: lineSegment('A', 'One') });
      await grid.published(await gridArchive({ EQ: EQ.replace('</dm:DifferenceModel>', `${preconditions}$&`) }), key);
      const { model } = (await grid.execute(VERSION, { projectId: key.projectId, version: 1 })).developmentProject
        .version;
      expect(model.preconditions).toEqual({
        nodes: [
          {
            ...{ mRID: 'T', type: 'cim:Terminal', name: null },
            attributes: [{ name: 'cim:Terminal.connected', value: 'true' }],
            associations: [{ name: 'cim:Terminal.ConnectivityNode', target: 'C' }],
          },
        ],
        totalCount: 2,
        nextCursor: expect.any(String) as unknown,
      });
      expect(model.items.totalCount).toBe(1);
    });
  });

  describe('a profile that GRID_PROFILES adds', () => {
    it('is accepted for its member only', async () => {
      const profile = 'http://ofgem.gov.uk/ns/CIM/LTDS/Equipment/6.1';
      const parts = { ...grid.parts, profiles: profilesWith({ EQ: [profile] }) };
      const publish = async (file: 'EQ' | 'SC') => {
        const archive = await gridArchive({ [file]: differenceModelXml(file, { profile }) });
        const path = await grid.folder.write(`${randomUUID()}.zip`, archive);
        return publishArchive(parts, { ...newKey(), accountId: null }, path);
      };
      expect(await publish('EQ')).toMatchObject({ outcome: 'published' });
      expect(await publish('SC')).toMatchObject({ outcome: 'refused', faults: { length: 1 } });
    });
  });
}
