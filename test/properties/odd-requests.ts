import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { HOSTILE } from './contract-violations';
import type { WireRequest } from './http-exchange';

/** What a request may become, and whether it still comes to its operation, with its caller's token. */
export interface OddRequest extends WireRequest {
  /** Method and path are those of the operation still. */
  readonly isServed: boolean;
  /** `authorization` is as it was. */
  readonly isSignedIn: boolean;
}

type Oddity = (request: OddRequest) => OddRequest;

const withHeaders =
  (headers: OddRequest['headers']): Oddity =>
  (request) => ({ ...request, headers: { ...request.headers, ...headers } });

const METHODS = [
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'GET',
  'LINK',
  'M-SEARCH',
  'QUERY',
];

const methods = fc.constantFrom(...METHODS).map((method): Oddity => (request) => ({
  ...request,
  method,
  isServed: request.isServed && method === request.method,
}));

/** Paths that the router knows, or nearly. */
const paths = fc
  .oneof(
    fc.constantFrom<(path: string) => string>(
      (path) => `${path}/`,
      (path) => `/${path}`,
      (path) => path.replace('/v1', '/v2'),
      (path) => path.toUpperCase(),
      (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      (path) => `${path}%`,
      (path) => `${path}%zz`,
      (path) => `${path}%ff%fe`,
      (path) => `${path}%00`,
      (path) => `${path}/%2e%2e/x`,
      (path) => `${path}/../x`,
      (path) => `${path};a=b`,
      (path) => `${path}#fragment`,
      (path) => `http://elsewhere.example${path}`,
      (path) => `${path}/${'x'.repeat(9_000)}`,
      (path) => `${path}/${'x'.repeat(20_000)}`,
      (path) => path.slice(0, path.lastIndexOf('/') + 1),
      () => '*',
      () => '/',
      () => '/v1/__proto__',
      () => '/v1/constructor/prototype',
    ),
    fc.webPath().map((path) => () => path || '/'),
    fc.string({ maxLength: 20 }).map((text) => (path: string) => path.replace(/[^/]*$/, encodeURIComponent(text))),
  )
  .map((changed): Oddity => (request) => {
    const [path = '', query] = request.target.split('?');
    const target = changed(path);
    // Anything else is no request line: raw connections try that.
    const readable = /^(\/|\*|http:)/.test(target) ? target : `/${target}`;
    return { ...request, target: `${readable}${query === undefined ? '' : `?${query}`}`, isServed: false };
  });

const queries = fc
  .oneof(
    fc.constantFrom(
      ...[
        '',
        '&&==',
        '%',
        '%zz=1',
        '%00=1',
        '__proto__=1',
        'constructor[prototype]=1',
        'state',
        'state=',
        'state=active',
      ],
      ...[
        'state=ACTIVE&state=ACTIVE',
        'state[]=ACTIVE',
        'limit=0',
        'limit=-1',
        'limit=1e2',
        'limit=501',
        'limit=99999999999999999999',
      ],
      ...[
        'limit=%201',
        'limit=1.0',
        'limit=',
        'cursor=',
        'cursor=%00',
        `cursor=${'x'.repeat(513)}`,
        'cursor=%ff',
        'reason=none',
      ],
      ...[
        'mpxn=',
        'mpxn=%00',
        `mpxn=${HOSTILE}`,
        'mpxn=1012345678&mpxn=1012345678',
        `email=${HOSTILE}`,
        'email=a@b.example&email=',
        '?',
        'a=b#c',
      ],
      ...[
        'hasOwnProperty=1',
        `x=${'y'.repeat(5_000)}`,
        'legal-basis=UK_CONSENT',
        'legal_basis=uk-consent',
        'state=DISCOVERED',
        'a;b',
        '+',
        '%2B',
      ],
    ),
    fc.string({ maxLength: 40 }).map((text) => encodeURIComponent(text)),
    fc.webQueryParameters(),
  )
  .map((query): Oddity => (request) => ({
    ...request,
    target: `${request.target}${request.target.includes('?') ? '&' : '?'}${query}`,
  }));

const visible = fc.stringMatching(/^[\x21-\x7e\x80-\xff]{1,60}$/);

const headers = fc.oneof(
  fc
    .constantFrom<OddRequest['headers']>(
      ...[
        'text/html',
        '',
        '*/*;q=0',
        'application/json;q=0',
        'application/*;q=0.1, */*;q=0',
        ',,;q',
        'application/json; version=2',
      ].map((accept) => ({ accept })),
      ...['text/html, */*;q=0.1', 'APPLICATION/JSON', `${'a/b,'.repeat(500)}*/*`, 'application/json;q=nonsense'].map(
        (accept) => ({ accept }),
      ),
      ...[
        '"1"',
        'W/"1"',
        '*',
        '"1", "2"',
        '1',
        '""',
        '"999999999999"',
        ',',
        `"${'1'.repeat(3_000)}"`,
        '"\xff"',
        '" "',
      ].map((tag) => ({ 'if-match': tag })),
      ...['*', '"1"'].map((tag) => ({ 'if-none-match': tag })),
      ...['a', 'a b', '\xe9', 'k'.repeat(255), 'k'.repeat(256), HOSTILE].map((key) => ({ 'idempotency-key': key })),
      { 'idempotency-key': ['a', 'b'] },
      { 'x-http-method-override': 'DELETE' },
      { 'x-forwarded-for': `${HOSTILE}, 192.0.2.1` },
      {
        'x-forwarded-for': '192.0.2.1',
        forwarded: 'for=unknown',
        'x-forwarded-proto': 'nonsense',
        'x-forwarded-host': '[',
      },
      { 'transaction-id': HOSTILE },
      { 'x-register-service': HOSTILE },
      { traceparent: `00-${HOSTILE}` },
      { range: 'bytes=0-1' },
      { host: 'elsewhere.example' },
      { host: '' },
      { cookie: `a=${'b'.repeat(2_000)}` },
      { 'x-large': 'x'.repeat(17_000) },
      { origin: 'null', 'access-control-request-method': 'PUT' },
    )
    .map(withHeaders),
  fc
    .tuple(fc.constantFrom('accept', 'if-match', 'idempotency-key', 'accept-language', 'x-odd'), visible)
    .map(([name, value]) => withHeaders({ [name]: value })),
);

const signIns = fc
  .oneof(
    fc.constantFrom(
      '',
      'Bearer',
      'Bearer ',
      'Bearer  ',
      'Basic',
      'Basic ====',
      'Basic 4711',
      'Basic Og==',
      'Basic /w==',
      `Bearer ${HOSTILE}`,
      'Digest x',
      '{}',
    ),
    fc.constantFrom(
      'Bearer a.b.c',
      `Bearer ${'a'.repeat(8_000)}`,
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      'bearer\tx',
      'Bearer x y',
    ),
    fc.string({ maxLength: 40 }).map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
    visible,
  )
  .map((authorization): Oddity => (request) => ({ ...withHeaders({ authorization })(request), isSignedIn: false }));

const mediaTypes = fc
  .oneof(
    fc.constantFrom(
      ...[
        'application/json; charset=utf-8',
        'application/json;charset=UTF-16',
        'application/merge-patch+json',
        'text/plain',
        '',
        'text/json',
      ],
      ...[
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json, text/plain',
        'APPLICATION/JSON',
        '/',
        'application/json;',
      ],
    ),
    visible,
  )
  .map((type) => withHeaders({ 'content-type': type }));

const encodings: fc.Arbitrary<Oddity> = fc.oneof(
  fc
    .constantFrom('gzip', 'br', 'identity', 'deflate, gzip', 'none', '')
    .map((encoding) => withHeaders({ 'content-encoding': encoding })),
  fc.constant<Oddity>((request) => ({
    ...withHeaders({ 'content-encoding': 'gzip' })(request),
    ...(request.body ? { body: gzipSync(request.body) } : {}),
  })),
);

/** Texts that are bodies, or nearly. */
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

const bodies: fc.Arbitrary<Oddity> = fc.oneof(
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
      (body) => Buffer.concat([Buffer.from('{"record-metadata":null,'), body.subarray(1)]),
      (body) => Buffer.concat([body.subarray(0, -1), Buffer.from(',"processing":{},"pii-principal":{}}')]),
      (body) => Buffer.concat([body.subarray(0, -1), Buffer.from(',"__proto__":{"notice":null}}')]),
      (body) => Buffer.concat([body, Buffer.alloc(Math.max(0, 256 * 1024 - body.length), ' ')]),
      (body) => Buffer.concat([body, Buffer.alloc(256 * 1024 + 1, ' ')]),
    )
    .map(withBody),
);

