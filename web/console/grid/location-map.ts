import { mappedInSlices } from '../../../subgraphs/server/in-slices';
import { cornersOf, drawnLocations } from './drawn-locations';
import { classOf, coordinate, nameOf, rowOf, targetOf } from './location-rows';
import { labelsOf } from './map-labels';
import { layersOf, simplified } from './map-layers';
import { type Coordinates, type MapPlane, planeOf } from './map-plane';
import { linesOfX, linesOfY, scaleBar } from './map-scale';
import { type GridLocation, OBJECT_CHANGE_KINDS, type ObjectChangeKind } from './operation-results';
import { counted, quantity, rounded } from '../format';
import { KINDS } from './labels';

/** Kinds in drawing order: new objects are drawn on top. */
const DRAWING_ORDER: readonly ObjectChangeKind[] = ['CHANGED', 'REMOVED', 'ADDED'];

/**
 * Up to this number, each location is drawn separately, as a link to its object; above it, all locations of a kind are
 * drawn as one path.
 */
const MAX_LINKED_LOCATIONS = 2_000;

/** Maximum number of rows of the table. */
const MAX_ROWS = 500;

/** Distance below which points are indistinguishable, in percent of the picture. */
const MIN_DISTANCE = 0.05;

/**
 * Returns the locations of a version as a map, if there is anything to draw, and as a table of the first of them.
 * Locations without points, or in a coordinate system other than the most frequent one, are in the table only. The
 * legend shows the totals, including locations that are not drawn. Computes in slices: a version may have 200,000 points.
 */
export async function locationMap(
  locations: readonly GridLocation[],
  totals: Readonly<Record<ObjectChangeKind, number>>,
) {
  const total = totals.ADDED + totals.REMOVED + totals.CHANGED;
  const drawn = await drawnLocations(locations);
  const plane = planeOf(await cornersOf(drawn));
  return {
    rows: await mappedInSlices(locations.slice(0, MAX_ROWS), rowOf),
    listed: locations.length > MAX_ROWS ? counted(MAX_ROWS) : undefined,
    shown: locations.length < total ? counted(locations.length) : undefined,
    total: counted(total),
    undrawn: locations.length === drawn.length ? undefined : quantity(locations.length - drawn.length, 'location'),
    system: systemName(drawn[0]?.coordinateSystem ?? null, plane),
    legend: OBJECT_CHANGE_KINDS.map((kind) => ({ ...KINDS[kind], count: counted(totals[kind]) })),
    picture: plane === undefined ? undefined : await pictureOf(drawn, plane),
  };
}

async function pictureOf(drawn: readonly GridLocation[], plane: MapPlane) {
  const inOrder = DRAWING_ORDER.flatMap((kind) => drawn.filter((location) => location.kind === kind));
  const place = (point: Coordinates) => plane.place(point);
  const former = await mappedInSlices(
    inOrder.filter(({ pointsBefore }) => pointsBefore.length > 0),
    (location) => ({ location, kind: 'REMOVED' as const, points: location.pointsBefore.map(place), isFormer: true }),
  );
  const current = await mappedInSlices(inOrder, (location) => ({
    ...{ location, kind: location.kind, points: location.points.map(place), isFormer: false },
  }));
  const positioned = [...former, ...current];
  const added = new Set(
    await mappedInSlices(positioned, ({ kind, points }) => (kind === 'ADDED' ? lineOf(points) : undefined)),
  );
  /** A new line replaces an old one on the same course: the old line must stay visible beside it. */
  const marked = await mappedInSlices(positioned, (location) => ({
    ...location,
    isReplaced: location.kind === 'REMOVED' && location.points.length > 1 && added.has(lineOf(location.points)),
  }));
  const isTooMany = positioned.length > MAX_LINKED_LOCATIONS;
  return {
    shape: plane.shape,
    drawings: isTooMany ? [] : await mappedInSlices(marked, drawingOf),
    labels: isTooMany ? [] : await labelsOf(await mappedInSlices(current.toReversed(), labelledLocation), plane.shape),
    layers: isTooMany ? await layersOf(marked, DRAWING_ORDER) : undefined,
    hasMoved: former.length > 0,
    hasReplaced: marked.some(({ isReplaced }) => isReplaced),
    linesOfX: linesOfX(plane),
    linesOfY: linesOfY(plane),
    scaleBar: scaleBar(plane),
    description: descriptionOf(drawn, plane),
  };
}

