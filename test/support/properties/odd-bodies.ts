import fc from 'fast-check';
import { HOSTILE } from './contract-violations';
import type { Oddity } from './oddity';

/** Texts that are valid or nearly valid bodies. */
export const ODD_TEXTS = [
  ...[
    '',
    ' ',
    'null',
    'true',
    '0',
    '-0',
    '1e400',
    '"text"',
    '[]',
    '{}',
    '[[]]',
    '{',
    '}',
    '{"a":1,}',
    "{'a':1}",
    'NaN',
    'undefined',
    '{"a":1}{"b":2}',
  ],
  ...[
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"a":"\ud800"}',
    '{"\\u0000":"\\u0000"}',
    '{"a":"\\ud800"}',
    '/* */{}',
    '\0',
    '\u2028',
  ],
  `\ufeff{}`,
  `${'['.repeat(100_000)}`,
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`,
  `[${'0,'.repeat(100_000)}0]`,
  `"${'x'.repeat(200_000)}"`,
  `"${HOSTILE.repeat(40_000)}"`,
  `{${Array.from({ length: 10_000 }, (_, index) => `"k${index}":0`).join(',')}}`,
];

/** Bodies that are invalid, nearly invalid, too large or changed. */
export const bodies: fc.Arbitrary<Oddity> = fc.oneof(
  fc.constantFrom(...ODD_TEXTS).map((text) => withBody(() => Buffer.from(text))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => withBody(() => Buffer.from(bytes))),
  fc.json().map((text) => withBody(() => Buffer.from(text))),
  fc
    .double({ min: 0, max: 1, noNaN: true })
    .map((part) => withBody((body) => body.subarray(0, Math.floor(body.length * part)))),
  fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(([place, bytes]) =>
    withBody((body) => {
      const at = body.length === 0 ? 0 : place % body.length;
      return Buffer.concat([body.subarray(0, at), bytes, body.subarray(at + bytes.length)]);
    }),
  ),
  fc
    .constantFrom<(body: Buffer) => Buffer>(
      (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
      (body) => Buffer.from(body.toString(), 'utf16le'),
      (body) => Buffer.concat([Buffer.from(`{${firstNameOf(body)}:null,`), body.subarray(1)]),
      (body) => Buffer.concat([body.subarray(0, -1), Buffer.from(`,${firstNameOf(body)}:null}`)]),
      (body) => Buffer.concat([Buffer.from('{"record-metadata":null,'), body.subarray(1)]),
      (body) => Buffer.concat([body.subarray(0, -1), Buffer.from(',"processing":{},"pii-principal":{}}')]),
      (body) => Buffer.concat([body.subarray(0, -1), Buffer.from(',"__proto__":{"notice":null}}')]),
      (body) => Buffer.concat([body, Buffer.alloc(Math.max(0, 256 * 1024 - body.length), ' ')]),
      (body) => Buffer.concat([body, Buffer.alloc(256 * 1024 + 1, ' ')]),
    )
    .map(withBody),
);

/** The first name in a JSON object, as written. */
function firstNameOf(body: Buffer): string {
  return /^\{("[^"]*")/.exec(body.toString())?.[1] ?? '"a"';
}

function withBody(change: (body: Buffer) => Buffer): Oddity {
  return (request) => ({
    ...request,
    body: change(request.body ?? Buffer.alloc(0)),
    headers: { 'content-type': 'application/json', ...request.headers },
  });
}

/** Values of every type, for any position in a body. */
const values = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e300,
    '',
    HOSTILE,
    'ACTIVE',
    'joint',
    '\0',
    '\ud800',
    [],
    {},
    [[]],
    [null],
    '2026-02-30T00:00:00Z',
    'x'.repeat(3_000),
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 1, max: 200 }).map((levels) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown),
);

/** A JSON body with one to three values replaced, removed or moved: not necessarily invalid, but rarely valid. */
export const mutations: fc.Arbitrary<Oddity> = fc
  .array(fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'add', 'copy'), values, fc.string({ maxLength: 8 })), {
    minLength: 1,
    maxLength: 3,
  })
  .map((all) =>
    withBody((bytes) => {
      const body = jsonOf(bytes);
      for (const [place, how, value, name] of all) mutate(body, place, how, value, name);
      return Buffer.from(JSON.stringify(body) ?? '');
    }),
  );

function jsonOf(bytes: Buffer): unknown {
  try {
    const value = JSON.parse(bytes.toString()) as unknown;
    JSON.stringify(value);
    return value;
  } catch {
    // Not JSON, or too deeply nested to serialise.
    return {};
  }
}

function mutate(body: unknown, place: number, how: string, value: unknown, name: string): void {
  const members = membersOf(body);
  const [holder, key] = members[place % Math.max(1, members.length)] ?? [];
  if (holder === undefined || key === undefined) return;
  if (how === 'remove') delete holder[key];
  else if (how === 'add') holder[name] = value;
  else if (how === 'copy') holder[key] = structuredClone(members[(place * 7) % members.length]?.[0]);
  else holder[key] = value;
}

/** Members of the upper levels. */
function membersOf(value: unknown, level = 0): [holder: Record<string, unknown>, key: string][] {
  if (typeof value !== 'object' || value === null || level > 12) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key): [Record<string, unknown>, string][] => [
    [holder, key],
    ...membersOf(holder[key], level + 1),
  ]);
}
