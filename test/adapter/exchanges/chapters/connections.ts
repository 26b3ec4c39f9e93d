import { createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { remoteGraphClient } from '../../../../gateway/client/remote-graph-client';
import { serviceTokens } from '../../../../subgraphs/server/service-token';
import { AK, type TestAdapter, accessRecord, startTestAdapter } from '../../../support/rest-graph';

export function connections(): void {
  const FILE = '/grid-modelling/stage3/development-projects/P1/EQ.xml?publicationYear=2026&period=01';

  /** What an answer has of the form of Interface B: the members of its metadata, and what tells of the successor. */
  function formOf(answer: string) {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
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
     * Sends bytes as they are and gives back all that comes until the other side ends; with something to be done once the head of the
     * request has been read, to both ends of the connection.
     */
    function exchange(bytes: string, once?: (ofServer: Socket, ofClient: Socket) => unknown): Promise<string> {
      return new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        if (once) test.adapter.app.server.once('request', ({ socket: ofServer }) => once(ofServer, socket));
        const socket = connect((test.adapter.app.server.address() as AddressInfo).port, '127.0.0.1', () =>
          socket.write(bytes),
        );
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
        socket.on('error', reject);
      });
    }

    it.each([
      ['what is not HTTP', 'nonsense\r\n\r\n', 400, '/'],
      ['a header where a request begins', 'cookie: secret\r\n\r\n', 400, '/'],
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
        'a method that HTTP knows and the register does not',
        'PROPFIND /v1/records HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
        405,
        '/v1/records',
      ],
    ])('answers %s in the envelope', async (_, bytes, status, resource) => {
      const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      const { response, errors } = JSON.parse(body) as { response: Record<string, string>; errors: unknown[] };
      expect(head).toContain(`transaction-id: ${String(response['transaction-id'])}`);
      expect([response['resource'], errors.length]).toEqual([resource, 1]);
    });

    it.each([
      ['a method that HTTP does not know', `FOO ${FILE} HTTP/1.1\r\nhost: a\r\n\r\n`, 400],
      ['a head that is too large', `GET ${FILE} HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ])('answers %s in the form of Interface C at its addresses', async (_, bytes, status) => {
      const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(JSON.parse(body)).toEqual({ code: status, message: expect.stringMatching(/^The request is not one/) });
    });

    it.each([
      ['a method that HTTP does not know', 'FOO /show-consents/1 HTTP/1.1\r\nhost: a\r\n\r\n', 400],
      ['a head that is too large', `GET /login HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
      ['an encoded path', 'GET /%72egister-consent HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 405],
      ['a path that cannot be decoded', 'GET /show-consents/%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 404],
    ])(
      'answers %s in the form of Interface B at its addresses, and that it has a successor',
      async (_, bytes, status) => {
        expect(formOf(await exchange(bytes))).toEqual({ status, ...FORM_OF_B });
      },
    );

    const BEGUN = (path: string) =>
      `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;

    it('answers a body that never ends, and one that breaks, in the form of Interface B at its addresses', async () => {
      const late = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      const slow = await exchange(BEGUN('/register-consent'), (socket) =>
        test.adapter.app.server.emit('clientError', late, socket),
      );
      expect(formOf(slow)).toEqual({ status: 408, ...FORM_OF_B });
      const broken = await exchange(BEGUN('/register-consent'), (_, client) => client.write('no chunk\r\n'));
      expect(formOf(broken)).toEqual({ status: 400, ...FORM_OF_B });
      const ofA = await exchange(BEGUN('/v1/access-records'), (_, client) => client.write('no chunk\r\n'));
      expect(ofA).toMatch(/^HTTP\/1.1 400 /);
      expect(ofA).not.toContain('deprecation');
    });

    it('answers what is broken after a request of Interface B, which was answered, in the form of Interface A', async () => {
      const answered = 'GET /register-consent HTTP/1.1\r\nhost: a\r\n\r\n';
      const both = await exchange(answered, (_, client) => client.once('data', () => client.write('nonsense\r\n\r\n')));
      const [, second = ''] = both.split(/(?=HTTP\/1.1 400)/);
      expect(second).toMatch(/^HTTP\/1.1 400 /);
      expect(second).not.toContain('deprecation');
    });

    it('names the path of a request in absolute form as its resource', async () => {
      const answer = await exchange(
        `GET http://a/v1/access-records/${AK}?x=1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
      );
      expect(answer).toContain(`"resource":"/v1/access-records/${AK}"`);
    });

    it("takes the client address that the trusted proxy saw, and the socket's when that is none", async () => {
      const forwarded = (address: string) =>
        `GET /v1/access-records/${AK} HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-forwarded-for: 9.9.9.9, ${address}\r\n\r\n`;
      await exchange(forwarded('203.0.113.7'));
      await exchange(forwarded('no address'));
      expect(test.graph.calls.slice(-2).map(({ facts }) => facts.clientAddress)).toEqual(['203.0.113.7', '127.0.0.1']);
    });
  });

  describe('the graph in another process', () => {
    const tokens = serviceTokens('rest-adapter', Buffer.alloc(32, 1));
    const facts = {
      authorization: 'Bearer good',
      transactionId: 'tid_5d3f9a1c7be2048643d1e0fa',
      clientAddress: '203.0.113.7',
    };

    /** A gateway that answers every question with one text; what it was asked is kept. */
    async function gateway(answer: string) {
      const asked: { body: unknown; headers: NodeJS.Dict<string | string[]> }[] = [];
      const server = createServer((request, response) => {
        let text = '';
        request.on('data', (chunk) => (text += String(chunk)));
        request.on('end', () => {
          asked.push({ body: JSON.parse(text) as unknown, headers: request.headers });
          response.end(answer);
        });
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const client = remoteGraphClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, tokens);
      return { client, asked, close: () => (client.close(), server.close()) };
    }

    it('is asked for a trusted document, with the bearer token and a service token that holds no credentials', async () => {
      const { client, asked, close } = await gateway('{"data":{"accessRecord":null}}');
      expect(await client.run('VerifyAccessRecord', { ak: AK }, facts)).toEqual({
        data: { accessRecord: null },
        failures: [],
      });
      close();
      expect(asked[0]?.body).toEqual({ documentId: 'VerifyAccessRecord', variables: { ak: AK } });
      expect(asked[0]?.headers['authorization']).toBe('Bearer good');
      const proof = String(asked[0]?.headers['x-register-service']);
      expect(await tokens.verify(proof, 'gateway')).toMatchObject({
        from: 'rest-adapter',
        transactionId: facts.transactionId,
        clientAddress: facts.clientAddress,
      });
      expect(Buffer.from(proof.split('.')[1] ?? '', 'base64url').toString()).not.toContain('good');
    });

    it('tells failures by their codes, with violations and the time to wait', async () => {
      const violations = [{ code: 'VAL006', path: ['recordMetadata'], message: 'm' }];
      const errors = [
        { message: 'a', extensions: { code: 'VAL006', violations } },
        { message: 'b', extensions: { code: 'LIM002', retryAfter: 9 } },
        { message: 'c', extensions: { code: 'OTHER' } },
      ];
      const { client, close } = await gateway(JSON.stringify({ errors }));
      expect((await client.run('X', {}, facts)).failures).toEqual([
        { code: 'VAL006', message: 'a', violations },
        { code: 'LIM002', message: 'b', retryAfter: 9 },
        { code: 'SYS001', message: 'c' },
      ]);
      close();
    });

    it('is unavailable when it does not accept the adapter: that is never a 401 of the client, whose own 401 stays one', async () => {
      const errors = [{ message: 'a', extensions: { code: 'AUT001' } }];
      const answers = [{ transactionId: 'tid_000000000000000000000000' }, { transactionId: facts.transactionId }];
      const codes: unknown[] = [];
      for (const extensions of answers) {
        const { client, close } = await gateway(JSON.stringify({ errors, extensions }));
        codes.push((await client.run('X', {}, facts)).failures[0]?.code, (await client.admit('X', facts))?.code);
        close();
      }
      expect(codes).toEqual(['SYS002', 'SYS002', 'AUT001', 'AUT001']);
    });

    it('says whether a caller would be let in', async () => {
      const open = await gateway('{"data":{"admitted":true}}');
      expect(await open.client.admit('X', facts)).toBeUndefined();
      expect(open.asked[0]?.body).toEqual({ documentId: 'X', admitOnly: true });
      open.close();
      const { transactionId } = facts;
      const errors = [{ message: 'm', extensions: { code: 'AUT001' } }];
      const shut = await gateway(JSON.stringify({ errors, extensions: { transactionId } }));
      expect((await shut.client.admit('X', facts))?.code).toBe('AUT001');
      shut.close();
    });

    it.each(['', 'not json', '[]', '{}'])('counts as away when it answers "%s"', async (answer) => {
      const { client, close } = await gateway(answer);
      expect((await client.run('X', {}, facts)).failures).toEqual([{ code: 'SYS002', message: '' }]);
      close();
    });

    it('counts as away when nobody listens', async () => {
      const { client, close } = await gateway('');
      close();
      expect((await client.run('X', {}, facts)).failures[0]?.code).toBe('SYS002');
    });
  });
}
