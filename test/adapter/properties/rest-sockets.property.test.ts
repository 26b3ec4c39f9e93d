import fc from 'fast-check';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { abortedExchange, rawExchange } from '../../support/properties/http-exchange';
import { LONG, PROPERTY_TIME, holdsForAll } from '../../support/properties/property-run';
import { interfaceOf, isErrorOf } from '../../support/properties/rest-interfaces';
import { until } from '../../support/until';

let register: SharedRegister;
let verify: string;

beforeAll(async () => {
  register = await sharedRegister();
  verify = `/v1/access-records/${register.sandbox.samples.access_keys.active}`;
}, 300_000);
jest.setTimeout(PROPERTY_TIME + 250_000); // upper limit

interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: { readonly response?: { readonly 'transaction-id': string }; readonly errors?: unknown[] };
}

/** Parses the responses in the bytes received over a connection. */
function responsesIn(received: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = received;
  for (
    let head = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/.exec(rest);
    head;
    head = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/.exec(rest)
  ) {
    const length = Number(/content-length: (\d+)/i.exec(head[0])?.[1] ?? 0);
    const text = rest.slice(head[0].length, head[0].length + length);
    if (head[1] !== '100')
      responses.push({
        status: Number(head[1]),
        head: head[0],
        body: JSON.parse(text === '' ? '{}' : text) as RawResponse['body'],
      });
    rest = rest.slice(head[0].length + length);
  }
  expect(rest).toBe('');
  return responses;
}

function expectEnvelope({ status, head, body }: RawResponse): void {
  expect(status).toBeLessThan(500);
  expect(/transaction-id: (tid_[0-9a-f]{24})\r\n/i.exec(head)?.[1]).toBe(body.response?.['transaction-id']);
  expect(head).toMatch(/cache-control: no-store\r\n/i);
  if (status >= 400) expect(body.errors).toHaveLength(1);
}

const ended = /\r\n\r\n[\s\S]*\}$/;
const get = (target: string, ...headers: string[]) =>
  [`GET ${target} HTTP/1.1`, 'Host: register', ...headers, '', ''].join('\r\n');

