import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import type { RunningGateway } from '../../../../gateway/gateway';
import { KEYS, counted, startTestGateway, twoSubgraphs } from '../../../support/two-subgraphs';

/** Bodies above the usual size, which only a sender that publishes tariffs may send. */
export function largeBodies(): void {
  const VERIFY = { documentId: 'Verify', variables: { key: KEYS.own } };
  const DOCUMENTS = { Verify: 'query Verify($key: AccessKey!) { accessRecord(key: $key) { state } }' };
  const KIB = 1_024;

  let access: ReturnType<typeof counted>;
  let gateway: RunningGateway;
  beforeAll(async () => {
    const { links } = await twoSubgraphs(pino({ level: 'silent' }));
    const [first, ...others] = links as [(typeof links)[number]];
    access = counted(first);
    gateway = await startTestGateway(DOCUMENTS, { links: [access, ...others] });
  });
  afterAll(() => gateway.close());
  beforeEach(() => void (access.sent.length = 0));

  type Headers = Readonly<Record<string, string | number>>;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  function sending(headers: Headers) {
    const type = { 'content-type': 'application/json' };
    return request(`${gateway.url}/graphql`, { method: 'POST', headers: { ...type, ...headers } });
  }

  /** Returns the response with its error. */
  async function received(sent: ReturnType<typeof request>) {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { errors } = JSON.parse(await text(response)) as { errors?: { extensions: { code: string } }[] };
    const { 'retry-after': retryAfter, 'www-authenticate': challenge } = response.headers;
    return { status: response.statusCode, code: errors?.[0]?.extensions.code, retryAfter, challenge };
  }

  /** Sends a body in chunks, so that its headers do not state its size. */
  function inChunks(body: string, headers: Headers) {
    const sent = sending({ ...headers, 'transfer-encoding': 'chunked' });
    sent.end(body);
    return received(sent);
  }

  const countsOf = () =>
    access.sent.flatMap(({ query, variables }) =>
      query.includes('admission(') ? [(variables as { isCounted: boolean }).isCounted] : [],
    );

  describe('a large body', () => {
    it.each([
      ['without a credential', {}, { status: 413, code: 'LIM001' }],
      ['with a forged token', bearer('x'), { status: 401, code: 'AUT001', challenge: 'Bearer error="invalid_token"' }],
      ['with an expired token', bearer('admin:expired'), { status: 401, code: 'AUT002' }],
      ['of an account above its rate', bearer('admin:limited'), { status: 429, code: 'LIM002', retryAfter: '7' }],
      ['of a caller that publishes no tariffs', bearer('data_user'), { status: 413, code: 'LIM001' }],
      ['with the form of a session token', bearer(`cst_${'a'.repeat(43)}`), { status: 413, code: 'LIM001' }],
    ])('%s is rejected before a byte of it is sent', async (_, credential, rejection) => {
      const sent = sending({ ...credential, 'content-length': 2_000_000 });
      sent.flushHeaders();
      expect(await received(sent)).toMatchObject(rejection);
      sent.destroy();
    });

    it('with a forged token gets its response also if its client sends the whole body before it reads', async () => {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        body: JSON.stringify({ query: ' '.repeat(1_900 * KIB) }),
        headers: { 'content-type': 'application/json', ...bearer('x') },
      });
      expect(response.status).toBe(401);
    });

    it.each([
      ['without a credential', {}, { status: 413, code: 'LIM001' }],
      ['with a forged token', bearer('x'), { status: 401, code: 'AUT001' }],
      ['of a caller that publishes no tariffs', bearer('data_user'), { status: 413, code: 'LIM001' }],
    ])('%s in chunks is not parsed', async (_, credential, rejection) => {
      expect(await inChunks('{'.repeat(300 * KIB), credential)).toMatchObject(rejection);
    });

    it('of an admin is executed, and counts once in the rate limit of its account', async () => {
      const body = JSON.stringify({ ...VERIFY, extensions: { padding: ' '.repeat(1_500 * KIB) } });
      const sent = sending({ ...bearer('admin'), 'content-length': body.length });
      sent.end(body);
      expect((await received(sent)).status).toBe(200);
      expect(countsOf()).toEqual([false, true]);
      access.sent.length = 0;
      expect((await inChunks(body, bearer('admin'))).status).toBe(200);
      expect(countsOf()).toEqual([false, true]);
    });
  });

  describe('a small body in chunks', () => {
    it.each([
      ['without a credential', {}],
      ['with a forged token, which verification ignores', bearer('x')],
      ['of an account above its rate, which verification ignores', bearer('data_user:limited')],
    ])('%s is executed', async (_, credential) => {
      expect(await inChunks(JSON.stringify(VERIFY), credential)).toEqual({ status: 200 });
    });
  });
}
