import fc from 'fast-check';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { abortedExchange, rawExchange } from '../../support/properties/http-exchange';
import { LONG, PROPERTY_TIME, holdsForAll } from '../../support/properties/property-run';
import { interfaceOf, isErrorOf } from '../../support/properties/rest-interfaces';

let register: SharedRegister;
let verify: string;

beforeAll(async () => {
  register = await sharedRegister();
  verify = `/v1/access-records/${register.sandbox.samples.access_keys.active}`;
}, 300_000);
jest.setTimeout(PROPERTY_TIME + 250_000); // a last resort

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: { readonly response?: { readonly 'transaction-id': string }; readonly errors?: unknown[] };
}

/** The answers in what came back over a connection. */
function answersIn(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = received;
  for (
    let head = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/.exec(rest);
    head;
    head = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/.exec(rest)
  ) {
    const length = Number(/content-length: (\d+)/i.exec(head[0])?.[1] ?? 0);
    const text = rest.slice(head[0].length, head[0].length + length);
    if (head[1] !== '100')
      answers.push({
        status: Number(head[1]),
        head: head[0],
        body: JSON.parse(text === '' ? '{}' : text) as RawAnswer['body'],
      });
    rest = rest.slice(head[0].length + length);
  }
  expect(rest).toBe('');
  return answers;
}

