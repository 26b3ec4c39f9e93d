import type { ErrorCode } from '../../../schema/error-catalogue';
import type { Schema } from './served-contract';

/** Part of every hostile text value: no response may repeat it in its errors. */
export const HOSTILE = 'h0st1le-value';

/** One violation of the contract at one place of a valid value. */
export interface ContractViolation {
  readonly what: string;
  readonly pointer: string;
  readonly code: ErrorCode;
  /** Changes a copy of the value. */
  readonly apply: (body: unknown) => void;
}

type Path = readonly (string | number)[];

/** The location of a value, and whether null is equivalent to an absent optional member (Interfaces A and B). */
interface Place {
  readonly path: Path;
  readonly takesNullAsAbsent: boolean;
}

/** Returns every single violation of the contract, for a valid value. */
export function contractViolations(schema: Schema, value: unknown, takesNullAsAbsent: boolean): ContractViolation[] {
  return violationsAt(schema, value, { path: [], takesNullAsAbsent }, false);
}

function violationsAt(schema: Schema, value: unknown, place: Place, isNullAbsent: boolean): ContractViolation[] {
  if (value === null && isNullAbsent) return [];
  const other = schema.oneOf?.find(({ type }) => type !== 'null');
  if (other) return value === null ? [] : ofValue(other, value, place, true);
  return ofValue(schema, value, place, isNullAbsent || [schema.type].flat().includes('null'));
}

function ofValue(schema: Schema, value: unknown, place: Place, isNullable: boolean): ContractViolation[] {
  const { path } = place;
  return [
    ...(path.length === 0 ? [] : ofType(schema, path, isNullable)),
    ...(typeof value === 'string' ? ofText(schema, path) : []),
    ...(typeof value === 'number' ? ofNumber(schema, path) : []),
    ...(Array.isArray(value) ? ofArray(schema, value, place) : []),
    ...(isObject(value) ? ofObject(schema, value, place) : []),
  ];
}

function ofType({ type }: Schema, path: Path, isNullable: boolean): ContractViolation[] {
  const wrong = [type].flat().includes('string') ? 4711 : HOSTILE;
  const ofOtherType = replaced('the wrong type', path, 'VAL003', wrong);
  return isNullable ? [ofOtherType] : [ofOtherType, replaced('null', path, 'VAL003', null)];
}

function ofText({ enum: values, pattern, format, minLength, maxLength }: Schema, path: Path): ContractViolation[] {
  if (values) return [replaced('no value of the enum', path, 'VAL003', HOSTILE)];
  if (pattern !== undefined) {
    return [`${HOSTILE}\0`, `${HOSTILE}\n`, HOSTILE].map((text) =>
      replaced('not of the pattern', path, 'VAL001', text),
    );
  }
  if (format === 'uri')
    return [replaced('a character that cannot be stored', path, 'VAL001', `https://${HOSTILE}.example/\0`)];
  if (format !== undefined)
    return (WRONG_FORMATS[format] ?? []).map((text) => replaced(`no ${format}`, path, 'VAL001', text));
  const tooLong =
    maxLength === undefined ? [] : [replaced('too long', path, 'VAL003', `${HOSTILE}${'é'.repeat(maxLength)}`)];
  const tooShort = minLength ? [replaced('too short', path, 'VAL003', '')] : [];
  return [
    ...tooLong,
    ...tooShort,
    replaced('NUL', path, 'VAL001', `${HOSTILE.slice(0, 3)}\0`),
    replaced('an unpaired surrogate', path, 'VAL001', '\ud800a'),
    replaced('an unpaired low surrogate', path, 'VAL001', 'a\udc00'),
  ];
}

function ofNumber({ type, minimum, maximum }: Schema, path: Path): ContractViolation[] {
  const beyond = (what: string, value: number) => replaced(what, path, 'VAL003', value);
  return [
    ...(minimum === undefined ? [] : [beyond('below the minimum', minimum - 1)]),
    ...(maximum === undefined ? [] : [beyond('above the maximum', maximum * 2 + 1)]),
    ...([type].flat().includes('integer') ? [beyond('no whole number', 1.5)] : []),
  ];
}

