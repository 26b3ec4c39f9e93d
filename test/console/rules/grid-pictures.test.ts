import { setImmediate } from 'node:timers/promises';
import { sortedByTotal, divergingBars, lettersOf, stripOf, sumOf } from '../../../web/console/grid/class-bars';
import { locationMap } from '../../../web/console/grid/location-map';
import { labelsOf } from '../../../web/console/grid/map-labels';
import { MAP_SHAPES, type MapPlane, planeOf } from '../../../web/console/grid/map-plane';
import { linesOfX, linesOfY, roundStep, scaleBar } from '../../../web/console/grid/map-scale';
import { layersOf, simplified } from '../../../web/console/grid/map-layers';
import type { GridLocation } from '../../../web/console/grid/operation-results';
import { locationTotals } from '../../../web/console/grid/version-locations';

const counts = (type: string, added: number, removed: number, changed: number) => ({ type, added, removed, changed });

describe('the bars of a table of classes', () => {
  const [lines, breakers] = divergingBars([counts('cim:ACLineSegment', 200, 50, 0), counts('cim:Breaker', 1, 0, 100)]);

  it('share one scale: equal counts have equal widths', () => {
    expect(lines?.bars.removed.width).toBeCloseTo((lines?.bars.added.width ?? 0) / 4, 1);
    expect(breakers?.bars.changed.width).toBeCloseTo((lines?.bars.added.width ?? 0) / 2, 1);
  });

  it('start at the axis: removed objects extend to the left, added ones to the right', () => {
    const { removed, added } = lines?.bars ?? {};
    expect((removed?.start ?? 0) + (removed?.width ?? 0)).toBe(100);
    expect(removed?.end).toBe(removed?.start);
    expect(added?.start).toBe(0);
    expect(added?.end).toBe(added?.width);
  });

  it('reserve space for numbers of any length', () => {
    expect(lines?.bars.added.width).toBe(100);
    const longest = [0, 999, 1000, 25_000, 250_000, 1_000_000, 100_000_000];
    expect(longest.map((count) => lettersOf([counts('x', 1, count, 2), counts('y', 0, 0, 5)]))).toEqual([
      3, 3, 5, 6, 7, 9, 11,
    ]);
    expect(lettersOf([])).toBe(3);
  });

  it('are visible for a count of 1 among many, and empty for 0', () => {
    expect(divergingBars([counts('x', 1_000_000, 1, 0)])[0]?.bars).toMatchObject({
      added: { text: '1,000,000' },
      removed: { width: 0.8, text: '1' },
      changed: { width: 0, text: '0' },
    });
  });

  it('are drawn for a version with very many classes', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => counts(`cim:C${index}`, 1, 0, index));
    expect(divergingBars(rows).at(-1)?.bars.changed.width).toBe(100);
    expect(lettersOf(rows)).toBe(7);
  });

  it('are sorted by the number of changes', () => {
    const rows = [counts('b', 1, 0, 0), counts('c', 0, 3, 3), counts('a', 0, 0, 1)];
    expect(sortedByTotal(rows).map(({ type }) => type)).toEqual(['c', 'a', 'b']);
    expect(sumOf(rows)).toEqual({ added: 1, removed: 3, changed: 4 });
  });

  it('list points last, however many there are', () => {
    const rows = [
      counts('cim:DiagramObjectPoint', 713, 0, 0),
      counts('cim:UsagePoint', 1, 0, 0),
      counts('cim:Fuse', 2, 0, 0),
    ];
    expect(sortedByTotal(rows).map(({ type }) => type)).toEqual([
      ...['cim:Fuse', 'cim:UsagePoint', 'cim:DiagramObjectPoint'],
    ]);
  });
});

describe('the strip of a project', () => {
  it('shows the shares of added, removed and changed objects', () => {
    expect(stripOf(counts('', 3, 1, 0))).toEqual([
      { kind: 'ADDED', start: 0, width: 75 },
      { kind: 'REMOVED', start: 75, width: 25 },
    ]);
    expect(stripOf(counts('', 0, 0, 0))).toEqual([]);
  });
});

/** Returns the plane of points; throws if there are none. */
function planeThrough(...points: readonly (readonly [number, number])[]): MapPlane {
  const plane = planeOf(points.map(([x, y]) => ({ x, y })));
  if (plane === undefined) throw new Error('no plane');
  return plane;
}