describe('A connection to the register', () => {
  it.each<[string, () => string | Buffer, number]>([
    ['bytes that are not HTTP', () => 'hello\r\n\r\n', 400],
    ['TLS', () => Buffer.from('16030100a5010000a10303', 'hex'), 400],
    ['a NUL in the request line', () => get('/v1/\0'), 400],
    ['a space in the path', () => get('/v1/data users/x'), 400],
    ['a control character in a header', () => get('/v1/records', 'x-odd: a\u0001b'), 400],
    ['a header without a colon', () => get('/v1/records', 'nothing'), 400],
    ['a header folded over two lines', () => get('/v1/records', 'x-odd: a', ' b'), 400],
    ['another HTTP version', () => 'GET /v1/records HTTP/3.0\r\nHost: register\r\n\r\n', 400],
    ['no Host header', () => 'GET /v1/records HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['an unknown method', () => get('/v1/records').replace('GET', 'FETCH'), 400],
    [
      'an invalid Content-Length',
      () =>
        `${get('/v1/access-records', 'content-type: application/json', 'content-length: -1').replace('GET', 'POST')}{}`,
      400,
    ],
    [
      'two Content-Length headers',
      () => `${get('/v1/access-records', 'content-length: 2', 'content-length: 3').replace('GET', 'POST')}{}`,
      400,
    ],
    [
      'Content-Length and Transfer-Encoding',
      () =>
        `${get('/v1/access-records', 'content-length: 2', 'transfer-encoding: chunked').replace('GET', 'POST')}0\r\n\r\n`,
      400,
    ],
    [
      'a chunk with an invalid size',
      () => `${get('/v1/access-records', 'transfer-encoding: chunked').replace('GET', 'POST')}zz\r\n`,
      400,
    ],
    [
      'an unknown transfer coding',
      () => `${get('/v1/access-records', 'transfer-encoding: odd').replace('GET', 'POST')}`,
      400,
    ],
    ['a header of 20,000 characters', () => get('/v1/records', `x-odd: ${'x'.repeat(20_000)}`), 431],
    ['a path of 20,000 characters', () => get(`/v1/${'x'.repeat(20_000)}`), 431],
    ['3,000 headers', () => get('/v1/records', ...Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`)), 431],
  ])('with %s receives an envelope, and is closed', async (_, bytes, status) => {
    const responses = responsesIn(await rawExchange(register.rest, [bytes()], /^(?!)/));
    for (const response of responses) expectEnvelope(response);
    expect(responses.at(-1)?.status).toBe(status);
  });

  it.each([
    '/v1/records',
    '/show-consents/1012345678',
    '/grid-modelling/uploads/x',
    '/v1/suppliers',
    '/v1/tariff/LARK',
  ])('with malformed headers for %s receives an error in the form of its interface', async (path) => {
    const [response] = responsesIn(await rawExchange(register.rest, [get(path, 'nothing')], /^(?!)/));
    expect([response?.status, isErrorOf(interfaceOf(path), response?.body, 400)]).toEqual([400, true]);
  });

  it('receives an envelope for any bytes', async () => {
    expect.hasAssertions();
    const bytes = fc.tuple(
      fc.constantFrom('', 'GET /', 'POST /v1/access-records HTTP/1.1\r\n', 'GET /v1/records HTTP/1.1\r\nHost: a\r\n'),
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
    );
    // Empty lines before a request are ignored (RFC 9112 section 2.2), so they alone start no request.
    const startedBytes = bytes.filter(
      ([start, random]) => start !== '' || random.some((byte) => byte !== 10 && byte !== 13),
    );
    await holdsForAll(startedBytes, 100, async ([start, random]) => {
      const received = await rawExchange(register.rest, [start, Buffer.from(random), '\r\n\r\n\r\n\r\n'], ended);
      const responses = responsesIn(received);
      expect(responses.length).toBeGreaterThan(0);
      for (const response of responses) expectEnvelope(response);
    });
  });

  it('receives responses in the order of its requests if they are sent at once', async () => {
    const targets = fc.array(fc.constantFrom('verify', '/v1/records', '/v1/nothing', '/v1/access-records/ak_x'), {
      minLength: 2,
      maxLength: 12,
    });
    await holdsForAll(targets, 30, async (all) => {
      const requests = all.map((target, index) =>
        get(target === 'verify' ? verify : target, ...(index === all.length - 1 ? ['connection: close'] : [])),
      );
      const responses = responsesIn(await rawExchange(register.rest, [requests.join('')], /^(?!)/));
      for (const response of responses) expectEnvelope(response);
      const statuses = { verify: 200, '/v1/records': 401, '/v1/nothing': 404, '/v1/access-records/ak_x': 404 };
      expect(responses.map(({ status }) => status)).toEqual(
        all.map((target) => statuses[target as keyof typeof statuses]),
      );
      expect(new Set(responses.map(({ body }) => body.response?.['transaction-id'])).size).toBe(responses.length);
    });
  });

  it('may send a request in pieces of any size', async () => {
    const whole = `${get('/v1/access-records', 'content-type: application/json', 'content-length: 2', 'connection: close').replace('GET', 'POST')}{}`;
    await holdsForAll(fc.array(fc.integer({ min: 1, max: whole.length - 1 }), { maxLength: 12 }), 30, async (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), whole.length];
      const pieces = places
        .slice(1)
        .map((place, index) => whole.slice(places[index], place))
        .filter((piece) => piece !== '');
      const [response] = responsesIn(await rawExchange(register.rest, pieces, /^(?!)/));
      expect([response?.status, response?.body.errors]).toEqual([
        401,
        [expect.objectContaining({ 'error-code': 'AUT001' })],
      ]);
    });
  });

  it('may send a body in chunks, and is rejected after more than 256 KiB', async () => {
    const started = (...headers: string[]) =>
      get('/v1/access-records', 'content-type: application/json', 'transfer-encoding: chunked', ...headers).replace(
        'GET',
        'POST',
      );
    const start = started('connection: close');
    const few = responsesIn(
      await rawExchange(register.rest, [start, '1\r\n{\r\n', '1\r\n}\r\n', '0\r\n\r\n'], /^(?!)/),
    );
    expect(few.map(({ status }) => status)).toEqual([401]);
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`;
    // A server that closes a connection on which the client still sends may reset it before the client has read the
    // response.
    const many = await until(async () => {
      const pieces = [started(), ...Array<string>(10).fill(chunk), '0\r\n\r\n'];
      const responses = responsesIn(await rawExchange(register.rest, pieces, ended));
      return responses.length > 0 ? responses : undefined;
    });
    // Without a token, 401 precedes 413.
    expect(many.map(({ status }) => status)).toEqual([401]);
  });

  it('may disconnect: other clients are still served', async () => {
    const head = get('/v1/access-records', 'content-type: application/json', 'content-length: 100000').replace(
      'GET',
      'POST',
    );
    const cuts = fc.tuple(fc.integer({ min: 1, max: head.length }), fc.nat(5_000));
    await holdsForAll(cuts, 60, async ([cut, body]) => {
      await abortedExchange(register.rest, cut < head.length ? head.slice(0, cut) : head + ' '.repeat(body));
    });
    const [response] = responsesIn(await rawExchange(register.rest, [get(verify, 'connection: close')], /^(?!)/));
    expect(response?.status).toBe(200);
  });

  (LONG ? it : it.skip)('that has not completed its request after 30 seconds receives 408, and is closed', async () => {
    const start = get('/v1/access-records', 'content-type: application/json', 'content-length: 100').replace(
      'GET',
      'POST',
    );
    const received = await Promise.all([
      ...[start, `${start}{`, 'GET /v1/'].map((piece) => rawExchange(register.rest, [piece], /^(?!)/, 40_000)),
      rawExchange(register.gateway, [start.replace('/v1/access-records', '/graphql')], /^(?!)/, 40_000),
      rawExchange(register.portal, ['GET /acc'], /^(?!)/, 40_000),
    ]);
    expect(received.map((each) => responsesIn(each).map(({ status }) => status))).toEqual(received.map(() => [408]));
  });

  it('with Expect or Upgrade receives the same response as without', async () => {
    for (const header of [
      'expect: 100-continue',
      'expect: odd',
      'connection: upgrade, close\r\nupgrade: h2c',
      'connection: upgrade, close\r\nupgrade: websocket',
    ]) {
      const [response] = responsesIn(
        await rawExchange(register.rest, [get(verify, header, 'connection: close')], ended),
      );
      expect([header, response?.status]).toEqual([header, 200]);
    }
  });
});
