import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { HOSTILE } from './contract-violations';
import type { WireRequest } from './http-exchange';
import { bodies, mutations } from './odd-bodies';
import { signIns } from './odd-sign-ins';
import { type OddRequest, type Oddity, visible, withHeaders } from './oddity';

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

/** Paths of the router, and similar ones. */
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
    // Other characters would not form a request line: raw connections test those.
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
        'active=TRUE',
        'offset=-1',
        'limit=101',
        'tariff_type=STATIC',
        'valid_to=1901-01-01T00:00:00Z',
        'valid_from=now',
        'ck=',
        'ck=ck_000000000000000000000000',
        'licenceArea=',
        'licenceArea=Atlantis',
        'licenceArea=EPN&licenceArea=LPN',
        'publicationYear=2026.0',
        'period=1',
        'version=0',
        'after=%00',
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
        'application/rdf+xml',
        'text/xml;q=0.5, application/json;q=0.4',
        'application/zip',
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
      ...['bytes=0-1', 'bytes=-0', 'bytes=5-1', 'bytes=0-0,2-3', `bytes=${'9'.repeat(30)}-`, 'lines=1-2'].map(
        (range) => ({
          range,
        }),
      ),
      { range: 'bytes=0-1', 'if-range': '"1"' },
      { 'accept-encoding': 'gzip, br;q=0, *' },
      { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
      { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
      ...['elsewhere.example', 'ltds.nowhere.example', 'LTDS.LPN.example:8080'].map((host) => ({ host })),
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
