import type { GridLocation } from './operation-results';
import { KINDS, UNKNOWN_CLASS, className } from './labels';

/** Returns the row of a location, with the coordinates of its first point; also before the change if the location moves. */
export function rowOf(location: GridLocation) {
  const [first] = location.points;
  const [former] = formerPoints(location);
  return {
    ...KINDS[location.kind],
    target: targetOf(location),
    name: nameOf(location),
    className: classOf(location),
    points: location.points.length,
    before: former && written(former),
    first: first === undefined ? '–' : written(first),
  };
}

const written = ({ x, y }: GridLocation['points'][number]): string => `${coordinate(x)}, ${coordinate(y)}`;

/** Returns the points of a location before the change, if the change moves it; else none. */
export function formerPoints({ kind, points, pointsBefore }: GridLocation): GridLocation['points'] {
  const isSame =
    points.length === pointsBefore.length &&
    points.every(({ x, y }, index) => x === pointsBefore[index]?.x && y === pointsBefore[index]?.y);
  return kind === 'CHANGED' && !isSame ? pointsBefore : [];
}

/** An object to which a location links: the page of its change, or if the version does not change it that of the object after the version. */
export interface LocationTarget {
  readonly mRID: string;
  readonly isChanged: boolean;
}

/**
 * Returns the object to which a location links: the changed one, or else the object at the location, which the base model has if its class is
 * known. Undefined if no page shows it.
 */
export function targetOf({ changedObject, object, objectType }: GridLocation): LocationTarget | undefined {
  if (changedObject !== null) return { mRID: changedObject, isChanged: true };
  return object === null || objectType === null ? undefined : { mRID: object, isChanged: false };
}

/** Returns the name of the object at a location, or else of the location. */
export function nameOf({ objectName, name, object, mRID }: GridLocation): string {
  return objectName ?? name ?? object ?? mRID;
}

/**
 * Returns the class of the object at a location, unknown if neither the version nor the base model has the object. Without an object, the row
 * describes the location itself.
 */
export function classOf({ object, objectType }: GridLocation): string {
  return className(objectType ?? (object === null ? 'cim:Location' : UNKNOWN_CLASS));
}

/** Formats a coordinate: degrees with five decimals, metres with none. */
export function coordinate(value: number): string {
  return String(Math.abs(value) > 360 ? Math.round(value) : Number(value.toFixed(5)));
}
