import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { clientCalls } from '../../../../gateway/client/client-calls';
import type { GraphClient, GraphFailure, GraphResult } from '../../../../gateway/client/graph-client';
import { remoteGraphClient } from '../../../../gateway/client/remote-graph-client';
import type { ServiceName } from '../../../../subgraphs/server/callers/caller';
import { LinkedServices } from '../../../support/linked-installation';
import { AK, type TestAdapter, accessRecord, startTestAdapter } from '../../../support/rest-graph';
import { MUCH, shortenUnreadTime, unconnected, unreadRequest } from '../../../support/unread-response';
import { until } from '../../../support/until';

export function connections(): void {
  const FILE = '/grid-modelling/stage3/development-projects/P1/EQ.xml?publicationYear=2026&period=01';

  /**
   * Returns the members of a response that are typical of Interface B: its metadata and the headers about its
   * successor.
   */
  function formOf(response: string) {
    const [head = '', body = ''] = response.split('\r\n\r\n');
    const header = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'm').exec(head)?.[1];
    return {
      status: Number(head.split(' ')[1]),
      successor: ['deprecation', 'sunset', 'link'].map(header),
      metadata: Object.keys((JSON.parse(body) as { response: object }).response),
    };
  }

  const FORM_OF_B = {
    successor: [
      '@1795132800',
      'Sat, 20 Nov 2027 00:00:00 GMT',
      '<https://register.example/v1>; rel="successor-version"',
    ],
    metadata: ['resource', 'response-time-stamp', 'transaction-id'],
  };

  describe('connections to the adapter', () => {
    let test: TestAdapter;
    beforeAll(async () => {
      test = await startTestAdapter({ trustProxy: 1 });
      test.graph.roots = { accessRecord: () => accessRecord } as never;
    });
    afterAll(() => test.adapter.close());

    /**
     * Sends bytes unchanged and returns everything received until the server closes. `onRequest` runs when the server
     * has read the request headers; it receives both sockets.
     */
    function exchange(bytes: string, onRequest?: (ofServer: Socket, ofClient: Socket) => unknown): Promise<string> {
      return new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        if (onRequest) test.adapter.app.server.once('request', ({ socket: ofServer }) => onRequest(ofServer, socket));
        const socket = connect((test.adapter.app.server.address() as AddressInfo).port, '127.0.0.1', () =>
          socket.write(bytes),
        );
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
        socket.on('error', reject);
      });
    }

    it.each([
      ['bytes that are not HTTP', 'nonsense\r\n\r\n', 400, '/'],
      ['a header instead of a request line', 'cookie: secret\r\n\r\n', 400, '/'],
      [
        'a head that is too large',
        `GET /v1/records?limit=1 HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
        431,
        '/v1/records',
      ],
      [
        'a path value that cannot be decoded',
        'GET /v1/access-records/%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
        404,
        '/v1/access-records/%zz',
      ],
      [
        'a chunked body over 256 KiB',
        `POST /v1/access-records HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${(300_000).toString(16)}\r\n${' '.repeat(300_000)}\r\n0\r\n\r\n`,
        413,
        '/v1/access-records',
      ],
      [
        'a method that HTTP defines and the register does not support',
        'PROPFIND /v1/records HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
        405,
        '/v1/records',
      ],
    ])('responds to %s in the envelope', async (_, bytes, status, resource) => {
      const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      const { response, errors } = JSON.parse(body) as { response: Record<string, string>; errors: unknown[] };
      expect(head).toContain(`transaction-id: ${String(response['transaction-id'])}`);
      expect([response['resource'], errors.length]).toEqual([resource, 1]);
      expect(test.lines).toContainEqual(
        expect.objectContaining({ 'transaction-id': response['transaction-id'], status }),
      );
    });

    const OVERSIZED =
      'POST /v1/access-records HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\n';

    it.each(['content-length', 'transfer-encoding'])(
      'returns 413 to a client that sends its whole body before it reads, with %s',
      async (header) => {
        const body = ' '.repeat(4 * 1024 * 1024);
        const bytes =
          header === 'content-length'
            ? `${OVERSIZED}content-length: ${body.length}\r\n\r\n${body}`
            : `${OVERSIZED}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
        const response = await new Promise<string>((resolve, reject) => {
          const chunks: Buffer[] = [];
          const socket = connect((test.adapter.app.server.address() as AddressInfo).port, '127.0.0.1');
          socket.on('error', reject);
          socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
          socket.write(bytes, () => socket.on('data', (chunk) => chunks.push(chunk)));
        });
        expect(response).toMatch(/^HTTP\/1\.1 413 [^]*LIM001/);
      },
    );

    it.each([
      ['does not arrive', ''],
      ['has more than 8 MiB', ' '.repeat(9 * 1024 * 1024)],
    ])('closes the connection of a client whose body beyond the limit %s', async (_, part) => {
      const bytes = `${OVERSIZED}content-length: ${1024 ** 3}\r\n\r\n${part}`;
      const closed = new Promise<void>((resolve) => {
        const socket = connect((test.adapter.app.server.address() as AddressInfo).port, '127.0.0.1');
        socket.on('error', () => undefined); // a reset also ends the connection
        socket.on('close', () => resolve());
        socket.resume();
        socket.write(bytes);
      });
      await expect(closed).resolves.toBeUndefined();
    });

    it.each([
      [
        'a method that HTTP does not define',
        `FOO ${FILE} HTTP/1.1\r\nhost: a\r\n\r\n`,
        ...[400, 'The request cannot be parsed.'],
      ],
      [
        'a head that is too large',
        `GET ${FILE} HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
        ...[431, 'The headers of the request are larger than 16 KiB.'],
      ],
    ] as [string, string, number, string][])(
      'responds to %s in the error form of Interface C on its paths',
      async (_, bytes, code, message) => {
        const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n');
        expect(head).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
        expect(JSON.parse(body)).toEqual({ code, message });
      },
    );

    it.each([
      ['a method that HTTP does not define', 'FOO /show-consents/1 HTTP/1.1\r\nhost: a\r\n\r\n', 400],
      ['a head that is too large', `GET /login HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
      ['an encoded path', 'GET /%72egister-consent HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 405],
      ['a path that cannot be decoded', 'GET /show-consents/%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 404],
    ])(
      'responds to %s in the error form of Interface B on its paths, with the deprecation headers',
      async (_, bytes, status) => {
        expect(formOf(await exchange(bytes))).toEqual({ status, ...FORM_OF_B });
      },
    );

    it.each(['content-length: 2097152', 'transfer-encoding: chunked'])(
      'rejects an invalid credential on Interface D before the body arrives: %s',
      async (size) => {
        const head = ['POST /v1/consent HTTP/1.1', 'host: a', 'content-type: application/json', 'connection: close'];
        const withoutBody = [...head, 'authorization: Bearer nonsense', size, '', ''].join('\r\n');
        expect(await exchange(withoutBody)).toMatch(/^HTTP\/1\.1 401 [^]*"code":"unauthorized"/);
      },
    );

    it.each([
      ['small', (body: string) => `content-length: ${body.length}\r\n\r\n${body}`],
      [
        'chunked',
        (body: string) => `transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ],
    ])('counts a %s request on Interface D once, whether its body is valid or not', async (_, framed) => {
      const head = ['host: a', 'content-type: application/json', 'connection: close', 'authorization: Bearer good', ''];
      for (const body of ['{"webhook_url":"https://rti.example/hook"}', '{']) {
        test.graph.counts = 0;
        await exchange(['POST /v1/webhook HTTP/1.1', ...head].join('\r\n') + framed(body));
        expect(test.graph.counts).toBe(1);
      }
    });

    const STARTED = (path: string) =>
      `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;

    const LATE = 'The request did not arrive within 30 seconds.';
    const LARGE = 'The headers of the request are larger than 16 KiB.';

    it.each([
      ['A', '/v1/access-records', ['VAL003', 'VAL003']],
      ['B', '/register-consent', ['VAL003', 'VAL003']],
      ['D', '/v1/consent', ['request_timeout', 'headers_too_large']],
    ])(
      'states in the form of Interface %s that a request is late, or its headers are too large',
      async (_, path, codes) => {
        const errorsIn = (response: string) => {
          const [head = '', body = ''] = response.split('\r\n\r\n');
          const { errors, code, message } = JSON.parse(body) as Record<string, unknown>;
          const [error] = (errors ?? []) as { 'error-code': string; message: string }[];
          return [/^HTTP\/1.1 (\d+)/.exec(head)?.[1], code ?? error?.['error-code'], message ?? error?.message];
        };
        const late = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
        const slow = await exchange(STARTED(path), (socket) =>
          test.adapter.app.server.emit('clientError', late, socket),
        );
        const large = await exchange(`GET ${path} HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`);
        expect([errorsIn(slow), errorsIn(large)]).toEqual([
          ['408', codes[0], LATE],
          ['431', codes[1], LARGE],
        ]);
      },
    );

    it('responds to a body that never ends, and to a malformed one, in the error form of Interface B on its paths', async () => {
      const late = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      const slow = await exchange(STARTED('/register-consent'), (socket) =>
        test.adapter.app.server.emit('clientError', late, socket),
      );
      expect(formOf(slow)).toEqual({ status: 408, ...FORM_OF_B });
      const broken = await exchange(STARTED('/register-consent'), (_, client) => client.write('no chunk\r\n'));
      expect(formOf(broken)).toEqual({ status: 400, ...FORM_OF_B });
      const ofA = await exchange(STARTED('/v1/access-records'), (_, client) => client.write('no chunk\r\n'));
      expect(ofA).toMatch(/^HTTP\/1.1 400 /);
      expect(ofA).not.toContain('deprecation');
    });

    describe('whose client does not read a response', () => {
      const large = {
        ...accessRecord,
        processing: { ...accessRecord.processing, purpose: MUCH },
      };
      beforeEach(() => void (test.graph.roots = { accessRecord: () => large } as never));
      afterEach(() => void (test.graph.roots = { accessRecord: () => accessRecord } as never));

      it('are closed within a minute', async () => {
        const { server } = test.adapter.app;
        const { timeout } = server;
        shortenUnreadTime(server);
        const client = unreadRequest(server, `GET /v1/access-records/${AK}`);
        await once(server, 'request');
        await unconnected(server);
        client.destroy();
        server.timeout = timeout;
      });

      it('are closed when a further request of the client is late', async () => {
        const { server } = test.adapter.app;
        const client = unreadRequest(server, `GET /v1/access-records/${AK}`);
        const [{ socket }] = (await once(server, 'request')) as [IncomingMessage];
        await until(() => socket.writableLength > 0 || undefined);
        client.write('GET /v1/');
        server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
        expect(socket.destroyed).toBe(true);
        client.destroy();
      });
    });

    it('responds to malformed bytes after a request of Interface B in the error form of Interface A', async () => {
      const valid = 'GET /register-consent HTTP/1.1\r\nhost: a\r\n\r\n';
      const both = await exchange(valid, (_, client) => client.once('data', () => client.write('nonsense\r\n\r\n')));
      const [, second = ''] = both.split(/(?=HTTP\/1.1 400)/);
      expect(second).toMatch(/^HTTP\/1.1 400 /);
      expect(second).not.toContain('deprecation');
    });

    it('returns the path of a request in absolute form as its resource', async () => {
      const response = await exchange(
        `GET http://a/v1/access-records/${AK}?x=1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
      );
      expect(response).toContain(`"resource":"/v1/access-records/${AK}"`);
    });

    it('uses the client address from the trusted proxy, or that of the socket if it is invalid', async () => {
      const forwarded = (address: string) =>
        `GET /v1/access-records/${AK} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-forwarded-for: 9.9.9.9, ${address}\r\n\r\n`;
      await exchange(forwarded('203.0.113.7'));
      await exchange(forwarded('no address'));
      expect(test.graph.calls.slice(-2).map(({ metadata }) => metadata.clientAddress)).toEqual([
        '203.0.113.7',
        '127.0.0.1',
      ]);
    });
  });

  describe('the graph in another process', () => {
    const metadata = {
      authorization: 'Bearer good',
      supplierKey: undefined,
      transactionId: 'tid_5d3f9a1c7be2048643d1e0fa',
      clientAddress: '203.0.113.7',
    };
    let services: LinkedServices;
    let calls: unknown[][];
    beforeEach(() => {
      services = new LinkedServices();
      calls = [];
    });
    afterEach(() => services.close());

    /** A client of a gateway in another process that returns the same result, or admission, to every request. */
    async function clientOf(
      result: GraphResult,
      admission?: GraphFailure,
      from: ServiceName = 'rest-adapter',
    ): Promise<GraphClient> {
      const graph: GraphClient = {
        run: async (...call) => (calls.push(call), result),
        admit: async (...call) => (calls.push(call), admission),
      };
      const { url } = await services.serve('gateway', clientCalls(graph));
      return remoteGraphClient(services.link(from, 'gateway', url));
    }

    it("receives a trusted document's name, and the credentials, transaction id and address of the client", async () => {
      const client = await clientOf({ data: { accessRecord: null }, failures: [] });
      expect(await client.run('VerifyAccessRecord', { ak: AK }, metadata)).toEqual({
        data: { accessRecord: null },
        failures: [],
      });
      expect(calls).toEqual([['VerifyAccessRecord', { ak: AK }, metadata]]);
    });

    it('receives whether the request was counted, from the REST adapter only', async () => {
      const counted = { ...metadata, isCounted: true };
      for (const from of ['portal', 'console'] as const) {
        const client = await clientOf({ failures: [] }, undefined, from);
        expect((await client.run('X', {}, counted)).failures).toEqual([{ code: 'SYS002', message: '' }]);
        expect((await client.run('X', {}, metadata)).failures).toEqual([]);
      }
      expect(services.lines.filter((line) => line.includes('link breached'))).toHaveLength(2);
      await (await clientOf({ failures: [] })).run('X', {}, counted);
      expect(calls).toEqual([
        ['X', {}, metadata],
        ['X', {}, metadata],
        ['X', {}, counted],
      ]);
    });

    it('returns failures with violations and the time to wait', async () => {
      const violations = [{ code: 'VAL006', path: ['recordMetadata'], message: 'm' }] as const;
      const failures: GraphFailure[] = [
        { code: 'VAL006', message: 'a', violations },
        { code: 'LIM002', message: 'b', retryAfter: 9 },
      ];
      const client = await clientOf({ data: null, failures });
      expect(await client.run('X', {}, metadata)).toEqual({ data: null, failures });
    });

    it('returns whether a caller is admitted', async () => {
      expect(await (await clientOf({ failures: [] })).admit('X', metadata)).toBeUndefined();
      const failure = { code: 'AUT001', message: 'm' } as const;
      expect(await (await clientOf({ failures: [] }, failure)).admit('X', metadata)).toEqual(failure);
      expect(calls).toEqual([
        ['X', metadata],
        ['X', metadata],
      ]);
    });

    it('is unavailable if it fails or the port is closed', async () => {
      const failing = await services.serve('gateway', () => Promise.reject(new Error('broken')));
      for (const url of [failing.url, 'https://127.0.0.1:9']) {
        const client = remoteGraphClient(services.link('rest-adapter', 'gateway', url));
        expect(await client.run('X', {}, metadata)).toEqual({ failures: [{ code: 'SYS002', message: '' }] });
        expect(await client.admit('X', metadata)).toEqual({ code: 'SYS002', message: '' });
      }
    });
  });
}
