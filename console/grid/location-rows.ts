import type { GridLocation, ObjectChangeKind } from './register-answers';
import { KINDS, className } from './wording';

/** A location in the table. */
export interface LocationRow {
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

/** A location as the table names it. */
export function rowOf(location: GridLocation): LocationRow {
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
export function subjectOf({ object, objectType, mRID }: GridLocation): string {
  return object === null || objectType === null ? mRID : object;
}

/** The name of the object that stands there, or else of the location. */
export function nameOf({ objectName, name, object, mRID }: GridLocation): string {
  return objectName ?? name ?? object ?? mRID;
}

/** The class of what stands there, as people read it. */
export function classOf({ objectType }: GridLocation): string {
  return objectType === null ? 'object of the base model' : className(objectType);
}

/** A coordinate in the digits that tell places apart: of degrees five, of metres none. */
export function coordinate(value: number): string {
  return String(Math.abs(value) > 360 ? Math.round(value) : Number(value.toFixed(5)));
}