const WRONG_FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': [
    HOSTILE,
    '2026-02-30T00:00:00Z',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01T24:00:00Z',
    '+002026-01-01T00:00:00Z',
    '',
  ],
  date: [HOSTILE, '2026-02-30', '2026-1-1', '2026-01-01T00:00:00Z', ''],
  email: [HOSTILE, '@', `${HOSTILE}@`, `a b@${HOSTILE}.example`, ''],
};

function ofArray(
  { items = {}, minItems, maxItems, uniqueItems }: Schema,
  value: unknown[],
  { path, takesNullAsAbsent }: Place,
): ContractViolation[] {
  // Only one of the unique entries is changed: two with the same change would be duplicates.
  const broken = uniqueItems ? value.slice(0, 1) : value;
  const inItems = broken.flatMap((item, index) =>
    violationsAt(items, item, { path: [...path, index], takesNullAsAbsent }, false),
  );
  const tooFew = minItems ? [replaced('too few entries', path, 'VAL003', value.slice(0, minItems - 1))] : [];
  const tooMany =
    maxItems === undefined || value.length === 0
      ? []
      : [replaced('too many entries', path, 'VAL003', Array(maxItems + 1).fill(value[0]))];
  const twice =
    uniqueItems && value.length > 0 ? [replaced('an entry twice', path, 'VAL003', [...value, value[0]].slice(-2))] : [];
  return [...inItems, ...tooFew, ...tooMany, ...(uniqueItems && value.length > 1 ? [] : twice)];
}

/** Names that a client may invent; none is a field of the contract. */
const UNKNOWN_NAMES = ['x-unknown', 'toString', 'constructor', '__proto__', 'a/b~c', 'ключ', ' '];

function ofObject(
  { properties, required = [], additionalProperties }: Schema,
  value: object,
  { path, takesNullAsAbsent }: Place,
): ContractViolation[] {
  if (!properties) return ofFreeObject(path);
  const inMembers = Object.entries(value).flatMap(([name, member]) =>
    violationsAt(
      properties[name] ?? {},
      member,
      { path: [...path, name], takesNullAsAbsent },
      takesNullAsAbsent && !required.includes(name),
    ),
  );
  const missing = required.map((name) => removed(path, name));
  const readOnly = Object.entries(properties)
    .filter(([, schema]) => schema.readOnly)
    .map(([name]) => replaced('a read-only field', [...path, name], 'VAL004', 4711));
  const unknown = additionalProperties === false ? UNKNOWN_NAMES.map((name) => added(path, name)) : [];
  return [...inMembers, ...missing, ...readOnly, ...unknown];
}

function ofFreeObject(path: Path): ContractViolation[] {
  return [added(path, '__proto__'), replaced('NUL inside', [...path, 'inner'], 'VAL001', `${HOSTILE.slice(0, 3)}\0`)];
}

function removed(path: Path, name: string): ContractViolation {
  return {
    what: 'a required field is missing',
    pointer: pointerOf([...path, name]),
    code: 'VAL002',
    apply: (body) => {
      delete (at(body, path) as Record<string, unknown>)[name];
    },
  };
}

function added(path: Path, name: string): ContractViolation {
  return replaced('an unknown field', [...path, name], 'VAL003', HOSTILE);
}

function replaced(what: string, path: Path, code: ErrorCode, value: unknown): ContractViolation {
  return {
    what,
    pointer: pointerOf(path),
    code,
    apply: (body) => {
      const holder = at(body, path.slice(0, -1)) as object;
      // So that also a field named __proto__ becomes an own property.
      Object.defineProperty(holder, path.at(-1) as string, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    },
  };
}

function at(body: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], body);
}

/** The JSON pointer of a path (RFC 6901). */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the chosen violations whose places do not overlap: the register must report each of them. */
export function apart(chosen: readonly ContractViolation[]): ContractViolation[] {
  const kept: ContractViolation[] = [];
  for (const violation of chosen) {
    const touches = ({ pointer }: ContractViolation) =>
      `${pointer}/`.startsWith(`${violation.pointer}/`) || `${violation.pointer}/`.startsWith(`${pointer}/`);
    if (!kept.some(touches)) kept.push(violation);
  }
  return kept;
}