describe('the plane of a map', () => {
  it('shows every point with a margin, north up', () => {
    const plane = planeThrough([0.7, 52.4], [0.9, 52.5], [0.8, 52.45]);
    const [southWest, northEast, middle] = [
      plane.place({ x: 0.7, y: 52.4 }),
      plane.place({ x: 0.9, y: 52.5 }),
      plane.place({ x: 0.8, y: 52.45 }),
    ];
    expect(southWest.x).toBeGreaterThan(3);
    expect(southWest.y).toBeLessThan(97);
    expect(northEast.x).toBeLessThan(97);
    expect(northEast.y).toBeGreaterThan(3);
    expect(southWest.y).toBeGreaterThan(northEast.y);
    expect(middle).toEqual({ x: 50, y: 50 });
  });

  it.each([
    ['Eastern', 0.7, 52.4],
    ['North Scotland', -4.2, 57.5],
    ['the equator', 10, 0],
  ] as const)('has the same scale as the land, in both directions: %s', (_, x, y) => {
    const plane = planeThrough([x, y], [x + 0.3, y + 0.1]);
    const east =
      ((plane.east - plane.west) * 111_320 * Math.cos(((y + 0.05) * Math.PI) / 180)) / MAP_SHAPES[plane.shape];
    const north = (plane.north - plane.south) * 111_320;
    expect(east / north).toBeCloseTo(1, 3);
  });

  it.each([
    ['wide', 40_000, 10_000],
    ['even', 15_000, 10_000],
    ['tall', 10_000, 40_000],
  ])('has the shape of its content: %s', (shape, width, height) => {
    expect(planeThrough([500_000, 300_000], [500_000 + width, 300_000 + height]).shape).toBe(shape);
  });

  it('reads coordinates outside the range of degrees as metres, for example those of the British National Grid', () => {
    expect(planeThrough([586_000, 284_000], [590_000, 281_000])).toMatchObject({
      isGeographic: false,
      metresPerUnit: 1,
    });
  });

  it('adds surroundings to a single point, and is undefined without points', () => {
    const plane = planeThrough([0.75, 52.42]);
    expect(plane.place({ x: 0.75, y: 52.42 })).toEqual({ x: 50, y: 50 });
    expect(plane.north - plane.south).toBeCloseTo(0.01, 6);
    expect(planeOf([])).toBeUndefined();
  });
});

describe('the scale of a map', () => {
  it.each([
    [10, 5, 2],
    [9.9, 5, 2],
    [0.3, 5, 0.1],
    [0.26, 5, 0.1],
    [1, 5, 0.2],
    [47_000, 5, 10_000],
  ])('divides a span of %d by at most %d lines: every %d', (span, most, step) => {
    expect(roundStep(span, most)).toBeCloseTo(step, 9);
  });

  it('labels degrees with the hemisphere and the digits that distinguish them', () => {
    const plane = planeThrough([-0.12, 51.4], [0.11, 51.6]);
    expect(linesOfX(plane).map(({ label }) => label)).toEqual(['0.1° W', '0°', '0.1° E']);
    expect(linesOfY(plane).map(({ label }) => label)).toEqual([
      '51.40° N',
      '51.45° N',
      '51.50° N',
      '51.55° N',
      '51.60° N',
    ]);
    expect(linesOfY(plane)[0]?.at).toBeGreaterThan(linesOfY(plane)[1]?.at ?? 0);
  });

  it('labels metres as whole numbers', () => {
    const plane = planeThrough([586_000, 284_000], [590_000, 281_000]);
    expect(linesOfX(plane)[0]).toMatchObject({ label: '586,000 E' });
  });

  it('has a bar of a round length, at most a quarter of the map', () => {
    const plane = planeThrough([586_000, 284_000], [590_000, 281_000]);
    const { width, label } = scaleBar(plane);
    expect(label).toBe('1 km');
    expect(width).toBeLessThanOrEqual(25);
    expect((width / 100) * (plane.east - plane.west)).toBeCloseTo(1000, -1);
    expect(scaleBar(planeThrough([0.75, 52.42])).label).toBe('200 m');
  });
});