function expectEnvelope({ status, head, body }: RawAnswer): void {
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
    ['no HTTP at all', () => 'hello\r\n\r\n', 400],
    ['TLS', () => Buffer.from('16030100a5010000a10303', 'hex'), 400],
    ['a NUL in the request line', () => get('/v1/\0'), 400],
    ['a blank in the path', () => get('/v1/data users/x'), 400],
    ['a control character in a header', () => get('/v1/records', 'x-odd: a\u0001b'), 400],
    ['a header without a colon', () => get('/v1/records', 'nothing'), 400],
    ['a header folded over two lines', () => get('/v1/records', 'x-odd: a', ' b'), 400],
    ['another HTTP version', () => 'GET /v1/records HTTP/3.0\r\nHost: register\r\n\r\n', 400],
    ['no host', () => 'GET /v1/records HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['an unknown method', () => get('/v1/records').replace('GET', 'FETCH'), 400],
    [
      'a length that is none',
      () =>
        `${get('/v1/access-records', 'content-type: application/json', 'content-length: -1').replace('GET', 'POST')}{}`,
      400,
    ],
    [
      'two lengths',
      () => `${get('/v1/access-records', 'content-length: 2', 'content-length: 3').replace('GET', 'POST')}{}`,
      400,
    ],
    [
      'a length and chunks',
      () =>
        `${get('/v1/access-records', 'content-length: 2', 'transfer-encoding: chunked').replace('GET', 'POST')}0\r\n\r\n`,
      400,
    ],
    [
      'a chunk whose size is none',
      () => `${get('/v1/access-records', 'transfer-encoding: chunked').replace('GET', 'POST')}zz\r\n`,
      400,
    ],
    [
      'a transfer coding that nobody knows',
      () => `${get('/v1/access-records', 'transfer-encoding: odd').replace('GET', 'POST')}`,
      400,
    ],
    ['a header of 20,000 characters', () => get('/v1/records', `x-odd: ${'x'.repeat(20_000)}`), 431],
    ['a path of 20,000 characters', () => get(`/v1/${'x'.repeat(20_000)}`), 431],
    ['3,000 headers', () => get('/v1/records', ...Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`)), 431],
  ])('with %s is answered in the envelope, and closed', async (_, bytes, status) => {
    const answers = answersIn(await rawExchange(register.rest, [bytes()], /^(?!)/));
    for (const answer of answers) expectEnvelope(answer);
    expect(answers.at(-1)?.status).toBe(status);
  });

  it.each([
    '/v1/records',
    '/show-consents/1012345678',
    '/grid-modelling/uploads/x',
    '/v1/suppliers',
    '/v1/tariff/LARK',
  ])('with a head for %s that cannot be read is answered in the form of its interface', async (path) => {
    const [answer] = answersIn(await rawExchange(register.rest, [get(path, 'nothing')], /^(?!)/));
    expect([answer?.status, isErrorOf(interfaceOf(path), answer?.body, 400)]).toEqual([400, true]);
  });

  it('is answered in the envelope whatever bytes it sends', async () => {
    expect.hasAssertions();
    const bytes = fc.tuple(
      fc.constantFrom('', 'GET /', 'POST /v1/access-records HTTP/1.1\r\n', 'GET /v1/records HTTP/1.1\r\nHost: a\r\n'),
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
    );
    // Blank lines before a request are passed over (RFC 9112, section 2.2): nothing but these is none yet.
    const begun = bytes.filter(([start, random]) => start !== '' || random.some((byte) => byte !== 10 && byte !== 13));
    await holdsForAll(begun, 100, async ([start, random]) => {
      const received = await rawExchange(register.rest, [start, Buffer.from(random), '\r\n\r\n\r\n\r\n'], ended);
      const answers = answersIn(received);
      expect(answers.length).toBeGreaterThan(0);
      for (const answer of answers) expectEnvelope(answer);
    });
  });

  it('is answered in the order of its requests when they are all sent at once', async () => {
    const targets = fc.array(fc.constantFrom('verify', '/v1/records', '/v1/nothing', '/v1/access-records/ak_x'), {
      minLength: 2,
      maxLength: 12,
    });
    await holdsForAll(targets, 30, async (all) => {
      const requests = all.map((target, index) =>
        get(target === 'verify' ? verify : target, ...(index === all.length - 1 ? ['connection: close'] : [])),
      );
      const answers = answersIn(await rawExchange(register.rest, [requests.join('')], /^(?!)/));
      for (const answer of answers) expectEnvelope(answer);
      const statuses = { verify: 200, '/v1/records': 401, '/v1/nothing': 404, '/v1/access-records/ak_x': 404 };
      expect(answers.map(({ status }) => status)).toEqual(
        all.map((target) => statuses[target as keyof typeof statuses]),
      );
      expect(new Set(answers.map(({ body }) => body.response?.['transaction-id'])).size).toBe(answers.length);
    });
  });

  it('may send its request in pieces of any size', async () => {
    const whole = `${get('/v1/access-records', 'content-type: application/json', 'content-length: 2', 'connection: close').replace('GET', 'POST')}{}`;
    await holdsForAll(fc.array(fc.integer({ min: 1, max: whole.length - 1 }), { maxLength: 12 }), 30, async (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), whole.length];
      const pieces = places
        .slice(1)
        .map((place, index) => whole.slice(places[index], place))
        .filter((piece) => piece !== '');
      const [answer] = answersIn(await rawExchange(register.rest, pieces, /^(?!)/));
      expect([answer?.status, answer?.body.errors]).toEqual([
        401,
        [expect.objectContaining({ 'error-code': 'AUT001' })],
      ]);
    });
  });

  it('may send its body in chunks, and is refused with more than 256 KiB of them', async () => {
    const start = get(
      '/v1/access-records',
      'content-type: application/json',
      'transfer-encoding: chunked',
      'connection: close',
    ).replace('GET', 'POST');
    const few = answersIn(await rawExchange(register.rest, [start, '1\r\n{\r\n', '1\r\n}\r\n', '0\r\n\r\n'], /^(?!)/));
    expect(few.map(({ status }) => status)).toEqual([401]);
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`;
    const many = answersIn(
      await rawExchange(register.rest, [start, ...Array<string>(10).fill(chunk), '0\r\n\r\n'], ended),
    );
    // Without a token it is 401 before it is 413.
    expect(many.map(({ status }) => status)).toEqual([401]);
  });

  it('may go away in the middle: the others are served as before', async () => {
    const head = get('/v1/access-records', 'content-type: application/json', 'content-length: 100000').replace(
      'GET',
      'POST',
    );
    const cuts = fc.tuple(fc.integer({ min: 1, max: head.length }), fc.nat(5_000));
    await holdsForAll(cuts, 60, async ([cut, body]) => {
      await abortedExchange(register.rest, cut < head.length ? head.slice(0, cut) : head + ' '.repeat(body));
    });
    const [answer] = answersIn(await rawExchange(register.rest, [get(verify, 'connection: close')], /^(?!)/));
    expect(answer?.status).toBe(200);
  });

  // The web server looks at its connections every 30 seconds, and gives a request as long.
  (LONG ? it : it.skip)('that never ends its request is told so, and closed', async () => {
    const start = get('/v1/access-records', 'content-type: application/json', 'content-length: 100').replace(
      'GET',
      'POST',
    );
    const received = await Promise.all(
      [start, `${start}{`, 'GET /v1/'].map((piece) => rawExchange(register.rest, [piece], /^(?!)/, 65_000)),
    );
    expect(received.map((each) => answersIn(each).map(({ status }) => status))).toEqual([[408], [408], [408]]);
  });

  it('that expects something or asks for an upgrade is answered as any other', async () => {
    for (const header of [
      'expect: 100-continue',
      'expect: odd',
      'connection: upgrade, close\r\nupgrade: h2c',
      'connection: upgrade, close\r\nupgrade: websocket',
    ]) {
      const [answer] = answersIn(await rawExchange(register.rest, [get(verify, header, 'connection: close')], ended));
      expect([header, answer?.status]).toEqual([header, 200]);
    }
  });
});
