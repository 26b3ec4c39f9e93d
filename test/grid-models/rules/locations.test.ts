import type { DifferenceSection, Statement } from '../../../subgraphs/grid-models/rdf/difference-model';
import { type SectionItem, locatedPoints } from '../../../subgraphs/grid-models/locations/grid-location';

const item = (section: DifferenceSection, ...statements: Statement[]): SectionItem => ({
  section,
  item: { mRID: 'x', type: 'cim:X', isObject: true, statements },
});
const text = (name: string, value: string): Statement => ({ name, kind: 'text', value });
const target = (name: string, value: string): Statement => ({ name, kind: 'association', value });

const point = (section: DifferenceSection, sequence: string | null, x: string | null, y = '52') =>
  item(
    section,
    ...(sequence === null ? [] : [text('cim:PositionPoint.sequenceNumber', sequence)]),
    ...(x === null ? [] : [text('cim:PositionPoint.xPosition', x)]),
    text('cim:PositionPoint.yPosition', y),
  );
const placed = (section: DifferenceSection, object: string) =>
  item(section, target('cim:Location.PowerSystemResources', object), target('cim:Location.CoordinateSystem', 'wgs84'));

describe('The position of a location', () => {
  const location = [placed('reverse', 'before'), placed('forward', 'after')];
  const points = [point('reverse', '1', '0.1'), point('forward', '1', '0.2')];

  it.each([
    ['added', 'after', 0.2],
    ['changed', 'after', 0.2],
    ['removed', 'before', 0.1],
  ] as const)('of a location that was %s is the one %s the change', (kind, object, x) => {
    expect(locatedPoints(kind, location, points)).toEqual({
      object,
      coordinateSystem: 'wgs84',
      points: [{ sequence: 1, x, y: 52 }],
      pointsBefore: [{ sequence: 1, x: 0.1, y: 52 }],
    });
  });

  it('is taken from the only section that states it', () => {
    const moved = locatedPoints('changed', [placed('reverse', 'before')], [point('reverse', '1', '0.1')]);
    expect(moved).toMatchObject({ object: 'before', points: [{ x: 0.1 }] });
  });

  it('has points in the order of their sequence numbers, those without one last', () => {
    const row = [
      point('forward', null, '4'),
      point('forward', '10', '3'),
      point('forward', '2', '2'),
      point('forward', '1', '1'),
    ];
    expect(locatedPoints('added', [], row).points.map(({ x, sequence }) => [sequence, x])).toEqual([
      ...[
        [1, 1],
        [2, 2],
        [10, 3],
        [null, 4],
      ],
    ]);
  });

  it.each([
    ['no x', point('forward', '1', null)],
    ['an x that is not a number', point('forward', '1', 'east')],
    ['an empty y', point('forward', '1', '0.1', ' ')],
    ['an infinite y', point('forward', '1', '0.1', 'Infinity')],
  ])('has no point with %s', (_, broken) => {
    expect(locatedPoints('added', [], [broken])).toEqual({
      ...{ object: null, coordinateSystem: null, points: [], pointsBefore: [] },
    });
  });

  it.each(['1.5', '99999999999', 'first'])('includes a point whose sequence number %s is invalid', (sequence) => {
    expect(locatedPoints('added', [], [point('forward', sequence, '1e-1')]).points).toEqual([
      { sequence: null, x: 0.1, y: 52 },
    ]);
  });
});
