import { isExactNumber } from '../../../schema/exact-number';
import fc from 'fast-check';
import type { Schema } from './served-contract';

const DAY = 24 * 3600 * 1000;

/** Web addresses that every URI field accepts. */
export const webAddresses: fc.Arbitrary<string> = fc.oneof(
  fc.webUrl({ validSchemes: ['https', 'http'], withQueryParameters: true, withFragments: true }),
  fc.constantFrom(
    'https://harbourlight.example',
    'HTTPS://Harbourlight.Example/Terms',
    'https://harbourlight.example:8443/a%20b?c=d&e=%2F#f',
    'https://192.0.2.1/',
    'https://[2001:db8::1]/terms',
    `https://harbourlight.example/${'p'.repeat(2048 - 'https://harbourlight.example/'.length)}`,
  ),
);

/** RFC 3339 date-times, in all permitted forms. */
export const dateTimes: fc.Arbitrary<string> = fc
  .tuple(
    fc.date({ min: new Date('1901-01-01T00:00:00Z'), max: new Date('2099-12-30T00:00:00Z'), noInvalidDate: true }),
    fc.constantFrom('', '.5', '.123', '.123456789'),
    fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+01:00', '-23:59', '+05:45'),
    fc.constantFrom('T', 't'),
  )
  .map(([date, fraction, offset, separator]) => {
    const [day, time] = date.toISOString().split('T') as [string, string];
    return `${day}${separator}${time.slice(0, 8)}${fraction}${offset}`;
  });

/** Instants at least a day in the past, or in the future. */
export const passed = fc
  .integer({ min: 1, max: 20_000 })
  .map((days) => new Date(Date.now() - days * DAY).toISOString());
export const future = fc
  .integer({ min: 1, max: 20_000 })
  .map((days) => new Date(Date.now() + days * DAY).toISOString());

const dates = fc
  .date({ min: new Date('1901-01-01T00:00:00Z'), max: new Date('2099-12-30T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/**
 * Addresses, also with surrounding white space and in capitals: the register compares them trimmed and in lower case.
 */
const emails = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9_+-]{1,20}(\.[A-Za-z0-9]{1,10})?$/), fc.domain(), fc.constantFrom('', ' '))
  .map(([local, domain, space]) => `${space}${local}@${domain}${space}`);

/** Values of the pattern of durations, which also matches texts that a rule rejects. */
const durations = fc
  .tuple(fc.nat(99), fc.nat(11), fc.nat(400), fc.constantFrom('', 'T1H', 'T30M', 'T1H5S', 'T1H0.5M', 'T0,25S'))
  .map(([years, months, days, time]) => `P${years}Y${months}M${days}D${time}`);
const BY_PATTERN = (pattern: string) =>
  pattern.startsWith('^P(?:[0-9]+') ? durations : fc.stringMatching(new RegExp(pattern));

const BY_FORMAT: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uri: webAddresses,
  'date-time': dateTimes,
  date: dates,
  email: emails,
  uuid: fc.uuid(),
};

/** Text of any storable characters, often of minimum or maximum length. */
function texts({ minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> {
  const units = [
    fc.constantFrom('a', 'Z', ' ', '"', '\\', '<', '\u0001', '\u200f', '\ufeff', 'é', '漢', '👩‍👧'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ];
  const unit = fc.oneof(...units).filter((text) => [...text].length === 1 && !/[\0\p{Surrogate}]/u.test(text));
  const ofLength = (min: number, max: number) =>
    fc.array(unit, { minLength: min, maxLength: max }).map((all) => all.join(''));
  const any = fc.oneof(
    { weight: 6, arbitrary: ofLength(minLength, Math.min(maxLength, 30)) },
    { weight: 1, arbitrary: ofLength(minLength, minLength) },
    { weight: 1, arbitrary: unit.map((one) => one.repeat(maxLength)) },
  );
  // A required text needs a visible character: the last one becomes visible if no other is.
  return minLength === 0 ? any : any.map((text) => (isSeen(text) ? text : `${[...text].slice(0, -1).join('')}x`));
}

/** Letters, numbers, punctuation and symbols, except those that are blank by definition. */
export function isSeen(text: string): boolean {
  return [...text].some((one) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(one) && !/[\p{DI}\u2800]/u.test(one));
}

const isInexact = (value: unknown): value is number => typeof value === 'number' && !isExactNumber(value);

/** A JSON object of any form, within the limits of the contract for `detail`. */
const freeObjects = fc
  .dictionary(
    fc.string({ maxLength: 10 }).filter((name) => name !== '__proto__'),
    fc.jsonValue({ maxDepth: 4 }),
    { maxKeys: 5, noNullPrototype: true },
  )
  .map(
    (value) => JSON.parse(JSON.stringify(value), (_, each: unknown) => (isInexact(each) ? each % 1e6 : each)) as object,
  )
  .filter((value) => !/\\u0000|\\ud[89a-f]|"__proto__"/i.test(JSON.stringify(value)));

const MOST_ITEMS = 4;

/** Values that match a schema of the contract, without read-only fields. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map(valuesOf));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    return fc.oneof(...(schema.type as string[]).map((type) => valuesOf({ ...schema, type })));
  }
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
    case 'number':
      return numbers(schema);
    case 'string':
      return textsOf(schema);
    case 'array':
      return arraysOf(schema);
    default:
      return objectsOf(schema);
  }
}

/** Numbers of any precision, often integers and the bounds. */
function numbers({ minimum: min = -1000, maximum: max = 1000 }: Schema): fc.Arbitrary<number> {
  const whole = fc.integer({ min: Math.ceil(min), max: Math.floor(max) });
  // JSON has no negative zero.
  return fc.oneof(whole, fc.constantFrom(min, max), fc.double({ min, max, noNaN: true })).map((value) => value + 0);
}

function textsOf(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  if (pattern !== undefined) return BY_PATTERN(pattern);
  return (format !== undefined && BY_FORMAT[format]) || texts(schema);
}

function arraysOf({ items = {}, minItems = 0, maxItems = MOST_ITEMS, uniqueItems = false }: Schema) {
  const limits = {
    minLength: minItems,
    maxLength: Math.max(minItems, Math.min(maxItems, uniqueItems ? maxItems : MOST_ITEMS)),
  };
  return uniqueItems ? fc.uniqueArray(valuesOf(items), limits) : fc.array(valuesOf(items), limits);
}

function objectsOf({ properties, required = [] }: Schema): fc.Arbitrary<unknown> {
  if (!properties) return freeObjects;
  const members = Object.entries(properties).filter(([, { readOnly }]) => !readOnly);
  const shape = Object.fromEntries(members.map(([name, schema]) => [name, valuesOf(schema)]));
  return fc.record(shape, { requiredKeys: [...required], noNullPrototype: true });
}
