import type { DifferenceItem, DifferenceSection, Statement } from './difference-model';
import type { ObjectChangeKind } from './object-changes';

/** The class of locations, and their associations (IEC 61968-4, CIM100). */
export const LOCATION_CLASS = 'cim:Location';
/** The class of their points. */
export const POINT_CLASS = 'cim:PositionPoint';
/** How the names of what is said of a location begin. */
export const LOCATION_ATTRIBUTES = `${LOCATION_CLASS}.`;
/** How the names of what is said of a point begin. */
export const POINT_ATTRIBUTES = `${POINT_CLASS}.`;
/** From a point to its location. */
export const LOCATION_OF_POINT = 'cim:PositionPoint.Location';
/** The attribute that says what coordinates mean. */
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
export interface GridPoint {
  readonly sequence: number | null;
  readonly x: number;
  readonly y: number;
}

/** Where something is: mRIDs of the power system resource and of the coordinate system, as far as the file says them. */
export interface LocatedPoints {
  readonly object: string | null;
  readonly coordinateSystem: string | null;
  /** In their order. */
  readonly points: readonly GridPoint[];
  /** Those that go, in their order. */
  readonly pointsBefore: readonly GridPoint[];
}

/** Where a location is: as it is afterwards, or was when it goes. What stands in one section only is taken from that. */
export function locatedPoints(
  kind: ObjectChangeKind,
  location: readonly SectionItem[],
  points: readonly SectionItem[],
): LocatedPoints {
  const about = preferred(kind, location).flatMap(({ statements }) => statements);
  return {
    object: targetOf(about, LOCATED_OBJECT) ?? null,
    coordinateSystem: targetOf(about, COORDINATE_SYSTEM) ?? null,
    points: inOrder(preferred(kind, points)),
    pointsBefore: inOrder(points.filter(({ section }) => section === 'reverse').map(({ item }) => item)),
  };
}

function inOrder(points: readonly DifferenceItem[]): GridPoint[] {
  return points
    .flatMap(pointOf)
    .toSorted((one, other) => (one.sequence ?? Infinity) - (other.sequence ?? Infinity) || 0);
}

/** The target of an association, or the text of an attribute. */
export function targetOf(statements: readonly Statement[], name: string): string | undefined {
  return statements.findLast((statement) => statement.name === name)?.value;
}

function preferred(kind: ObjectChangeKind, items: readonly SectionItem[]): DifferenceItem[] {
  const first = kind === 'removed' ? 'reverse' : 'forward';
  const chosen = items.filter(({ section }) => section === first);
  return (chosen.length > 0 ? chosen : items).map(({ item }) => item);
}

/** None where a coordinate is not there or not a number. */
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

/** Whether GraphQL can say it as an Int. */
const isInt = (number: number) => Number.isInteger(number) && Math.abs(number) < 2 ** 31;
