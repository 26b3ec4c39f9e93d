import { Readable } from 'node:stream';
import { Client } from 'pg';
import { differenceModelXml, gridArchive } from '../support/grid-archives';
import { TRIAL_PLACE as PLACE } from '../support/grid-database';
import { ADMIN, type GridGraph, gridGraph } from '../support/grid-graph';

const mridOf = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

describe('The list of development projects', () => {
  let grid: GridGraph;
  const PUBLISHED = [
    ['EPN', 2025, '01', 'P1'],
    ['EPN', 2025, '02', 'P2'],
    ['ENWL', 2026, '01', 'P1'],
    ['EPN', 2026, '01', 'P3'],
    ['EPN', 2025, '01', 'P1'],
  ] as const;
  beforeAll(async () => {
    grid = await gridGraph();
    for (const [area, publicationYear, period, projectId] of PUBLISHED)
      await grid.published(await gridArchive(), { area, publicationYear, period, projectId });
  });
  afterAll(() => grid?.close());

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
      await grid.ask(
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
    ['by a year that no table holds', '(publicationYear: 2000000000)', []],
  ])('is ordered and filtered: %s', async (_, page, expected) => {
    const { nodes, totalCount } = await list(page);
    expect(nodes.map(nameOf)).toEqual(expected);
    expect(totalCount).toBe(expected.length);
  });

  it('goes on after a cursor', async () => {
    const first = await list('(first: 3)');
    expect(first).toMatchObject({ totalCount: 4, pageInfo: { hasNextPage: true } });
    const rest = await list(`(first: 3, after: "${first.nextCursor}")`);
    expect(rest.nodes.map(nameOf)).toEqual(['EPN 2025-02 P2']);
    expect(rest.nextCursor).toBeNull();
  });

  it.each([
    ['an unknown licence area', '{ developmentProjects(area: "XYZ") { totalCount } }', 'NTF001'],
    ['an empty page', '{ developmentProjects(first: 0) { totalCount } }', 'VAL003 first'],
    ['too large a page', '{ developmentProjects(first: 501) { totalCount } }', 'VAL003 first'],
    ['a cursor of something else', '{ developmentProjects(after: "abc") { totalCount } }', 'VAL001 after'],
    ['a project that cannot be', '{ developmentProjects(projectId: "..\\u002f") { totalCount } }', 'VAL001'],
    ['a cycle that is none', '{ developmentProjects(period: "1") { totalCount } }', 'VAL003'],
  ])('refuses %s', async (_, query, refusal) => {
    expect(await grid.refusal(query)).toBe(refusal);
  });

  it.each([
    ['items of too large a page', 'model(file: EQ_XML) { items(first: 501) { nextCursor } }', 'VAL003 first'],
    ['items after no item', 'model(file: EQ_XML) { items(after: "eA") { nextCursor } }', 'VAL001 after'],
    ['objects of no page', 'objects(first: 0) { nextCursor }', 'VAL003 first'],
    ['a search that nothing can hold', 'objects(search: "\\u0000") { nextCursor }', 'VAL001 search'],
    ['an object that cannot be', 'object(mRID: "\\u0000") { mRID }', 'VAL001 mRID'],
    ['too many locations', 'locations(first: 5001) { nextCursor }', 'VAL003 first'],
  ])('has versions that refuse %s', async (_, selection, refusal) => {
    const query = `{ developmentProjects(first: 1) { nodes { latestVersion { ${selection} } } } }`;
    expect(await grid.refusal(query)).toBe(refusal);
  });

  it('reads what lies in it by as many statements for many projects as for one', async () => {
    const sent = jest.spyOn(Client.prototype, 'query');
    const statements = async (first: number) => {
      sent.mockClear();
      await grid.ask(`{ developmentProjects(first: ${first}) { nodes { licenceArea { code } versions {
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
  let grid: GridGraph;
  /** A chain with a cycle: 1 is a difference to 2 and 9, 2 to 3, 3 to 1; nobody has published 9. 4 depends on 1 too. */
  const DEPENDENCIES: readonly (readonly [string, readonly string[]])[] = [
    ['3', ['1']],
    ['2', ['3']],
    ['1', ['2', '9']],
    ['4', ['1']],
    ['1', ['2', '9']],
  ];
  beforeAll(async () => {
    grid = await gridGraph();
    for (const [index, [digit, on]] of DEPENDENCIES.entries()) {
      const mRID = index === 4 ? mridOf(digit).toUpperCase() : mridOf(digit);
      const EQ = differenceModelXml('EQ', { mRID, dependentOn: on.map(mridOf), description: `published as ${index}` });
      await grid.published(await gridArchive({ EQ }), { ...PLACE, projectId: `D${index}` });
    }
  });
  afterAll(() => grid?.close());

  const models = async (mRID: string, selection: string) =>
    (await grid.ask(`{ differenceModels(mRID: "${mRID}") { ${selection} } }`)).differenceModels;

  it('are found by mRID in any case, newest first', async () => {
    const found = await models(mridOf('1').toUpperCase(), 'header { description }');
    expect(found).toEqual([
      { header: { description: 'published as 4' } },
      { header: { description: 'published as 2' } },
    ]);
    const [{ id }] = await models(mridOf('4'), 'id');
    expect(await grid.ask(`{ differenceModel(id: "${id}") { header { description } } }`)).toEqual({
      differenceModel: { header: { description: 'published as 3' } },
    });
  });

  it('name what they depend on, published or not, and what depends on them', async () => {
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

  it('are followed to the end of a chain, where a cycle ends, each once', async () => {
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

  it('are listed up to a hundred, the newest of all', async () => {
    const mRID = mridOf('7');
    for (let version = 1; version <= 101; version++) {
      const EQ = differenceModelXml('EQ', { mRID, dependentOn: [mridOf('8')], description: `version ${version}` });
      await grid.published(await gridArchive({ EQ }), { ...PLACE, projectId: 'OFTEN' });
    }
    const found = await models(mRID, 'header { description }');
    expect(found).toHaveLength(100);
    expect([found[0], found[99]]).toEqual(['101', '2'].map((of) => ({ header: { description: `version ${of}` } })));
    const query = `{ developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: "OFTEN") {
      version(version: 50) { model(file: EQ_XML) { dependencyChain { mRID model { id } } } } } }`;
    const { developmentProject } = await grid.ask(query);
    expect(developmentProject.version.model.dependencyChain).toEqual([{ mRID: mridOf('8'), model: null }]);
  });

  it('are found as files refer to them, and not by what nothing can hold', async () => {
    for (const mRID of [`urn:uuid:${mridOf('2')}`, `#_${mridOf('2')}`, `_${mridOf('2').toUpperCase()}`])
      expect(await models(mRID, 'header { mRID }')).toEqual([{ header: { mRID: mridOf('2') } }]);
    expect(await grid.refusal('{ differenceModels(mRID: "\\u0000") { id } }')).toBe('VAL001 mRID');
  });

  it('are nothing where the id is none', async () => {
    expect(await grid.ask('{ differenceModel(id: "") { id } differenceModels(mRID: "") { id } }')).toEqual({
      differenceModel: null,
      differenceModels: [],
    });
  });
});

