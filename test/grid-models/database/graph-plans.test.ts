import { LICENCE_AREAS } from '../../../subgraphs/grid-models/projects/licence-areas';
import { differenceModelXml, gridArchive } from '../../support/grid-archives';
import { TEST_KEY } from '../../support/grid-database';
import { type GridGraph, gridGraph } from '../../support/grid-graph';
import { type Planning, rowsRead } from '../../support/rows-read';

/** Items of EQ.xml; 20,000 of them are reverse differences. */
const ITEMS = 50_000;
const REVERSE = 20_000;
const LOCATIONS = 2_000;
const CLASSES = ['ACLineSegment', 'Breaker', 'EnergyConsumer', 'PowerTransformer'] as const;
const RARE = 'cim:Substation';

const mridOf = (start: string, index: number) =>
  `${start}${String(index).padStart(7, '0')}-0000-4000-8000-000000000000`;

/** Every object has a name, every tenth a special attribute, and one in 10,000 a rare class. */
function item(index: number, r: number): string {
  const type = index % 10_000 === 5_000 ? RARE : `cim:${CLASSES[index % CLASSES.length]}`;
  const own = index % 10 === 0 ? `<cim:ACLineSegment.r>${r}</cim:ACLineSegment.r>` : '';
  return `<${type} rdf:ID="_${mridOf('a', index)}"><cim:IdentifiedObject.name>Object ${index}</cim:IdentifiedObject.name>
    <cim:Equipment.aggregate>false</cim:Equipment.aggregate>${own}
    <cim:Equipment.EquipmentContainer rdf:resource="#_${mridOf('c', index % 100)}"/></${type}>`;
}

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join('');

const EQ = (r: (index: number) => number) =>
  differenceModelXml('EQ', {
    reverse: many(REVERSE, (index) => item(index, r(index))),
    forward: many(ITEMS - REVERSE, (index) => item(REVERSE + index, r(REVERSE + index))),
  });

const location = (index: number) => `<cim:Location rdf:ID="_${mridOf('b', index)}">
  <cim:Location.PowerSystemResources rdf:resource="#_${mridOf('a', index)}"/></cim:Location>
  <cim:PositionPoint rdf:ID="_${mridOf('d', index)}"><cim:PositionPoint.Location rdf:resource="#_${mridOf('b', index)}"/>
  <cim:PositionPoint.xPosition>0.${index}</cim:PositionPoint.xPosition><cim:PositionPoint.yPosition>52</cim:PositionPoint.yPosition>
  </cim:PositionPoint>`;

const GL = differenceModelXml('GL', { forward: many(LOCATIONS, location) });

/** Statistics of the planner when the project is published. */
const BEFORE = {
  'just published': () => undefined,
  /** Analyses the tables, as autovacuum does after the first small projects; its next run is much later. */
  async 'analysed while small'(grid: GridGraph) {
    for (const projectId of ['S1', 'S2', 'S3'])
      await grid.published(
        await gridArchive({ EQ: differenceModelXml('EQ', { forward: many(20, (index) => item(index, 1)) }) }),
        { ...TEST_KEY, projectId },
      );
    for (const table of LARGE) await grid.owner.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await grid.owner.query('vacuum analyze');
  },
};

