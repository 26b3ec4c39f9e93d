import { labelsOf } from './map-labels';
import { type Coordinates, type MapPlane, planeOf } from './map-plane';
import { linesOfX, linesOfY, scaleBar } from './map-scale';
import { type GridLocation, OBJECT_CHANGE_KINDS, type ObjectChangeKind } from './register-answers';
import { KINDS, className, counted, quantity } from './wording';

/** A location as the table names it. */
interface LocationRow {
  readonly kind: ObjectChangeKind;
  readonly word: string;
  readonly sign: string;
  readonly mRID: string;
  readonly name: string;
  readonly className: string;
  readonly points: number;
  /** Coordinates of the first point. */
  readonly first: string;
}

/** Later ones are drawn over earlier ones: what is new is on top. */
const DRAWN: readonly ObjectChangeKind[] = ['CHANGED', 'REMOVED', 'ADDED'];

/** The locations of a version: a map where there is something to draw, and a table of them all. Those in another coordinate system than most, or without points, are in the table only. */
export function locationMap(locations: readonly GridLocation[]) {
  const drawn = inOneSystem(locations.filter(({ points }) => points.some(isPlace)));
  const plane = planeOf(drawn.flatMap(({ points }) => points.filter(isPlace)));
  return {
    rows: locations.map(rowOf),
    undrawn: locations.length - drawn.length,
    system: systemName(drawn[0]?.coordinateSystem ?? null, plane),
    legend: OBJECT_CHANGE_KINDS.map((kind) => ({ ...KINDS[kind], count: counted(countOf(drawn, kind)) })),
    picture: plane === undefined ? undefined : pictureOf(drawn, plane),
  };
}

function pictureOf(drawn: readonly GridLocation[], plane: MapPlane) {
  const places = DRAWN.flatMap((kind) => drawn.filter((location) => location.kind === kind)).map((location) => {
    const points = location.points.filter(isPlace).map((point) => plane.place(point));
    return { location, points, name: location.objectName, at: middleOf(points) };
  });
  const added = new Set(places.filter(({ location }) => location.kind === 'ADDED').map(({ points }) => lineOf(points)));
  const drawings = places.map(({ location, points, at }) => ({
    ...drawingOf(location, points, at),
    /** Something new takes the same course: the old has to show beside it. */
    isReplaced: location.kind === 'REMOVED' && points.length > 1 && added.has(lineOf(points)),
  }));
  return {
    shape: plane.shape,
    drawings,
    hasReplaced: drawings.some(({ isReplaced }) => isReplaced),
    labels: labelsOf(places.toReversed(), plane.shape),
    linesOfX: linesOfX(plane),
    linesOfY: linesOfY(plane),
    scaleBar: scaleBar(plane),
    description: descriptionOf(drawn, plane),
  };
}

/** A location as the map draws it: a mark, or a line through its points, in hundredths of the picture. */
function drawingOf(location: GridLocation, points: readonly Coordinates[], at: Coordinates) {
  return {
    kind: location.kind,
    tells: `${nameOf(location)}, ${classOf(location)}, ${KINDS[location.kind].word}`,
    mRID: subjectOf(location),
    line: points.length < 2 ? undefined : lineOf(points),
    at,
  };
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

function rowOf(location: GridLocation): LocationRow {
  const [first] = location.points;
  return {
    ...KINDS[location.kind],
    mRID: subjectOf(location),
    name: nameOf(location),
    className: classOf(location),
    points: location.points.length,
    first: first === undefined ? '–' : `${coordinate(first.x)}, ${coordinate(first.y)}`,
  };
}

/** The object that stands there, if the version says anything of it; else the location itself. */
function subjectOf({ object, objectType, mRID }: GridLocation): string {
  return object === null || objectType === null ? mRID : object;
}

function nameOf({ objectName, object, mRID }: GridLocation): string {
  return objectName ?? object ?? mRID;
}

function classOf({ objectType }: GridLocation): string {
  return objectType === null ? 'object of the base model' : className(objectType);
}

function descriptionOf(drawn: readonly GridLocation[], plane: MapPlane): string {
  const counts = OBJECT_CHANGE_KINDS.map((kind) => `${counted(countOf(drawn, kind))} ${KINDS[kind].word}`);
  const corner = (x: number, y: number) => `${coordinate(x)}, ${coordinate(y)}`;
  return (
    `${quantity(drawn.length, 'location')}: ${counts.join(', ')}. North is up; the map reaches from ` +
    `${corner(plane.west, plane.south)} to ${corner(plane.east, plane.north)}.`
  );
}

function coordinate(value: number): string {
  return String(Math.abs(value) > 360 ? Math.round(value) : Number(value.toFixed(5)));
}

function countOf(locations: readonly GridLocation[], kind: ObjectChangeKind): number {
  return locations.filter((location) => location.kind === kind).length;
}

function isPlace({ x, y }: Coordinates): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}
