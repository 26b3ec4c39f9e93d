import type { DifferenceItem, DifferenceSection, Statement } from '../rdf/difference-model';
import type { ObjectChangeKind } from '../changes/object-changes';

/** CIM class of locations (IEC 61968-4, CIM100). */
export const LOCATION_CLASS = 'cim:Location';
/** CIM class of the points of a location. */
export const POINT_CLASS = 'cim:PositionPoint';
/** Prefix of the names of attributes and associations of a location. */
export const LOCATION_ATTRIBUTES = `${LOCATION_CLASS}.`;
/** Prefix of the names of attributes and associations of a point. */
export const POINT_ATTRIBUTES = `${POINT_CLASS}.`;
/** Association from a point to its location. */
export const LOCATION_OF_POINT = 'cim:PositionPoint.Location';
/** Attribute with the URN of a coordinate system. */
export const COORDINATE_REFERENCE = 'cim:CoordinateSystem.crsUrn';
const LOCATED_OBJECT = 'cim:Location.PowerSystemResources';
const COORDINATE_SYSTEM = 'cim:Location.CoordinateSystem';
const SEQUENCE_NUMBER = 'cim:PositionPoint.sequenceNumber';
const X_POSITION = 'cim:PositionPoint.xPosition';
const Y_POSITION = 'cim:PositionPoint.yPosition';

/** An item of a GL file with its section. */
export interface SectionItem {
  readonly section: DifferenceSection;
  readonly item: DifferenceItem;
}

/** A point of a location: longitude or easting, latitude or northing. */
interface GridPoint {
  readonly sequence: number | null;
  readonly x: number;
  readonly y: number;
}

/** Position of an object: mRIDs of the power system resource and of the coordinate system, null if the file does not state them. */
export interface LocatedPoints {
  readonly object: string | null;
  readonly coordinateSystem: string | null;
  /** Ordered by sequence number. */
  readonly points: readonly GridPoint[];
  /** Points that the version deletes, ordered by sequence number. */
  readonly pointsBefore: readonly GridPoint[];
}

/**
 * Returns the position of a location after the change, or before it if the location is removed. Uses the other section if the preferred one
 * has no items.
 */
export function locatedPoints(
  kind: ObjectChangeKind,
  location: readonly SectionItem[],
  points: readonly SectionItem[],
): LocatedPoints {
  const statements = preferred(kind, location).flatMap((item) => item.statements);
  return {
    object: targetOf(statements, LOCATED_OBJECT) ?? null,
    coordinateSystem: targetOf(statements, COORDINATE_SYSTEM) ?? null,
    points: inOrder(preferred(kind, points)),
    pointsBefore: inOrder(points.filter(({ section }) => section === 'reverse').map(({ item }) => item)),
  };
}

function inOrder(points: readonly DifferenceItem[]): GridPoint[] {
  return points
    .flatMap(pointOf)
    .toSorted((one, other) => (one.sequence ?? Infinity) - (other.sequence ?? Infinity) || 0);
}

/** Returns the target of an association, or the text of an attribute; the last one if it is repeated. */
export function targetOf(statements: readonly Statement[], name: string): string | undefined {
  return statements.findLast((statement) => statement.name === name)?.value;
}

function preferred(kind: ObjectChangeKind, items: readonly SectionItem[]): DifferenceItem[] {
  const first = kind === 'removed' ? 'reverse' : 'forward';
  const chosen = items.filter(({ section }) => section === first);
  return (chosen.length > 0 ? chosen : items).map(({ item }) => item);
}

/** Returns no point if a coordinate is missing or not a finite number. */
function pointOf({ statements }: DifferenceItem): GridPoint[] {
  const [sequence, x, y] = [SEQUENCE_NUMBER, X_POSITION, Y_POSITION].map((name) =>
    finite(targetOf(statements, name)),
  ) as [number | null, number | null, number | null];
  if (x === null || y === null) return [];
  return [{ sequence: sequence !== null && isInt(sequence) ? sequence : null, x, y }];
}

function finite(text: string | undefined): number | null {
  const number = text === undefined || text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Returns whether a number is in the range of a GraphQL Int. */
const isInt = (number: number) => Number.isInteger(number) && Math.abs(number) < 2 ** 31;
