import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from 'pg';
import { REPOSITORY_ROOT } from '../../../../schema/repository-root';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import {
  type TrialModel,
  attributeChange,
  differenceModelXml,
  gridArchive,
  lineSegment,
} from '../../../support/grid-archives';
import { TEST_KEY as PLACE } from '../../../support/grid-database';
import { type GridGraph, ADMIN, gridGraph } from '../../../support/grid-graph';

export function graphLists(): void {
  const mridOf = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
  });
  afterAll(() => grid?.close());

  // Runs first, because the list without a filter contains all projects.
  describe('The list of development projects', () => {
    const PUBLISHED = [
      ['EPN', 2025, '01', 'P1'],
      ['EPN', 2025, '02', 'P2'],
      ['ENWL', 2026, '01', 'P1'],
      ['EPN', 2026, '01', 'P3'],
      ['EPN', 2025, '01', 'P1'],
    ] as const;
    beforeAll(async () => {
      for (const [area, publicationYear, period, projectId] of PUBLISHED)
        await grid.published(await gridArchive(), { area, publicationYear, period, projectId });
    });

    const NAME = 'projectId publicationYear period licenceArea { code }';
    interface Listed {
      readonly projectId: string;
      readonly publicationYear: number;
      readonly period: string;
      readonly licenceArea: { readonly code: string };
    }
    const nameOf = ({ projectId, publicationYear, period, licenceArea }: Listed) =>
      `${licenceArea.code} ${publicationYear}-${period} ${projectId}`;
    const list = async (page: string) =>
      (
        await grid.execute(
          `{ developmentProjects${page} { totalCount nextCursor pageInfo { hasNextPage } nodes { ${NAME} } } }`,
        )
      ).developmentProjects;

    it.each([
      ['newest publication first', '', ['EPN 2025-01 P1', 'EPN 2026-01 P3', 'ENWL 2026-01 P1', 'EPN 2025-02 P2']],
      ['by licence area', '(area: "epn")', ['EPN 2025-01 P1', 'EPN 2026-01 P3', 'EPN 2025-02 P2']],
      ['by year', '(publicationYear: 2026)', ['EPN 2026-01 P3', 'ENWL 2026-01 P1']],
      ['by licence area and year', '(area: "EPN", publicationYear: 2026)', ['EPN 2026-01 P3']],
      ['by cycle', '(period: "02")', ['EPN 2025-02 P2']],
      ['by project', '(projectId: "P1")', ['EPN 2025-01 P1', 'ENWL 2026-01 P1']],
      ['by a year without publications', '(publicationYear: 9999)', []],
    ])('is ordered and filtered: %s', async (_, page, expected) => {
      const { nodes, totalCount } = await list(page);
      expect(nodes.map(nameOf)).toEqual(expected);
      expect(totalCount).toBe(expected.length);
    });

    it('continues after a cursor', async () => {
      const first = await list('(first: 3)');
      expect(first).toMatchObject({ totalCount: 4, pageInfo: { hasNextPage: true } });
      const rest = await list(`(first: 3, after: "${first.nextCursor}")`);
      expect(rest.nodes.map(nameOf)).toEqual(['EPN 2025-02 P2']);
      expect(rest.nextCursor).toBeNull();
    });

    it.each([
      ['an unknown licence area', '{ developmentProjects(area: "XYZ") { totalCount } }', 'NTF001'],
      ['a year of two digits', '{ developmentProjects(publicationYear: 26) { totalCount } }', 'VAL003 publicationYear'],
      [
        'a year of ten digits',
        '{ developmentProjects(publicationYear: 2000000000) { totalCount } }',
        'VAL003 publicationYear',
      ],
      [
        'a project of a year of two digits',
        '{ developmentProject(area: "EPN", publicationYear: 26, period: "01", projectId: "P1") { id } }',
        'VAL003 publicationYear',
      ],
      ['an empty page', '{ developmentProjects(first: 0) { totalCount } }', 'VAL003 first'],
      ['too large a page', '{ developmentProjects(first: 501) { totalCount } }', 'VAL003 first'],
      ['a cursor of something else', '{ developmentProjects(after: "abc") { totalCount } }', 'VAL001 after'],
      ['a project that cannot be', '{ developmentProjects(projectId: "..\\u002f") { totalCount } }', 'VAL001'],
      ['a cycle that is none', '{ developmentProjects(period: "1") { totalCount } }', 'VAL003'],
    ])('rejects %s', async (_, query, rejection) => {
      expect(await grid.errorOf(query)).toBe(rejection);
    });

    it.each([
      ['items of too large a page', 'model(file: EQ_XML) { items(first: 501) { nextCursor } }', 'VAL003 first'],
      ['items after no item', 'model(file: EQ_XML) { items(after: "eA") { nextCursor } }', 'VAL001 after'],
      ['objects of no page', 'objects(first: 0) { nextCursor }', 'VAL003 first'],
      ['a search that nothing can hold', 'objects(search: "\\u0000") { nextCursor }', 'VAL001 search'],
      ['an object that cannot be', 'object(mRID: "\\u0000") { mRID }', 'VAL001 mRID'],
      ['too many locations', 'locations(first: 5001) { nextCursor }', 'VAL003 first'],
    ])('has versions that reject %s', async (_, selection, rejection) => {
      const query = `{ developmentProjects(first: 1) { nodes { latestVersion { ${selection} } } } }`;
      expect(await grid.errorOf(query)).toBe(rejection);
    });

    it('needs the same number of statements for many projects as for one', async () => {
      const sent = jest.spyOn(Client.prototype, 'query');
      const statements = async (first: number) => {
        sent.mockClear();
        await grid.execute(`{ developmentProjects(first: ${first}) { nodes { licenceArea { code } versions {
        version archive { size } classCounts { type } version project { projectId latestVersion { version } }
        models { stored { size } classCounts { items } dependentOn { models { id } } dependents { id } } } } } }`);
        return sent.mock.calls.length;
      };
      try {
        await statements(1); // connects
        const ofOne = await statements(1);
        expect(ofOne).toBeGreaterThan(5);
        expect(await statements(4)).toBe(ofOne);
      } finally {
        sent.mockRestore();
      }
    });
  });

  describe('Difference models that depend on each other', () => {
    /** A chain with a cycle: 1 depends on 2 and 9, 2 on 3, 3 on 1; 9 is not published. 4 depends on 1, too. */
    const DEPENDENCIES: readonly (readonly [string, readonly string[]])[] = [
      ['3', ['1']],
      ['2', ['3']],
      ['1', ['2', '9']],
      ['4', ['1']],
      ['1', ['2', '9']],
    ];
    beforeAll(async () => {
      for (const [index, [digit, on]] of DEPENDENCIES.entries()) {
        const mRID = index === 4 ? mridOf(digit).toUpperCase() : mridOf(digit);
        const EQ = differenceModelXml('EQ', {
          mRID,
          dependentOn: on.map(mridOf),
          description: `published as ${index}`,
        });
        await grid.published(await gridArchive({ EQ }), { ...PLACE, projectId: `D${index}` });
      }
    });

    const models = async (mRID: string, selection: string) =>
      (await grid.execute(`{ differenceModels(mRID: "${mRID}") { ${selection} } }`)).differenceModels;

    it('are found by mRID, case-insensitive, newest first', async () => {
      const found = await models(mridOf('1').toUpperCase(), 'header { description }');
      expect(found).toEqual([
        { header: { description: 'published as 4' } },
        { header: { description: 'published as 2' } },
      ]);
      const [{ id }] = await models(mridOf('4'), 'id');
      expect(await grid.execute(`{ differenceModel(id: "${id}") { header { description } } }`)).toEqual({
        differenceModel: { header: { description: 'published as 3' } },
      });
    });

    it('have dependencies, published or not, and dependents', async () => {
      const [one] = await models(
        mridOf('1'),
        'dependentOn { mRID models { header { description } } } dependents { header { mRID } }',
      );
      expect(one).toEqual({
        dependentOn: [
          { mRID: mridOf('2'), models: [{ header: { description: 'published as 1' } }] },
          { mRID: mridOf('9'), models: [] },
        ],
        dependents: [{ header: { mRID: mridOf('4') } }, { header: { mRID: mridOf('3') } }],
      });
    });

    it('form a chain that contains each once and ends at a cycle', async () => {
      const chain = 'dependencyChain { depth mRID model { header { description } } }';
      const [four] = await models(mridOf('4'), chain);
      expect(four.dependencyChain).toEqual([
        { depth: 1, mRID: mridOf('1'), model: { header: { description: 'published as 4' } } },
        { depth: 2, mRID: mridOf('2'), model: { header: { description: 'published as 1' } } },
        { depth: 2, mRID: mridOf('9'), model: null },
        { depth: 3, mRID: mridOf('3'), model: { header: { description: 'published as 0' } } },
      ]);
      const [three] = await models(mridOf('3'), chain);
      expect(three.dependencyChain.map(({ mRID }: { mRID: string }) => mRID)).toEqual(['1', '2', '9'].map(mridOf));
    });

    /** Copies the first version of a project, without SC and GL, as the versions 2 to `count`. */
    async function copyVersions(count: number, first: string): Promise<void> {
      await grid.owner.query(`begin; set local session_replication_role = replica;
      insert into project_version (project, version, published_at, archive_sha256)
        select project, number, published_at, archive_sha256 from project_version, generate_series(2, ${count}) number where id = '${first}';
      insert into difference_model (project_version, file, mrid, created, scenario_time, modeling_authority_set, profile, description,
          model_version, dependent_on, supersedes)
        select later.id, file, mrid, created, scenario_time, modeling_authority_set, profile, 'version ' || later.version,
          model_version, dependent_on, supersedes
        from difference_model join project_version first on first.id = project_version join project_version later using (project)
        where first.id = '${first}' and file = 'EQ' and later.version > 1 order by later.version;
      insert into model_dependency select later.number, dependency.mrid_key
        from model_dependency dependency join difference_model model on model.number = dependency.model
          join difference_model later on later.mrid = model.mrid and later.number > model.number
        where model.project_version = '${first}';
      update development_project set latest_version = ${count} where id = (select project from project_version where id = '${first}');
      commit`);
    }

    it('are limited to the newest hundred', async () => {
      const mRID = mridOf('7');
      const EQ = differenceModelXml('EQ', { mRID, dependentOn: [mridOf('8')], description: 'version 1' });
      const { id } = await grid.published(await gridArchive({ EQ }), { ...PLACE, projectId: 'OFTEN' });
      await copyVersions(101, id);
      const found = await models(mRID, 'header { description }');
      expect(found).toHaveLength(100);
      expect([found[0], found[99]]).toEqual(['101', '2'].map((of) => ({ header: { description: `version ${of}` } })));
      const query = `{ developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: "OFTEN") {
      version(version: 1) { model(file: EQ_XML) { dependencyChain { mRID model { id } } } } } }`;
      const { developmentProject } = await grid.execute(query);
      expect(developmentProject.version.model.dependencyChain).toEqual([{ mRID: mridOf('8'), model: null }]);
    });

    it('are found by references, and not by text that cannot be stored', async () => {
      for (const mRID of [`urn:uuid:${mridOf('2')}`, `#_${mridOf('2')}`, `_${mridOf('2').toUpperCase()}`])
        expect(await models(mRID, 'header { mRID }')).toEqual([{ header: { mRID: mridOf('2') } }]);
      expect(await grid.errorOf('{ differenceModels(mRID: "\\u0000") { id } }')).toBe('VAL001 mRID');
    });

    it('are null for an invalid id', async () => {
      expect(await grid.execute('{ differenceModel(id: "") { id } differenceModels(mRID: "") { id } }')).toEqual({
        differenceModel: null,
        differenceModels: [],
      });
    });
  });

  const mridAt = (start: string) => `${start.padEnd(8, '0')}-0000-4000-8000-0000000000ab`;
  const [SITE, POINT, OTHER_POINT, LINE] = ['c1', 'd1', 'd2', 'a1'].map(mridAt) as [string, string, string, string];

  /** Items of a point in a GL file: the whole point, or a change of an existing one. */
  const point = (mRID: string, fields: { x?: number; y?: number; at?: string }, how: 'ID' | 'about' = 'ID') => {
    const [type, reference] = how === 'ID' ? ['cim:PositionPoint', `_${mRID}`] : ['rdf:Description', `#_${mRID}`];
    const coordinate = (name: string, value: number | undefined) =>
      value === undefined ? '' : `<cim:PositionPoint.${name}>${value}</cim:PositionPoint.${name}>`;
    const at = fields.at === undefined ? '' : `<cim:PositionPoint.Location rdf:resource="#_${fields.at}"/>`;
    return `<${type} rdf:${how}="${reference}">${coordinate('xPosition', fields.x)}${coordinate('yPosition', fields.y)}${at}</${type}>`;
  };

  describe('The locations of a version', () => {
    let projects = 0;
    const located = async (model: TrialModel, selection = 'mRID kind points { x y } pointsBefore { x y }') => {
      const projectId = `L${++projects}`;
      const EQ = differenceModelXml('EQ', { forward: lineSegment(LINE, 'Harbour Road') });
      await grid.published(await gridArchive({ EQ, GL: differenceModelXml('GL', model) }), { ...PLACE, projectId });
      const { developmentProject } = await grid.execute(
        `{ developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: "${projectId}") {
        latestVersion { unplacedPoints locations { totalCount nodes { ${selection} } } } } }`,
      );
      const { unplacedPoints, locations } = developmentProject.latestVersion;
      expect(locations.nodes).toHaveLength(locations.totalCount);
      return { unplacedPoints, nodes: locations.nodes };
    };

    it('include unchanged ones whose points are replaced', async () => {
      const moved = await located({
        reverse: point(POINT, { x: 0.4, y: 52, at: SITE }),
        forward: point(OTHER_POINT, { x: 0.5, y: 52, at: SITE }),
      });
      expect(moved).toEqual({
        unplacedPoints: 0,
        nodes: [{ mRID: SITE, kind: 'CHANGED', points: [{ x: 0.5, y: 52 }], pointsBefore: [{ x: 0.4, y: 52 }] }],
      });
    });

    it('have points whose association and coordinates are in different items', async () => {
      const moved = await located({
        reverse: point(POINT, { x: 0.4, y: 52, at: SITE }, 'about'),
        forward: point(POINT, { x: 0.5, y: 52 }, 'about'),
      });
      expect(moved).toEqual({
        unplacedPoints: 0,
        nodes: [{ mRID: SITE, kind: 'CHANGED', points: [{ x: 0.5, y: 52 }], pointsBefore: [{ x: 0.4, y: 52 }] }],
      });
    });

    it('exclude points without a location, which are counted once', async () => {
      const moved = await located({
        reverse: point(POINT, { x: 0.4 }, 'about') + point(OTHER_POINT, { x: 1, y: 1 }),
        forward: point(POINT, { x: 0.5 }, 'about'),
      });
      expect(moved).toEqual({ unplacedPoints: 2, nodes: [] });
    });

    it('include those with single changed statements, with the object at them', async () => {
      const forward = `<rdf:Description rdf:about="#_${SITE}">
      <cim:Location.PowerSystemResources rdf:resource="#_${LINE.toUpperCase()}"/></rdf:Description>`;
      const { nodes } = await located({ forward }, 'mRID kind object objectName');
      expect(nodes).toEqual([{ mRID: SITE, kind: 'CHANGED', object: LINE.toUpperCase(), objectName: 'Harbour Road' }]);
    });

    it('have points that refer to them in another case, by kind of change', async () => {
      const site = `<cim:Location rdf:ID="_${SITE}"/>`;
      const { nodes } = await located({ forward: site + point(POINT, { x: 0.1, y: 52, at: SITE.toUpperCase() }) });
      expect(nodes).toEqual([{ mRID: SITE, kind: 'ADDED', points: [{ x: 0.1, y: 52 }], pointsBefore: [] }]);
    });

    it('have a name', async () => {
      const forward = `<cim:Location rdf:ID="_${SITE}"><cim:IdentifiedObject.name>Harbour</cim:IdentifiedObject.name></cim:Location>
      <cim:Location rdf:ID="_${mridAt('c2')}"/>`;
      const { nodes } = await located({ forward }, 'name object');
      expect(nodes).toEqual([
        { name: 'Harbour', object: null },
        { name: null, object: null },
      ]);
    });

    it('are empty if the GL file describes none', async () => {
      const forward = attributeChange(SITE, 'cim:IdentifiedObject.name', 'Harbour');
      expect(await located({ forward })).toEqual({ unplacedPoints: 0, nodes: [] });
    });
  });

  const FOLDER = join(REPOSITORY_ROOT, '..', 'shared', 'data', 'cim');
  const FILES = {
    EQ: join(FOLDER, 'MicroGrid-NL-MAS-EQ_diff.xml'),
    SC: join(FOLDER, 'FullGrid_SC_diff.xml'),
    GL: join(FOLDER, 'MicroGrid-NL-MAS-GL_diff.xml'),
  };
  const areThere = Object.values(FILES).every((file) => existsSync(file));
  const read = (file: string) => readFileSync(file, 'utf8');

  (areThere ? describe : describe.skip)(
    'Real difference models in the graph (skipped where they are not there)',
    () => {
      beforeAll(async () => {
        await grid.published(await gridArchive({ EQ: read(FILES.EQ), SC: read(FILES.SC), GL: read(FILES.GL) }));
      });

      const version = async (selection: string) =>
        (await grid.execute(`{ developmentProjects { nodes { latestVersion { ${selection} } } } }`)).developmentProjects
          .nodes[0].latestVersion;

      it('have as many items and statements as counted', async () => {
        const { models } = await version(
          'models { file forwardDifferences { items statements } reverseDifferences { items statements } }',
        );
        expect(models).toEqual([
          {
            file: 'EQ_XML',
            forwardDifferences: { items: 179, statements: 612 },
            reverseDifferences: { items: 127, statements: 346 },
          },
          {
            file: 'SC_XML',
            forwardDifferences: { items: 2, statements: 2 },
            reverseDifferences: { items: 2, statements: 2 },
          },
          {
            file: 'GL_XML',
            forwardDifferences: { items: 25, statements: 99 },
            reverseDifferences: { items: 25, statements: 99 },
          },
        ]);
      });

      it('list as many items as counted, in total and by class', async () => {
        const { models } = await version(
          'models { items(first: 500) { totalCount nodes { section type statements } } classCounts { section type items statements } }',
        );
        for (const { items, classCounts } of models) {
          expect(items.nodes).toHaveLength(items.totalCount);
          for (const { section, type, ...counted } of classCounts) {
            const ofClass = (items.nodes as { section: string; type: string; statements: number }[]).filter(
              (item) => item.section === section && item.type === type,
            );
            const statements = ofClass.reduce((sum, item) => sum + item.statements, 0);
            expect({ items: ofClass.length, statements }).toEqual(counted);
          }
        }
      });

      it('have locations: five are removed and five added, with nineteen points each', async () => {
        const { locations } = await version(
          'locations { nodes { kind object coordinateSystem points { sequence x y } } }',
        );
        type Located = {
          kind: string;
          object: string;
          coordinateSystem: string;
          points: { sequence: number; x: number; y: number }[];
        };
        for (const kind of ['ADDED', 'REMOVED']) {
          const located = (locations.nodes as Located[]).filter((location) => location.kind === kind);
          expect([located.length, located.flatMap(({ points }) => points).length]).toEqual([5, 19]);
          for (const { object, coordinateSystem, points } of located) {
            expect([coordinateSystem, object.length]).toEqual(['urn:ogc:def:crs:EPSG::4326', 36]);
            expect(points.map(({ sequence }) => sequence)).toEqual(points.map((_, index) => index + 1));
          }
        }
      });
    },
  );

  describe('Publishing through the graph', () => {
    let limited: GridGraph;
    beforeAll(async () => {
      limited = await gridGraph({ gridFiles: 3 });
    });
    afterAll(() => limited?.close());

    const PREPARE = `mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address expiresAt } }`;

    it('returns an upload address to an admin', async () => {
      const input = { ...PLACE, area: 'emids', projectId: 'UPLOADED' };
      const { prepareGridPublication: upload } = await limited.execute(PREPARE, { input }, ADMIN);
      expect(upload.address).toMatch(/^\/grid-modelling\/uploads\/[\w-]{43}$/);
      expect(Date.parse(upload.expiresAt)).toBeGreaterThan(Date.now());
      const outcome = await limited.running.files.publishAt(upload.address, Readable.from(await gridArchive()));
      expect(outcome).toMatchObject({ outcome: 'published', isNew: true, version: { area: 'EMID', version: 1 } });
    });

    it('returns all violations of a publication key', async () => {
      const input = { area: 'XYZ', publicationYear: 26, period: '3', projectId: '../P1' };
      expect(await limited.errorOf(PREPARE, { input }, ADMIN)).toBe('VAL003 area publicationYear period projectId');
    });

    it('is for admins only', async () => {
      const input = PLACE;
      expect(await limited.errorOf(PREPARE, { input })).toBe('AUT001');
      expect(await limited.errorOf(PREPARE, { input }, { ...ADMIN, role: 'analyst' })).toBe('PRM001');
    });

    it('limits the file requests of a network, whether the files exist or not', async () => {
      const file = (version: number) =>
        `{ publishedFile(area: "EMID", publicationYear: 2026, period: "01", projectId: "UPLOADED", version: ${version}, cimFile: GL_XML) { name } }`;
      expect(await limited.execute(file(1))).toEqual({
        publishedFile: { name: 'LTDS_EMID_2026-01_UPLOADED_v1_GL.xml' },
      });
      expect(await limited.execute(file(2))).toEqual({ publishedFile: null });
      expect(
        await limited.execute(file(1).replace('publishedFile', 'publishedArchive').replace(', cimFile: GL_XML', '')),
      ).toEqual({
        publishedArchive: { name: 'LTDS_EMID_2026-01_UPLOADED_v1.zip' },
      });
      expect(await limited.errorOf(file(1))).toBe('LIM002');
      const customer: Caller = { accountId: 'session', role: 'customer', duid: null, mpid: null };
      expect(await limited.errorOf(file(1), {}, customer)).toBe('LIM002');
      expect(await limited.execute('{ licenceAreas { code } }')).toMatchObject({ licenceAreas: { length: 14 } });
    });

    it('limits the requests of a network to invalid upload addresses, but never those to a valid one', async () => {
      const { files } = limited.running;
      const archive = await gridArchive();
      const send = (address: string, client: string, work: 'publishAt' | 'checkAt' = 'publishAt') =>
        files[work](address, Readable.from(archive), client);
      const unknown = `/grid-modelling/uploads/${'u'.repeat(43)}`;
      const input = { ...PLACE, projectId: 'LIMITED' };
      const { address } = (await limited.execute(PREPARE, { input }, ADMIN)).prepareGridPublication;
      const [client, neighbour, stranger] = ['2001:db8:1:2::7', '2001:db8:1:2::8', '2001:db8:1:3::7'] as const;
      expect(await send(unknown, client)).toEqual({ outcome: 'gone' });
      expect(await send(unknown, neighbour, 'checkAt')).toEqual({ outcome: 'gone' });
      expect(await send('/grid-modelling/uploads/short', client)).toEqual({ outcome: 'gone' });
      const isLimited = { outcome: 'limited', retryAfter: expect.any(Number) };
      expect(await send(unknown, client)).toEqual(isLimited);
      expect(await send(unknown, neighbour, 'checkAt')).toEqual(isLimited);
      expect(await send(unknown, stranger)).toEqual({ outcome: 'gone' });
      expect(await send(address, client, 'checkAt')).toMatchObject({ outcome: 'checked' });
      expect(await send(address, client)).toMatchObject({ outcome: 'published', isNew: true });
      expect(await send(address, client)).toMatchObject({ outcome: 'published', isNew: false });
      expect(await send(address, client, 'checkAt')).toEqual(isLimited);
    });
  });
}
