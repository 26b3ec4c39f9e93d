import { createHash } from 'node:crypto';
import type { DifferenceItem, Statement } from '../subgraphs/grid-models/rdf/difference-model';

/** Returns the mRID of a demo object, which is the same at every start. */
export function mRID(name: string): string {
  const digits = createHash('sha256').update(`demo grid ${name}`).digest('hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** Returns a statement whose value is a text. */
export const text = (name: string, value: string | number): Statement => ({ name, kind: 'text', value: String(value) });
/** Returns a statement that refers to another object. */
export const link = (name: string, target: string): Statement => ({ name, kind: 'association', value: mRID(target) });

/** Returns a new object. */
export function object(type: string, name: string, ...statements: Statement[]): DifferenceItem {
  const named = text('cim:IdentifiedObject.name', name);
  return { mRID: mRID(name), type, isObject: true, statements: [named, ...statements] };
}

/** Returns changed values of an existing object. */
export function change(name: string, ...statements: Statement[]): DifferenceItem {
  return { mRID: mRID(name), type: 'rdf:Description', isObject: false, statements };
}

/** Returns a location and its points, in longitude and latitude (WGS 84). */
export function locationItems(
  name: string,
  resource: string,
  route: readonly (readonly [longitude: number, latitude: number])[],
): DifferenceItem[] {
  const points = route.map(([longitude, latitude], index) => ({
    ...object('cim:PositionPoint', `${name} ${index + 1}`),
    statements: [
      text('cim:PositionPoint.sequenceNumber', index + 1),
      text('cim:PositionPoint.xPosition', longitude.toFixed(5)),
      text('cim:PositionPoint.yPosition', latitude.toFixed(5)),
      link('cim:PositionPoint.Location', name),
    ],
  }));
  return [
    object(
      'cim:Location',
      name,
      link('cim:Location.CoordinateSystem', 'WGS 84'),
      link('cim:Location.PowerSystemResources', resource),
    ),
    ...points,
  ];
}