describe('names on a map', () => {
  const place = (name: string | null, x: number, y: number) => ({ name, at: { x, y }, points: [{ x, y }] });

  it('are written to the right of their point, or else left, above or below, or omitted', async () => {
    const labels = await labelsOf(
      [place('Thetford', 50, 50), place('Croxton', 95, 20), place('Brandon', 52, 50)],
      'even',
    );
    expect(labels.map(({ text, side }) => [text, side])).toEqual([
      ['Thetford', 'left'],
      ['Croxton', 'left'],
      ['Brandon', 'right'],
    ]);
    const name = place('A long enough name', 50, 50);
    const around = [
      [40, 50],
      [60, 50],
      [50, 44],
      [50, 56],
    ].map(([x = 0, y = 0]) => place(null, x, y));
    expect(await labelsOf([name, ...around.slice(0, 2)], 'even')).toMatchObject([{ side: 'above' }]);
    expect(await labelsOf([name, ...around.slice(0, 3)], 'even')).toMatchObject([{ side: 'below' }]);
    expect(await labelsOf([name, ...around], 'even')).toEqual([]);
  });

  it('are written at the end of a line if there is no space in its middle, after those of marks', async () => {
    const line = {
      name: 'Line north to south',
      at: { x: 50, y: 50 },
      points: [
        { x: 50, y: 20 },
        { x: 50, y: 80 },
      ],
    };
    const marks = [place('Thetford', 42, 50), place('Croxton', 58, 50)];
    expect((await labelsOf([line, ...marks], 'even')).map(({ text, at, side }) => [text, at.y, side])).toEqual([
      ['Thetford', 50, 'left'],
      ['Croxton', 50, 'right'],
      ['Line north to south', 80, 'right'],
    ]);
  });

  it('do not overlap', async () => {
    const labels = await labelsOf([place('Thetford', 50, 50), place('Croxton', 50, 53.2)], 'even');
    expect(labels.map(({ side }) => side)).toEqual(['right', 'left']);
  });

  it('do not cover a line that runs between its points', async () => {
    const line = {
      name: null,
      at: { x: 60, y: 50 },
      points: [
        { x: 60, y: 0 },
        { x: 60, y: 100 },
      ],
    };
    expect(await labelsOf([place('Thetford', 55, 50), line], 'even')).toMatchObject([{ side: 'left' }]);
  });

  it('are written once each, truncated if they are long, and limited in number', async () => {
    const same = await labelsOf([place('Thetford', 20, 20), place('Thetford', 20, 80)], 'even');
    expect(same).toMatchObject([{ text: 'Thetford', at: { x: 20, y: 20 } }]);
    expect((await labelsOf([place('x'.repeat(80), 20, 20)], 'even'))[0]?.text).toBe(`${'x'.repeat(29)}…`);
    const many = Array.from({ length: 100 }, (_, index) => place(`${index}`, 5 + (index % 10) * 9, 5 + index * 0.9));
    expect(await labelsOf(many, 'tall')).toHaveLength(24);
    expect(await labelsOf([...many, ...many, ...many], 'tall')).toEqual([]);
  });
});

describe('the labels of a map that lines cross from side to side', () => {
  const crossing = (index: number, count: number) => ({
    ...{ name: null, at: { x: 20, y: 50 } },
    points: Array.from({ length: count }, (_, at) => ({ x: at % 2 === 0 ? 1 : 45, y: (index * 13 + at * 7) % 100 })),
  });
  const mark = { name: 'Thetford', at: { x: 70, y: 50 }, points: [{ x: 70, y: 50 }] };

  it('are written beside a few such lines', async () => {
    const lines = Array.from({ length: 10 }, (_, index) => crossing(index, 10));
    expect(await labelsOf([mark, ...lines], 'even')).toMatchObject([{ text: 'Thetford' }]);
  });

  it.each([100, 500, 1_000])(
    'are omitted beside 199 lines of %i points, whose boxes would fill the memory',
    async (count) => {
      const lines = Array.from({ length: 199 }, (_, index) => crossing(index, count));
      expect(await labelsOf([mark, ...lines], 'even')).toEqual([]);
    },
  );

  it('are written beside lines of many points that are close together', async () => {
    const points = Array.from({ length: 40_000 }, (_, at) => ({ x: 10 + at / 1_000, y: 20 }));
    expect(await labelsOf([mark, { name: null, at: { x: 30, y: 20 }, points }], 'even')).toHaveLength(1);
  });
});