describe.each(['just published', 'analysed while small'] as const)('A project of 50,000 items, %s', (before) => {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
    await BEFORE[before](grid);
    await grid.published(await gridArchive({ EQ: EQ((index) => index), GL }));
    await grid.published(await gridArchive({ EQ: EQ((index) => (index === 30_000 ? 1 : index)), GL }));
    await grid.published(await gridArchive({ EQ: EQ((index) => index), GL }), { ...TEST_KEY, projectId: 'P2' });
  });
  afterAll(() => grid?.close());

  const project = (selection: string) =>
    `{ developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: "P1") { ${selection} } }`;
  const items = (filter: string) =>
    project(`version(version: 1) { model(file: EQ_XML) { items(first: 20${filter}) { nodes { mRID } } } }`);
  const objects = (filter: string) => project(`version(version: 1) { objects(first: 20${filter}) { nodes { mRID } } }`);
  const total = (value: string) =>
    project(
      `version(version: 1) { model(file: EQ_XML) { items(first: 1, type: "cim:EnergyConsumer", statement: { name: "cim:ACLineSegment.r", ${value} }) { totalCount } } }`,
    );
  const compared = (selection: string) => project(`comparison(from: 1, to: 2) { ${selection} }`);
  /** Far into the list, so that a wrong plan would read and skip the entries before. */
  const AFTER = `after: "${Buffer.from('45000').toString('base64url')}"`;
  const AFTER_OBJECT = `after: "${Buffer.from(`0cim:PowerTransformer\u0001\u0003${mridOf('a', 0)}`).toString('base64url')}"`;

  /**
   * Rows of a page of 20, with one row of the next page; two more for the bounds of a section; one list per kind of
   * change.
   */
  const SHOWN = 21;

  const states = before === 'just published' ? ['not analysed', 'analysed'] : ['not analysed again'];
  /**
   * The locations of a version are narrow rows of a table with one index: while they are few, the planner may sort
   * them.
   */
  const FEW = LOCATIONS;

  describe.each(states)('%s', (state) => {
    beforeAll(async () => {
      if (state === 'analysed') await grid.owner.query('vacuum analyze');
    });

    describe.each<Planning>(['force_custom_plan', 'force_generic_plan'])('with plan_cache_mode = %s', (planning) => {
      it.each([
        ['all items', items(''), { difference_item: SHOWN }],
        ['items after another', items(`, ${AFTER}`), { difference_item: SHOWN }],
        ['items of the last section', items(', section: FORWARD'), { difference_item: SHOWN + 2 }],
        ['items of a section after another', items(`, section: FORWARD, ${AFTER}`), { difference_item: SHOWN + 2 }],
        ['items of a class', items(', type: "cim:Breaker"'), { difference_item: SHOWN }],
        ['items of a rare class', items(`, type: "${RARE}"`), { difference_item: 5 }],
        [
          'items of a class in a section',
          items(', type: "cim:Breaker", section: FORWARD'),
          { difference_item: SHOWN + 2 },
        ],
        [
          'items of a rare class in a section',
          items(`, type: "${RARE}", section: FORWARD`),
          { difference_item: 3 + 2 },
        ],
        ['items of an object', items(`, mRID: "${mridOf('a', 49_999)}"`), { difference_item: 1 }],
        [
          'items with an attribute',
          items(', statement: { name: "cim:ACLineSegment.r" }'),
          { difference_item: SHOWN, item_statement: SHOWN },
        ],
        [
          'items with a value',
          items(', statement: { name: "cim:ACLineSegment.r", value: "49990" }'),
          { difference_item: 1, item_statement: 1 },
        ],
        [
          'items with a value that thousands have',
          items(', statement: { name: "cim:Equipment.aggregate", value: "false" }'),
          { difference_item: SHOWN, item_statement: SHOWN },
        ],
        [
          'items with an association in a section',
          items(
            `, section: FORWARD, statement: { name: "cim:Equipment.EquipmentContainer", value: "${mridOf('c', 99)}" }`,
          ),
          { difference_item: SHOWN + 2, item_statement: SHOWN },
        ],
        ['all objects', objects(''), { object_change: SHOWN }],
        ['counts of objects by class, which are stored', project('version(version: 1) { classCounts { added } }'), {}],
        ['objects after another', objects(`, ${AFTER_OBJECT}`), { object_change: SHOWN }],
        ['objects of a kind', objects(', kind: ADDED'), { object_change: SHOWN }],
        ['objects of a class', objects(', type: "cim:Breaker"'), { object_change: SHOWN }],
        ['objects of a rare class', objects(`, type: "${RARE}"`), { object_change: 6 }],
        ['objects of a class and kind', objects(', type: "cim:Breaker", kind: ADDED'), { object_change: SHOWN }],
        [
          'values of objects',
          project('version(version: 1) { objects(first: 20, kind: ADDED) { nodes { values { name } } } }'),
          { object_change: SHOWN, difference_item: 20 },
        ],
        [
          'what a version does to the objects of items',
          project('version(version: 1) { model(file: EQ_XML) { items(first: 20) { nodes { change { kind } } } } }'),
          { object_change: 20, difference_item: SHOWN },
        ],
        [
          'one object',
          project(`version(version: 1) { object(mRID: "${mridOf('a', 31_000)}") { values { name } } }`),
          { object_change: 1, difference_item: 1 },
        ],
        [
          'locations with their points and what is there',
          project('version(version: 1) { locations(first: 20) { nodes { points { x } objectName } } }'),
          { object_change: 2 * SHOWN, grid_location: FEW, difference_item: 2 * SHOWN, item_statement: SHOWN },
        ],
        [
          'differences of files that are the same byte for byte',
          project('comparison(from: 1, to: 2) { differences(file: GL_XML) { nodes { mRID } } }'),
          {},
        ],
        ['how many items have a value', total('value: "49990"'), { difference_item: 2, item_statement: 2 }],
        [
          'how many items have an attribute',
          total('value: null'),
          { difference_item: 5_000 + 4, item_statement: 5_000 + 4 },
        ],
        [
          'how many locations there are',
          project('version(version: 1) { locations(first: 1) { totalCount } }'),
          { object_change: 4, grid_location: 2 * FEW, difference_item: 4, item_statement: 2 },
        ],
        [
          'what an object of a name is: one walk over the objects',
          project('version(version: 1) { objects(search: "object 49999") { totalCount nodes { name } } }'),
          { object_change: 2 * (ITEMS + 2 * LOCATIONS) },
        ],
        [
          'how many items are different: one walk over both, and the statements of the one object with different items',
          compared('counts { changed }'),
          { difference_item: 2 * ITEMS + 2 },
        ],
        ...['ADDED', 'REMOVED', 'CHANGED'].map((kind): [string, string, object] => [
          `differences of a kind: ${kind}, one walk over the items of one and their counterparts`,
          compared(`differences(kind: ${kind}) { nodes { mRID type name values { name } } }`),
          { difference_item: 2 * ITEMS + 6, object_change: 1 },
        ]),
        [
          'all differences: the same from either side',
          compared('differences { nodes { mRID type name values { name } } }'),
          { difference_item: 4 * ITEMS + 6, object_change: 1 },
        ],
      ])('reads no more rows than it returns: %s', async (_, query, most) => {
        const { rows, whole } = await rowsRead(grid, query, planning);
        const { difference_item, item_statement, object_change, grid_location } = { ...NONE, ...rows };
        const excess = Object.entries({ difference_item, item_statement, object_change, grid_location }).filter(
          ([table, read]) => read > ({ ...NONE, ...most } as Record<string, number>)[table]!,
        );
        expect(excess).toEqual([]);
        expect(whole.filter((table) => LARGE.includes(table))).toEqual([]);
      });
    });
  });

  it('is searched by name in one scan of its objects, and compared in one scan of its items, within a time limit', async () => {
    const searched = await grid.execute(
      project('version(version: 1) { objects(search: "object 49999") { nodes { name } } }'),
    );
    expect(searched.developmentProject.version.objects.nodes).toEqual([{ name: 'Object 49999' }]);
    const started = performance.now();
    const { developmentProject } = await grid.execute(
      project(
        'comparison(from: 1, to: 2) { counts { file changed added removed } differences { nodes { mRID values { before after } } } }',
      ),
    );
    expect(developmentProject.comparison.counts[0]).toEqual({ file: 'EQ_XML', changed: 1, added: 0, removed: 0 });
    expect(developmentProject.comparison.differences.nodes).toEqual([
      { mRID: mridOf('a', 30_000), values: [{ before: ['30000'], after: ['1'] }] },
    ]);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('Fourteen thousand development projects', () => {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
    await grid.owner.query(
      `insert into development_project (area, publication_year, period, project_id, latest_version, latest_published_at)
       select area, 2020 + number % 5, case number % 2 when 0 then '01' else '02' end, 'P' || number, 1, register_now() + number * interval '1 second'
       from unnest($1::text[]) area, generate_series(1, 1000) number`,
      [LICENCE_AREAS.map(({ code }) => code)],
    );
    await grid.owner.query('vacuum analyze');
  });
  afterAll(() => grid?.close());

  describe.each<Planning>(['force_custom_plan', 'force_generic_plan'])('with plan_cache_mode = %s', (planning) => {
    it.each([
      ['all', '', 21],
      ['an area', ', area: "SWEST"', 21],
      ['a year', ', publicationYear: 2021', 21],
      ['an area and a year', ', area: "EPN", publicationYear: 2021', 21],
      ['an area, a year and a cycle: each second one', ', area: "EPN", publicationYear: 2021, period: "02"', 2 * 21],
      ['a project of all areas', ', projectId: "P7"', 14],
      ['a project of an area', ', projectId: "P7", area: "EPN"', 14],
    ])('are listed without reading more rows than returned: %s', async (_, filter, most) => {
      const { rows, whole } = await rowsRead(
        grid,
        `{ developmentProjects(first: 20${filter}) { nodes { projectId } } }`,
        planning,
      );
      expect(rows['development_project']).toBeLessThanOrEqual(most);
      expect(whole).toEqual([]);
    });
  });
});

const NONE = { difference_item: 0, item_statement: 0, object_change: 0, grid_location: 0 };
/** Tables with one row per item or object. */
const LARGE = Object.keys(NONE);