describe('Publishing through the graph', () => {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph({ gridFiles: 3 });
  });
  afterAll(() => grid?.close());

  const PREPARE = `mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address expiresAt } }`;

  it('gives an admin an address at which an archive is published', async () => {
    const input = { ...PLACE, area: 'emids', projectId: 'UPLOADED' };
    const { prepareGridPublication: upload } = await grid.ask(PREPARE, { input }, ADMIN);
    expect(upload.address).toMatch(/^\/grid-modelling\/uploads\/[\w-]{43}$/);
    expect(Date.parse(upload.expiresAt)).toBeGreaterThan(Date.now());
    const outcome = await grid.running.files.publishAt(upload.address, Readable.from(await gridArchive()));
    expect(outcome).toMatchObject({ outcome: 'published', isNew: true, version: { area: 'EMID', version: 1 } });
  });

  it('says every reason at once why a place is none', async () => {
    const input = { area: 'XYZ', publicationYear: 26, period: '3', projectId: '../P1' };
    expect(await grid.refusal(PREPARE, { input }, ADMIN)).toBe('VAL003 area publicationYear period projectId');
  });

  it('is for admins only', async () => {
    const input = PLACE;
    expect(await grid.refusal(PREPARE, { input })).toBe('AUT001');
    expect(await grid.refusal(PREPARE, { input }, { ...ADMIN, role: 'analyst' })).toBe('PRM001');
  });

  it('counts the files that a network asks for, whether they are there or not', async () => {
    const file = (version: number) =>
      `{ publishedFile(area: "EMID", publicationYear: 2026, period: "01", projectId: "UPLOADED", version: ${version}, cimFile: GL_XML) { name } }`;
    expect(await grid.ask(file(1))).toEqual({ publishedFile: { name: 'GL.xml' } });
    expect(await grid.ask(file(2))).toEqual({ publishedFile: null });
    expect(
      await grid.ask(file(1).replace('publishedFile', 'publishedArchive').replace(', cimFile: GL_XML', '')),
    ).toEqual({
      publishedArchive: { name: 'LTDS_EMID_2026-01_UPLOADED_v1.zip' },
    });
    expect(await grid.refusal(file(1))).toBe('LIM002');
    expect(await grid.ask('{ licenceAreas { code } }')).toMatchObject({ licenceAreas: { length: 14 } });
  });
});
