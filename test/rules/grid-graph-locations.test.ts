import {
  type TrialModel,
  attributeChange,
  differenceModelXml,
  gridArchive,
  lineSegment,
} from '../support/grid-archives';
import { TRIAL_PLACE } from '../support/grid-database';
import { type GridGraph, gridGraph } from '../support/grid-graph';

const mridOf = (start: string) => `${start.padEnd(8, '0')}-0000-4000-8000-0000000000ab`;
const [SITE, POINT, OTHER_POINT, LINE] = ['c1', 'd1', 'd2', 'a1'].map(mridOf) as [string, string, string, string];

/** What a GL file says of a point: of the whole, or of one that is there before. */
const point = (mRID: string, said: { x?: number; y?: number; at?: string }, how: 'ID' | 'about' = 'ID') => {
  const [type, reference] = how === 'ID' ? ['cim:PositionPoint', `_${mRID}`] : ['rdf:Description', `#_${mRID}`];
  const coordinate = (name: string, value: number | undefined) =>
    value === undefined ? '' : `<cim:PositionPoint.${name}>${value}</cim:PositionPoint.${name}>`;
  const at = said.at === undefined ? '' : `<cim:PositionPoint.Location rdf:resource="#_${said.at}"/>`;
  return `<${type} rdf:${how}="${reference}">${coordinate('xPosition', said.x)}${coordinate('yPosition', said.y)}${at}</${type}>`;
};

describe('The locations of a version', () => {
  let grid: GridGraph;
  beforeAll(async () => {
    grid = await gridGraph();
  });
  afterAll(() => grid?.close());

  let projects = 0;
  const located = async (model: TrialModel, selection = 'mRID kind points { x y } pointsBefore { x y }') => {
    const projectId = `L${++projects}`;
    const EQ = differenceModelXml('EQ', { forward: lineSegment(LINE, 'Harbour Road') });
    await grid.published(await gridArchive({ EQ, GL: differenceModelXml('GL', model) }), { ...TRIAL_PLACE, projectId });
    const { developmentProject } = await grid.ask(
      `{ developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: "${projectId}") {
        latestVersion { unplacedPoints locations { totalCount nodes { ${selection} } } } } }`,
    );
    const { unplacedPoints, locations } = developmentProject.latestVersion;
    expect(locations.nodes).toHaveLength(locations.totalCount);
    return { unplacedPoints, nodes: locations.nodes };
  };

  it('are also those that stay while their points are replaced', async () => {
    const moved = await located({
      reverse: point(POINT, { x: 0.4, y: 52, at: SITE }),
      forward: point(OTHER_POINT, { x: 0.5, y: 52, at: SITE }),
    });
    expect(moved).toEqual({
      unplacedPoints: 0,
      nodes: [{ mRID: SITE, kind: 'CHANGED', points: [{ x: 0.5, y: 52 }], pointsBefore: [{ x: 0.4, y: 52 }] }],
    });
  });

  it('have the points whose location one item says, when another item moves them', async () => {
    const moved = await located({
      reverse: point(POINT, { x: 0.4, y: 52, at: SITE }, 'about'),
      forward: point(POINT, { x: 0.5, y: 52 }, 'about'),
    });
    expect(moved).toEqual({
      unplacedPoints: 0,
      nodes: [{ mRID: SITE, kind: 'CHANGED', points: [{ x: 0.5, y: 52 }], pointsBefore: [{ x: 0.4, y: 52 }] }],
    });
  });

  it('have no point of which no item says where it belongs: it is counted, once', async () => {
    const moved = await located({
      reverse: point(POINT, { x: 0.4 }, 'about') + point(OTHER_POINT, { x: 1, y: 1 }),
      forward: point(POINT, { x: 0.5 }, 'about'),
    });
    expect(moved).toEqual({ unplacedPoints: 2, nodes: [] });
  });

  it('are also those of which single statements are changed, with what is there', async () => {
    const forward = `<rdf:Description rdf:about="#_${SITE}">
      <cim:Location.PowerSystemResources rdf:resource="#_${LINE.toUpperCase()}"/></rdf:Description>`;
    const { nodes } = await located({ forward }, 'mRID kind object objectName');
    expect(nodes).toEqual([{ mRID: SITE, kind: 'CHANGED', object: LINE.toUpperCase(), objectName: 'Harbour Road' }]);
  });

  it('have the points that refer to them in another case, and go and come with their kind', async () => {
    const site = `<cim:Location rdf:ID="_${SITE}"/>`;
    const { nodes } = await located({ forward: site + point(POINT, { x: 0.1, y: 52, at: SITE.toUpperCase() }) });
    expect(nodes).toEqual([{ mRID: SITE, kind: 'ADDED', points: [{ x: 0.1, y: 52 }], pointsBefore: [] }]);
  });

  it('have a name of their own', async () => {
    const forward = `<cim:Location rdf:ID="_${SITE}"><cim:IdentifiedObject.name>Harbour</cim:IdentifiedObject.name></cim:Location>
      <cim:Location rdf:ID="_${mridOf('c2')}"/>`;
    const { nodes } = await located({ forward }, 'name object');
    expect(nodes).toEqual([
      { name: 'Harbour', object: null },
      { name: null, object: null },
    ]);
  });

  it('are none where a GL file says nothing of any', async () => {
    const forward = attributeChange(SITE, 'cim:IdentifiedObject.name', 'Harbour');
    expect(await located({ forward })).toEqual({ unplacedPoints: 0, nodes: [] });
  });
});