function withBody(change: (body: Buffer) => Buffer): Oddity {
  return (request) => ({
    ...request,
    body: change(request.body ?? Buffer.alloc(0)),
    headers: { 'content-type': 'application/json', ...request.headers },
  });
}

/** Values of every type, put into any place of a body. */
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

/** A JSON body with one to three of its places replaced, removed or moved: not known to be wrong, but seldom right. */
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
    // No JSON, or of too many levels to be written again.
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

const oddities = fc.oneof(
  { weight: 1, arbitrary: methods },
  { weight: 2, arbitrary: paths },
  { weight: 3, arbitrary: queries },
  { weight: 3, arbitrary: headers },
  { weight: 1, arbitrary: signIns },
  { weight: 2, arbitrary: mediaTypes },
  { weight: 1, arbitrary: encodings },
  { weight: 4, arbitrary: bodies },
  { weight: 4, arbitrary: mutations },
);

/** Requests with one to three oddities. */
export function oddRequests(usual: fc.Arbitrary<WireRequest>): fc.Arbitrary<OddRequest> {
  return fc
    .tuple(usual, fc.array(oddities, { minLength: 1, maxLength: 3 }))
    .map(([request, all]) =>
      all.reduce<OddRequest>((odd, oddity) => oddity(odd), { ...request, isServed: true, isSignedIn: true }),
    );
}