describe('the map of locations', () => {
  const location = (part: Partial<GridLocation>): GridLocation => ({
    mRID: 'location',
    kind: 'ADDED',
    name: null,
    object: 'object',
    objectType: 'cim:ACLineSegment',
    objectName: 'Thetford – Croxton',
    changedObject: 'object',
    coordinateSystem: 'urn:ogc:def:crs:EPSG::4326',
    points: [
      { x: 0.7, y: 52.4 },
      { x: 0.8, y: 52.4 },
      { x: 0.8, y: 52.5 },
    ],
    pointsBefore: [],
    ...part,
  });
  const mapOf = (nodes: GridLocation[]) => locationMap(nodes, locationTotals({ nodes, totalCount: nodes.length }, []));

  it('draws a line through several points and a mark at a single one, new objects on top', async () => {
    const { picture } = await mapOf([
      location({}),
      location({ kind: 'REMOVED', points: [{ x: 0.75, y: 52.45 }], changedObject: 'gone' }),
    ]);
    expect(picture?.drawings.map(({ kind, target }) => [kind, target?.mRID])).toEqual([
      ['REMOVED', 'gone'],
      ['ADDED', 'object'],
    ]);
    expect(picture?.drawings[0]?.line).toBeUndefined();
    expect(picture?.drawings[1]?.line?.split(' ')).toHaveLength(3);
  });

  it('shows both positions of a location that moves, and writes its name at the new one', async () => {
    const [from, to] = [
      { x: 0.7, y: 52.4 },
      { x: 0.9, y: 52.5 },
    ];
    const { picture, rows } = await mapOf([location({ kind: 'CHANGED', points: [to], pointsBefore: [from] })]);
    expect(picture?.hasMoved).toBe(true);
    const [former, current] = picture?.drawings ?? [];
    expect([former?.kind, current?.kind]).toEqual(['REMOVED', 'CHANGED']);
    expect(former?.description).toContain('place before the move');
    expect(former?.at.x).toBeLessThan(current?.at.x ?? 0);
    expect(picture?.labels).toHaveLength(1);
    expect(rows[0]).toMatchObject({ before: '0.7, 52.4', first: '0.9, 52.5' });
  });

  it.each([
    ['stays', location({ kind: 'CHANGED', pointsBefore: location({}).points })],
    ['is removed', location({ kind: 'REMOVED', pointsBefore: [{ x: 0.1, y: 52 }] })],
  ])('shows one position of a location that %s', async (_, shown) => {
    const { picture, rows } = await mapOf([shown]);
    expect(picture?.hasMoved).toBe(false);
    expect(picture?.drawings).toHaveLength(1);
    expect(rows[0]?.before).toBeUndefined();
  });

  it('draws a mark instead of a line that is too short to be visible', async () => {
    const short = [
      { x: 0.7, y: 52.4 },
      { x: 0.700_001, y: 52.4 },
    ];
    const { picture } = await mapOf([location({}), location({ points: short })]);
    expect(picture?.drawings.map(({ line }) => line !== undefined)).toEqual([true, false]);
  });

  it('shows a removed line beside the new one on the same course', async () => {
    const { picture } = await mapOf([location({}), location({ kind: 'REMOVED' }), location({ kind: 'CHANGED' })]);
    expect(picture?.drawings.map(({ kind, isReplaced }) => [kind, isReplaced])).toEqual([
      ['CHANGED', false],
      ['REMOVED', true],
      ['ADDED', false],
    ]);
  });

  it('marks a line at half its length', async () => {
    const { picture } = await mapOf([location({})]);
    const [west, corner, north] = (picture?.drawings[0]?.line ?? '')
      .split(' ')
      .map((point) => point.split(',').map(Number));
    const { at } = picture?.drawings[0] ?? {};
    expect(at?.x === corner?.[0] || at?.y === corner?.[1]).toBe(true);
    expect(at?.y).toBeLessThan(west?.[1] ?? 0);
    expect(at?.y).toBeGreaterThan(north?.[1] ?? 100);
  });

  it('links to the change of the object or location, else to the object of the base model, else to no page', async () => {
    const { rows } = await mapOf([
      location({}),
      location({ changedObject: 'location' }),
      location({ changedObject: null }),
      location({ changedObject: null, objectType: null, objectName: null }),
    ]);
    expect(rows.map(({ target }) => target)).toEqual([
      { mRID: 'object', isChanged: true },
      { mRID: 'location', isChanged: true },
      { mRID: 'object', isChanged: false },
      undefined,
    ]);
  });

  it('shows the class of the object, unknown if neither the version nor a base model has it, and Location without an object', async () => {
    const { rows, picture } = await mapOf([
      location({}),
      location({ objectType: null, objectName: null }),
      location({ object: null, objectType: null, objectName: null }),
    ]);
    expect(rows.map(({ className }) => className)).toEqual(['ACLineSegment', 'Class unknown', 'Location']);
    expect(picture?.drawings[2]?.description).toBe('location, Location, added');
  });

  it('shows the name of the object, or else of the location, or else the mRID of the object', async () => {
    const { rows, picture } = await mapOf([
      location({ name: 'Thetford site' }),
      location({ name: 'Thetford site', objectName: null }),
      location({ objectName: null }),
      location({ objectName: null, object: null }),
    ]);
    expect(rows.map(({ name }) => name)).toEqual(['Thetford – Croxton', 'Thetford site', 'object', 'location']);
    expect(picture?.labels.map(({ text }) => text)).toContain('Thetford site');
    expect(picture?.drawings[1]?.description).toBe('Thetford site, ACLineSegment, added');
  });

  it('has a description in words', async () => {
    const { picture, legend, system } = await mapOf([location({}), location({ kind: 'CHANGED' })]);
    expect(picture?.description).toMatch(
      /^2 locations: 1 added, 0 removed, 1 changed\. North is up; the map reaches from 0\.6/,
    );
    expect(legend.map(({ word, count }) => [word, count])).toEqual([
      ['added', '1'],
      ['removed', '0'],
      ['changed', '1'],
    ]);
    expect(system).toBe('longitude and latitude, WGS 84');
    expect(picture?.drawings[0]?.description).toBe('Thetford – Croxton, ACLineSegment, changed');
  });

  it('lists what it cannot draw: without points, with coordinates that are not numbers, in another system', async () => {
    const unreadable = [{ x: Number.NaN, y: 1 }];
    const { picture, rows, undrawn } = await mapOf([
      location({}),
      location({ points: [] }),
      location({ points: unreadable }),
      location({ coordinateSystem: 'urn:ogc:def:crs:EPSG::27700', points: [{ x: 586_000, y: 284_000 }] }),
      location({ mRID: 'other', object: null, objectName: null, objectType: null }),
    ]);
    expect(picture?.drawings).toHaveLength(2);
    expect({ rows: rows.length, undrawn }).toEqual({ rows: 5, undrawn: '3 locations' });
    expect(rows[4]).toMatchObject({ name: 'other' });
    expect((await mapOf([])).picture).toBeUndefined();
  });

  /** Returns locations beside each other, from west to east. */
  const many = (count: number, part: Partial<GridLocation> = {}) =>
    Array.from({ length: count }, (_, index) =>
      location({ mRID: `location ${index}`, points: [{ x: 0.5 + index / 100_000, y: 52.4 }], ...part }),
    );

  it('draws each of 2,000 locations as a link to its object', async () => {
    const { picture, rows, listed } = await mapOf(many(2_000));
    expect(picture?.drawings).toHaveLength(2_000);
    expect([rows.length, listed]).toEqual([500, '500']);
  });

  it('draws all of more locations, at any position in the order of mRIDs, and lists the first', async () => {
    const last = location({ mRID: 'the last', kind: 'REMOVED', points: [{ x: 0.9, y: 52.6 }] });
    const { picture, rows, listed, total, shown, legend } = await mapOf([...many(24_999), last]);
    const [removed, added] = picture?.layers ?? [];
    expect(removed).toMatchObject({
      kind: 'REMOVED',
      lines: '',
      marks: expect.stringMatching(/^M8\d(\.\d)? \d+(\.\d)?h0$/),
    });
    expect(added?.kind).toBe('ADDED');
    expect(added?.marks.split('M').length).toBeGreaterThan(400);
    expect(added?.marks.length).toBeLessThan(15_000);
    expect({ rows: rows.length, listed, total, shown }).toMatchObject({
      rows: 500,
      listed: '500',
      total: '25,000',
    });
    expect(shown).toBeUndefined();
    expect(legend.map(({ count }) => count)).toEqual(['24,999', '1', '0']);
    expect(picture?.description).toContain('25,000 locations: 24,999 added, 1 removed, 0 changed');
  });

  it.each([
    ['2,000 lines of 20 points', 2_000, 20],
    ['30,000 lines of 6 points', 30_000, 6],
  ])('lets the event loop run while it draws %s', async (_, lines, length) => {
    const wave = (line: number) =>
      Array.from({ length }, (__, at) => ({ x: 0.5 + Math.sin(line) / 5 + at / 500, y: 52 + Math.cos(line * at) / 5 }));
    const nodes = Array.from({ length: lines }, (__, line) => location({ mRID: String(line), points: wave(line) }));
    const started = process.cpuUsage();
    let [ticks, longest, isEnded] = [0, 0, false];
    const turning = (async () => {
      for (let before = started; !isEnded; before = process.cpuUsage(), ticks += 1) {
        await setImmediate();
        longest = Math.max(longest, process.cpuUsage(before).user);
      }
    })();
    expect((await mapOf(nodes)).rows).toHaveLength(500);
    isEnded = true;
    await turning;
    expect(ticks).toBeGreaterThan(20);
    expect(longest).toBeLessThan(process.cpuUsage(started).user / 6);
  });

  it('draws 5,000 points of a line of 200,000 in its course, with its ends, and lists how many it has', async () => {
    const points = Array.from({ length: 200_000 }, (_, at) => ({ x: 0.5 + (at % 2) / 10, y: 52 + at / 1_000_000 }));
    const { picture, rows } = await mapOf([location({ points })]);
    const drawn = picture?.drawings[0]?.line?.split(' ') ?? [];
    expect(drawn.length).toBeLessThanOrEqual(5_000);
    expect(drawn.length).toBeGreaterThan(1_000);
    expect(rows[0]?.points).toBe(200_000);
    const { picture: whole } = await mapOf([location({ points: [points[0]!, points.at(-1)!] })]);
    expect(picture?.drawings[0]?.line?.split(',').at(-1)).toBe(whole?.drawings[0]?.line?.split(',').at(-1));
  });

  it('shows totals in the legend that include locations which are not drawn', async () => {
    const classCounts = [counts('cim:Location', 20, 5, 3), counts('cim:ACLineSegment', 9, 9, 9)];
    const nodes = many(2);
    const totals = locationTotals({ nodes, totalCount: 40 }, classCounts);
    expect(totals).toEqual({ ADDED: 20, REMOVED: 5, CHANGED: 15 });
    const { legend, shown, total } = await locationMap(nodes, totals);
    expect(legend.map(({ count }) => count)).toEqual(['20', '5', '15']);
    expect([shown, total]).toEqual(['2', '40']);
  });
});