/** A location before or after a move, with its points in percent of the picture. */
interface PositionedLocation {
  readonly location: GridLocation;
  readonly kind: ObjectChangeKind;
  /** True for the location before a move. */
  readonly isFormer: boolean;
  readonly points: readonly Coordinates[];
}

/** Returns a location as the map draws it: a mark, or a line through its points, in percent of the picture. */
function drawingOf({
  location,
  kind,
  points,
  isFormer,
  isReplaced,
}: PositionedLocation & { readonly isReplaced: boolean }) {
  const course = simplified(points, MIN_DISTANCE);
  return {
    kind,
    isReplaced,
    description: `${nameOf(location)}, ${classOf(location)}, ${isFormer ? 'place before the move' : KINDS[kind].word}`,
    target: targetOf(location),
    line: course.length < 2 ? undefined : lineOf(course),
    at: middleOf(points),
  };
}

function labelledLocation({ location, points }: Pick<PositionedLocation, 'location' | 'points'>) {
  return { name: location.objectName ?? location.name, at: middleOf(points), points: simplified(points, MIN_DISTANCE) };
}

/** Formats points for the SVG attribute `points`. */
function lineOf(points: readonly Coordinates[]): string {
  return points.map(({ x, y }) => `${x},${y}`).join(' ');
}

/** Returns the point half way along the line, which is near all parts of it. */
function middleOf(points: readonly Coordinates[]): Coordinates {
  const [first = { x: 50, y: 50 }] = points;
  const lengths = points.slice(1).map((point, index) => distance(points[index] ?? first, point));
  let rest = lengths.reduce((sum, length) => sum + length, 0) / 2;
  for (const [index, length] of lengths.entries()) {
    const [from, to] = [points[index] ?? first, points[index + 1] ?? first];
    if (rest <= length && length > 0) return between(from, to, rest / length);
    rest -= length;
  }
  return first;
}

function distance(one: Coordinates, other: Coordinates): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

function between(from: Coordinates, to: Coordinates, share: number): Coordinates {
  const along = (start: number, end: number) => rounded(start + (end - start) * share);
  return { x: along(from.x, to.x), y: along(from.y, to.y) };
}

/** Names of coordinate systems that planners use. */
const SYSTEMS: Readonly<Record<string, string>> = {
  'urn:ogc:def:crs:EPSG::4326': 'longitude and latitude, WGS 84',
  'urn:ogc:def:crs:EPSG::4258': 'longitude and latitude, ETRS89',
  'urn:ogc:def:crs:EPSG::27700': 'British National Grid',
  'urn:ogc:def:crs:EPSG::29903': 'Irish Grid',
};

function systemName(urn: string | null, plane: MapPlane | undefined): string {
  const name = urn === null ? undefined : SYSTEMS[urn];
  if (name !== undefined) return name;
  const [, code] = /^urn:ogc:def:crs:EPSG:[^:]*:(\d+)$/.exec(urn ?? '') ?? [];
  const unit = plane?.isGeographic ? 'longitude and latitude' : 'metres';
  return code === undefined ? unit : `${unit}, EPSG:${code}`;
}

function descriptionOf(drawn: readonly GridLocation[], plane: MapPlane): string {
  const counts = OBJECT_CHANGE_KINDS.map((kind) => `${counted(countOf(drawn, kind))} ${KINDS[kind].word}`);
  const corner = (x: number, y: number) => `${coordinate(x)}, ${coordinate(y)}`;
  return (
    `${quantity(drawn.length, 'location')}: ${counts.join(', ')}. North is up; the map reaches from ` +
    `${corner(plane.west, plane.south)} to ${corner(plane.east, plane.north)}.`
  );
}

function countOf(locations: readonly GridLocation[], kind: ObjectChangeKind): number {
  return locations.filter((location) => location.kind === kind).length;
}
