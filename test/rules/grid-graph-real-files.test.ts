import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { type GridGraph, gridGraph } from '../support/grid-graph';
import { gridArchive } from '../support/grid-archives';

const FOLDER = join(REPOSITORY_ROOT, '..', 'shared', 'data', 'cim');
const FILES = {
  EQ: join(FOLDER, 'MicroGrid-NL-MAS-EQ_diff.xml'),
  SC: join(FOLDER, 'FullGrid_SC_diff.xml'),
  GL: join(FOLDER, 'MicroGrid-NL-MAS-GL_diff.xml'),
};
const areThere = Object.values(FILES).every((file) => existsSync(file));
const read = (file: string) => readFileSync(file, 'utf8');

(areThere ? describe : describe.skip)('Real difference models in the graph (skipped where they are not there)', () => {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
    await grid.published(await gridArchive({ EQ: read(FILES.EQ), SC: read(FILES.SC), GL: read(FILES.GL) }));
  });
  afterAll(() => grid?.close());

  const version = async (selection: string) =>
    (await grid.ask(`{ developmentProjects { nodes { latestVersion { ${selection} } } } }`)).developmentProjects
      .nodes[0].latestVersion;

  it('hold the items and statements that are counted in them', async () => {
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

  it('are listed item by item: as many as counted, and as many by class', async () => {
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

  it('say what is located where: of nineteen points each, five locations go and five come', async () => {
    const { locations } = await version('locations { nodes { kind object coordinateSystem points { sequence x y } } }');
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
});