describe('the layers of a map of very many locations', () => {
  const at = (x: number, y: number) => ({ x, y });
  const place = (kind: GridLocation['kind'], isReplaced: boolean, ...points: { x: number; y: number }[]) => ({
    ...{ kind, isReplaced, points },
  });

  it('are one per kind, with replaced lines below', async () => {
    const layers = await layersOf(
      [
        place('ADDED', false, at(10, 10), at(20, 20)),
        place('REMOVED', true, at(10, 10), at(20, 20)),
        place('REMOVED', false, at(5, 5)),
      ],
      ['CHANGED', 'REMOVED', 'ADDED'],
    );
    expect(layers).toEqual([
      { kind: 'REMOVED', isReplaced: true, lines: 'M10 10L20 20', marks: '' },
      { kind: 'REMOVED', isReplaced: false, lines: '', marks: 'M5 5h0' },
      { kind: 'ADDED', isReplaced: false, lines: 'M10 10L20 20', marks: '' },
    ]);
  });

  it('draw equal locations once, and a short line as a short line', async () => {
    const [layer] = await layersOf(
      [
        place('ADDED', false, at(10.01, 10)),
        place('ADDED', false, at(10.04, 9.99)),
        place('ADDED', false, at(30, 30), at(30.01, 30.01)),
      ],
      ['ADDED'],
    );
    expect(layer).toMatchObject({ marks: 'M10 10h0', lines: 'M30 30h0.2' });
  });

  it('omit indistinguishable points, but no end point', () => {
    const line = Array.from({ length: 1001 }, (_, index) => at(index / 100, 50));
    const kept = simplified(line, 0.2);
    expect(kept.length).toBeLessThanOrEqual(51);
    expect([kept[0], kept.at(-1)]).toEqual([at(0, 50), at(10, 50)]);
    expect(simplified([at(1, 1), at(2, 2), at(2.01, 2)], 0.2)).toEqual([at(1, 1), at(2.01, 2)]);
    expect(simplified([], 1)).toEqual([]);
  });
});
