import { classOf, coordinate, nameOf, rowOf, subjectOf } from './location-rows';
import { labelsOf } from './map-labels';
import { layersOf, simplified } from './map-layers';
import { type Coordinates, type MapPlane, planeOf } from './map-plane';
import { linesOfX, linesOfY, scaleBar } from './map-scale';
import { type GridLocation, OBJECT_CHANGE_KINDS, type ObjectChangeKind } from './register-answers';
import { KINDS, counted, quantity } from './wording';

/** Later ones are drawn over earlier ones: what is new is on top. */
const DRAWN: readonly ObjectChangeKind[] = ['CHANGED', 'REMOVED', 'ADDED'];

/** Locations that are drawn each by itself, as the way to its object; of more, all of one kind are drawn as one. */
const MOST_LINKED = 2_000;

/** Rows of the table: nobody reads more. */
const MOST_ROWS = 500;

/** Hundredths of the picture that nobody sees. */
const UNSEEN = 0.05;

/**
 * The locations of a version: a map where there is something to draw, and a table of the first of them. Those in another coordinate system
 * than most, or without points, are in the table only. The legend tells the totals, also of what is not drawn.
 */
export function locationMap(locations: readonly GridLocation[], totals: Readonly<Record<ObjectChangeKind, number>>) {
  const total = totals.ADDED + totals.REMOVED + totals.CHANGED;
  const drawn = inOneSystem(locations.filter(({ points }) => points.some(isPlace)));
  const plane = planeOf(drawn.flatMap(({ points }) => points.filter(isPlace)));
  return {
    rows: locations.slice(0, MOST_ROWS).map(rowOf),
    listed: locations.length > MOST_ROWS ? counted(MOST_ROWS) : undefined,
    shown: locations.length < total ? counted(locations.length) : undefined,
    total: counted(total),
    undrawn: locations.length === drawn.length ? undefined : quantity(locations.length - drawn.length, 'location'),
    system: systemName(drawn[0]?.coordinateSystem ?? null, plane),
    legend: OBJECT_CHANGE_KINDS.map((kind) => ({ ...KINDS[kind], count: counted(totals[kind]) })),
    picture: plane === undefined ? undefined : pictureOf(drawn, plane),
  };
}

function pictureOf(drawn: readonly GridLocation[], plane: MapPlane) {
  const places = DRAWN.flatMap((kind) => drawn.filter((location) => location.kind === kind)).map((location) => {
    const points = location.points.filter(isPlace).map((point) => plane.place(point));
    return { location, kind: location.kind, points };
  });
  const added = new Set(places.filter(({ kind }) => kind === 'ADDED').map(({ points }) => lineOf(points)));
  /** Something new takes the same course: the old has to show beside it. */
  const marked = places.map((place) => ({
    ...place,
    isReplaced: place.kind === 'REMOVED' && place.points.length > 1 && added.has(lineOf(place.points)),
  }));
  const isOfMany = places.length > MOST_LINKED;
  return {
    shape: plane.shape,
    drawings: isOfMany ? [] : marked.map(drawingOf),
    labels: isOfMany ? [] : labelsOf(places.toReversed().map(nameableOf), plane.shape),
    layers: isOfMany ? layersOf(marked, DRAWN) : undefined,
    hasReplaced: marked.some(({ isReplaced }) => isReplaced),
    linesOfX: linesOfX(plane),
    linesOfY: linesOfY(plane),
    scaleBar: scaleBar(plane),
    description: descriptionOf(drawn, plane),
  };
}

/** A location with its points in hundredths of the picture. */
interface PlacedLocation {
  readonly location: GridLocation;
  readonly points: readonly Coordinates[];
}

/** A location as the map draws it: a mark, or a line through its points, in hundredths of the picture. */
function drawingOf({ location, points, isReplaced }: PlacedLocation & { readonly isReplaced: boolean }) {
  const course = simplified(points, UNSEEN);
  return {
    kind: location.kind,
    isReplaced,
    tells: `${nameOf(location)}, ${classOf(location)}, ${KINDS[location.kind].word}`,
    mRID: subjectOf(location),
    line: course.length < 2 ? undefined : lineOf(course),
    at: middleOf(points),
  };
}

function nameableOf({ location, points }: PlacedLocation) {
  return { name: location.objectName ?? location.name, at: middleOf(points), points: simplified(points, UNSEEN) };
}

/** Points as SVG writes them. */
function lineOf(points: readonly Coordinates[]): string {
  return points.map(({ x, y }) => `${x},${y}`).join(' ');
}

/** Half way along the line: where its name is not far from any part of it. */
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
  const along = (start: number, end: number) => Math.round((start + (end - start) * share) * 100) / 100;
  return { x: along(from.x, to.x), y: along(from.y, to.y) };
}

/** Those of the coordinate system that most have: two systems cannot be drawn on one map. */
function inOneSystem(locations: readonly GridLocation[]): GridLocation[] {
  const counts = new Map<string | null, number>();
  for (const { coordinateSystem } of locations) counts.set(coordinateSystem, (counts.get(coordinateSystem) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  return locations.filter(({ coordinateSystem }) => coordinateSystem === most?.[0]);
}

/** Coordinate systems that planners know by name. */
const SYSTEMS: Readonly<Record<string, string>> = {
  'urn:ogc:def:crs:EPSG::4326': 'longitude and latitude, WGS 84',
  'urn:ogc:def:crs:EPSG::4258': 'longitude and latitude, ETRS89',
  'urn:ogc:def:crs:EPSG::27700': 'British National Grid',
  'urn:ogc:def:crs:EPSG::29903': 'Irish Grid',
};

function systemName(urn: string | null, plane: MapPlane | undefined): string {
  const known = urn === null ? undefined : SYSTEMS[urn];
  if (known !== undefined) return known;
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

function isPlace({ x, y }: Coordinates): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}
