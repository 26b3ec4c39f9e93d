import { CLIENT_SDL, KEYS, startTestGateway, twoSubgraphs, unreachable } from '../../../support/two-subgraphs';
import type { RunningGateway } from '../../../../gateway/gateway';
import pino from 'pino';
import { RegisterError } from '../../../../schema/register-error';
import { ForeignToken } from '../../../../subgraphs/server/callers/bearer-token';
import type { SubgraphLink } from '../../../../subgraphs/server/graph/subgraph-link';

export function gatewayRequests(): void {
  const DOCUMENTS = {
    Verify: 'query Verify($key: AccessKey!) { accessRecord(key: $key) { state processing { purpose } } }',
    ReadDataUser: 'query ReadDataUser($duid: DUID!) { dataUser(duid: $duid) { displayName } }',
    Register: 'mutation Register($input: RecordInput!) { registerAccessRecord(input: $input) { controllerCount } }',
    Read: 'query Read($key: AccessKey!) { accessRecord(key: $key) { state identityRecord { hasEmail address { postcode } } } }',
  };
  const DUID = `duid_${'a'.repeat(24)}`;
  /** The use of a variable, and the operation that does not declare it. */
  const UNDECLARED = [
    { line: 2, column: 21 },
    { line: 1, column: 1 },
  ];
  const TRANSACTION_ID = /^tid_[0-9a-f]{24}$/;

  type Body = Record<string, unknown>;
  interface GraphResult {
    readonly status: number;
    readonly headers: Headers;
    readonly body: {
      data?: Record<string, unknown> | null;
      errors?: { message: string; locations?: unknown; path?: unknown; extensions: Body }[];
      extensions?: Body;
    };
  }

  interface Introspected {
    readonly __schema: { readonly queryType: { readonly fields: readonly { readonly name: string }[] } };
  }

  async function post(
    gateway: RunningGateway,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<GraphResult> {
    const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      body: sent,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as GraphResult['body'] };
  }

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const codes = ({ body }: GraphResult) => body.errors?.map((error) => error.extensions['code']);

  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  beforeAll(async () => {
    gateway = await startTestGateway(DOCUMENTS);
  });
  afterAll(() => gateway.close());

  describe.each([
    ['a trusted document', (name: keyof typeof DOCUMENTS, variables: Body) => ({ documentId: name, variables })],
    [
      'the same operation as text',
      (name: keyof typeof DOCUMENTS, variables: Body) => ({ query: DOCUMENTS[name], variables }),
    ],
  ])('%s', (_, request) => {
    it('verifies a record without a token', async () => {
      const response = await post(gateway, request('Verify', { key: KEYS.own }));
      expect(response.status).toBe(200);
      expect(response.body.data).toEqual({
        accessRecord: { state: 'ACTIVE', processing: { purpose: 'purpose of own' } },
      });
      expect(response.body.errors).toBeUndefined();
    });

    it('returns one transaction id in header and body', async () => {
      const { headers, body } = await post(gateway, request('Verify', { key: KEYS.own }));
      expect(headers.get('transaction-id')).toMatch(TRANSACTION_ID);
      expect(body.extensions).toEqual({ transactionId: headers.get('transaction-id') });
    });

    it.each(['no-such-token', 'data_user:suspended', 'data_user:expired'])(
      'ignores the invalid token %s if the operation requires none',
      async (token) => {
        const response = await post(gateway, request('Verify', { key: KEYS.own }), bearer(token));
        expect([response.status, response.body.errors]).toEqual([200, undefined]);
      },
    );

    it.each([
      ['no token', undefined, 401, 'AUT001', 'Bearer'],
      ['a malformed token', 'nonsense', 401, 'AUT001', 'Bearer error="invalid_token"'],
      ['the token of a suspended account', 'data_user:suspended', 401, 'AUT001', 'Bearer error="invalid_token"'],
      ['an expired token', 'data_user:expired', 401, 'AUT002', 'Bearer error="invalid_token"'],
    ])('responds with 401 to %s if the operation requires a role', async (__, token, status, code, challenge) => {
      const response = await post(
        gateway,
        request('ReadDataUser', { duid: DUID }),
        token === undefined ? {} : bearer(token),
      );
      expect([response.status, codes(response), response.headers.get('www-authenticate')]).toEqual([
        status,
        [code],
        challenge,
      ]);
      expect(response.body.data ?? null).toBeNull();
    });

    it('responds with 429 and the seconds to wait to an account beyond its rate limit', async () => {
      const response = await post(gateway, request('ReadDataUser', { duid: DUID }), bearer('data_user:limited'));
      expect([response.status, codes(response), response.headers.get('retry-after')]).toEqual([429, ['LIM002'], '7']);
      expect(response.headers.get('ratelimit')).toBe('"requests";r=0;t=7');
      expect(response.body.errors?.[0]?.extensions['retryAfter']).toBe(7);
    });

    it('rejects a role that may not call the operation', async () => {
      const response = await post(gateway, request('ReadDataUser', { duid: DUID }), bearer('portal'));
      expect(codes(response)).toEqual(['PRM001']);
    });

    it('reports all invalid variables, by path and without their values', async () => {
      const input = { purpose: 5, controllers: [{ name: 'c', since: 'yesterday' }, { nome: 'x' }], colour: 'red' };
      const response = await post(gateway, request('Register', { input }), bearer('data_user'));
      expect([response.status, response.body.data ?? null]).toEqual([400, null]);
      expect(response.body.errors).toHaveLength(1);
      expect(response.body.errors?.[0]?.extensions['violations']).toEqual([
        { code: 'VAL003', path: ['purpose'], message: 'The value is not of type String' },
        {
          code: 'VAL001',
          path: ['controllers', 0, 'since'],
          message: 'DateTime is not an RFC 3339 date-time such as 2026-01-31T09:30:00Z',
        },
        { code: 'VAL002', path: ['controllers', 1, 'name'], message: 'is required' },
        { code: 'VAL003', path: ['controllers', 1, 'nome'], message: 'is not a known field' },
        { code: 'VAL003', path: ['colour'], message: 'is not a known field' },
      ]);
      expect(JSON.stringify(response.body)).not.toContain('yesterday');
    });

    it('returns the violations of the domain', async () => {
      const response = await post(
        gateway,
        request('Register', { input: { purpose: 'refused', controllers: [] } }),
        bearer('data_user'),
      );
      expect(response.body.errors?.[0]?.extensions).toEqual({
        code: 'VAL007',
        violations: [{ code: 'VAL007', path: ['purpose'], message: 'is refused' }],
      });
    });

    it('returns partial data when one subgraph rejects the caller', async () => {
      const response = await post(gateway, request('Read', { key: KEYS.foreign }), bearer('data_user'));
      expect([response.status, response.body.data]).toEqual([
        200,
        { accessRecord: { state: 'ACTIVE', identityRecord: null } },
      ]);
      expect(response.body.errors).toEqual([
        {
          message: 'The account is not the owner.',
          path: ['accessRecord', 'identityRecord'],
          extensions: { code: 'PRM002' },
        },
      ]);
    });

    it('hides the details of an internal error', async () => {
      const response = await post(gateway, request('Read', { key: KEYS.broken }), bearer('data_user'));
      expect(response.body.errors).toEqual([
        { message: 'Internal error.', path: ['accessRecord', 'identityRecord'], extensions: { code: 'SYS001' } },
      ]);
    });
  });

  describe('A request', () => {
    it('must have arrived within half a minute', () => {
      expect(gateway.app.server.requestTimeout).toBe(30_000);
    });
  });

  describe('a request', () => {
    it('for an unknown trusted document is rejected', async () => {
      expect(codes(await post(gateway, { documentId: 'Nothing' }))).toEqual(['VAL003']);
    });

    it('may only check whether the caller is admitted', async () => {
      const send = (token?: string) =>
        post(gateway, { documentId: 'ReadDataUser', admitOnly: true }, token === undefined ? {} : bearer(token));
      expect((await send('admin')).body.data).toEqual({ admitted: true });
      expect(codes(await send())).toEqual(['AUT001']);
      expect(codes(await send('portal'))).toEqual(['PRM001']);
    });

    it.each([
      ['several operations', [{ documentId: 'Verify' }], 400, 'VAL003'],
      ['no operation', {}, 400, 'VAL003'],
      ['variables that are not an object', { documentId: 'Verify', variables: [] }, 400, 'VAL003'],
      ['a body that is not JSON', '{', 400, 'VAL010'],
      ['more than 256 KiB', `"${'x'.repeat(262_144)}"`, 413, 'LIM001'],
      ['a query that is not GraphQL', { query: 'query { secretWord(' }, 400, 'VAL010'],
      ['a field that does not exist', { query: '{ nothing }' }, 400, 'VAL003'],
      [
        'an operation name that is not in the document',
        { query: 'query A { __typename }', operationName: 'B' },
        400,
        'VAL003',
      ],
      [
        'a literal that does not match its pattern',
        { query: '{ accessRecord(key: "secretWord") { state } }' },
        400,
        'VAL001',
      ],
    ])('with %s is rejected', async (_, body, status, code) => {
      const response = await post(gateway, body);
      expect([response.status, codes(response)]).toEqual([status, [code]]);
      expect(response.headers.get('transaction-id')).toMatch(TRANSACTION_ID);
      expect(JSON.stringify(response.body)).not.toMatch(/secretWord|stacktrace|node_modules/);
    });

    it.each([
      ['a syntax error', 'query {\n  secretWord(', [{ line: 2, column: 14 }]],
      ['fields that do not exist', '{ nothing\n  other }', [{ line: 1, column: 3 }], [{ line: 2, column: 3 }]],
      [
        'a literal that does not match its pattern',
        '{ accessRecord(key: "secretWord") { state } }',
        [{ line: 1, column: 21 }],
      ],
      ['a variable that is not declared', '{\n  accessRecord(key: $key) { state } }', UNDECLARED],
    ])('with %s is rejected with the locations of the errors', async (_, query, ...locations) => {
      const { body } = await post(gateway, { query });
      expect(body.errors?.map((error) => error.locations)).toEqual(locations);
    });

    it('whose execution fails has no locations, which would be those of another document', async () => {
      const query = `{ accessRecord(key: "${KEYS.broken}") { identityRecord { hasEmail } } }`;
      const { body } = await post(gateway, { query }, bearer('data_user'));
      expect(body.errors).toEqual([expect.not.objectContaining({ locations: expect.anything() })]);
    });

    it('with credentials may have 2 MiB, as a year of prices needs, and no more', async () => {
      const sent = (bytes: number) =>
        post(gateway, { query: '{ __typename }', variables: { x: 'x'.repeat(bytes) } }, bearer('admin'));
      expect((await sent(2_000_000)).status).toBe(200);
      expect(codes(await sent(2_097_152))).toEqual(['LIM001']);
    });

    it.each([
      ['with credentials', 2_097_152, bearer('admin'), 'The body is larger than 2 MiB.'],
      ['without credentials', 262_144, {}, 'The body is larger than 256 KiB.'],
      ['without credentials, above both limits', 2_097_152, {}, 'The body is larger than 256 KiB.'],
    ])('that is too large is rejected with the limit that applies: %s', async (_, bytes, headers, message) => {
      const { status, body } = await post(gateway, `"${'x'.repeat(bytes)}"`, headers);
      expect([status, body.errors?.map((error) => error.message)]).toEqual([413, [message]]);
    });

    it('that is not JSON by its media type is rejected', async () => {
      const { status, body } = await post(gateway, '{"query":"{ __typename }"}', { 'content-type': 'text/plain' });
      expect([status, body.errors?.[0]?.message]).toEqual([
        415,
        'The media type of the body is not supported: send Content-Type: application/json.',
      ]);
    });

    it.each([
      ['charset', { 'content-type': 'application/json; charset=iso-8859-1' }, 'media type of the body is not supp'],
      ['content coding', { 'content-encoding': 'gzip' }, 'without Content-Encoding'],
    ])('with another %s is rejected', async (_, headers: Record<string, string>, message) => {
      const { status, body } = await post(gateway, '{"query":"{ __typename }"}', headers);
      expect([status, body.errors?.[0]]).toEqual([
        415,
        { message: expect.stringContaining(message), extensions: { code: 'VAL011' } },
      ]);
    });

    it('is accepted with a parameter of the media type that has no meaning', async () => {
      const type = { 'content-type': 'application/json; version=1' };
      expect((await post(gateway, '{"query":"{ __typename }"}', type)).status).toBe(200);
    });

    it('is accepted with the charset UTF-8, and rejected with bytes that are not UTF-8', async () => {
      const text = '{"query":"{ __typename }","variables":{"name":"Café"}}';
      const utf8 = await post(gateway, text, { 'content-type': 'application/json; charset=utf-8' });
      expect([utf8.status, codes(utf8)]).toEqual([200, undefined]);
      const latin1 = await post(gateway, Buffer.from(text, 'latin1'));
      expect([latin1.status, codes(latin1)]).toEqual([400, ['VAL010']]);
    });

    it('without a body is rejected with a message that names the missing body', async () => {
      const { status, body } = await post(gateway, '');
      expect([status, body.errors?.[0]?.message]).toEqual([400, 'The body is missing: send a JSON object.']);
    });

    it('with a path that cannot be decoded is handled like one with an unknown path', async () => {
      const response = await fetch(`${gateway.url}/%zz`);
      const { errors } = (await response.json()) as GraphResult['body'];
      expect([response.status, errors?.[0]?.extensions['code']]).toEqual([404, 'NTF001']);
    });

    it('with the hash of a query instead of a query receives the error that makes Apollo Client send the query', async () => {
      const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
      const hashed = { operationName: 'A', variables: {}, extensions };
      for (const accept of ['application/graphql-response+json,application/json;q=0.9', 'application/json', '*/*']) {
        const { status, headers, body } = await post(gateway, hashed, { accept });
        expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
        expect(body).toEqual({
          errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
          extensions: { transactionId: headers.get('transaction-id') },
        });
      }
      const repeated = await post(gateway, { ...hashed, query: 'query A { __typename }' });
      expect(repeated.body.data).toEqual({ __typename: 'Query' });
    });

    it('by GET is rejected, except for the pages for developers', async () => {
      const response = await fetch(`${gateway.url}/graphql?query={__typename}`);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    });
  });

  describe('limits of operations that are not trusted documents', () => {
    const nested = Array.from({ length: 13 }, (_, level) => `fragment f${level} on Query { ...f${level + 1} }`).join(
      ' ',
    );
    it.each([
      ['levels', `{ ...f0 } ${nested} fragment f13 on Query { __typename }`],
      [
        'aliases',
        `{ ${Array.from({ length: 16 }, (_, index) => `a${index}: accessRecord(key: "${KEYS.own}") { id }`).join(' ')} }`,
      ],
      ['directives', `{ ${'__typename @include(if: true) '.repeat(21)} }`],
      ['tokens', `{ ${'__typename '.repeat(2_001)} }`],
    ])('reject too many %s', async (what, query) => {
      const response = await post(gateway, { query }, bearer('data_user'));
      expect([response.status, codes(response)]).toEqual([400, ['VAL003']]);
      expect(response.body.errors?.[0]?.message).toContain(`too many ${what}`);
    });

    it('are named in a response of the media type that Apollo Client prefers, as other rejections are', async () => {
      const accept = 'application/graphql-response+json,application/json;q=0.9';
      const query = `{ ...f0 } ${nested} fragment f13 on Query { __typename }`;
      for (const [body, message] of [
        [{ query }, 'too many levels'],
        [{ query: '{ __typename }', variables: [] }, 'variables must be an object'],
        [
          { query: '{ __typename }', variables: { deep: JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`) } },
          'more than 64 levels',
        ],
        [
          `{"documentId":"SignInWithPasskey","variables":{"deep":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`,
          'more than 64 levels',
        ],
        [[{ query: '{ __typename }' }], 'batching is not allowed'],
      ] as const) {
        const response = await post(gateway, body, { accept });
        expect([response.status, response.headers.get('content-type')]).toEqual([
          400,
          'application/graphql-response+json; charset=utf-8',
        ]);
        expect(response.body.errors?.[0]?.message).toContain(message);
      }
    });

    it('reject pages that together are too large, also if their size is a variable', async () => {
      const pages = (count: number) =>
        `query Large($n: Int) { ${Array.from(
          { length: count },
          (_, index) => `p${index}: accessRecords(first: $n) {
        nodes { id state processing { purpose dataTypes } dataUser { duid displayName } } }`,
        ).join(' ')} }`;
      const send = (count: number, n: number) =>
        post(gateway, { query: pages(count), variables: { n } }, bearer('data_user'));
      expect(codes(await send(7, 500))).toEqual(undefined);
      expect(codes(await send(15, 500))).toEqual(['VAL003']);
      expect(codes(await send(15, 100))).toEqual(undefined);
    });
  });

  it('a subscription whose event depends on a condition is rejected', async () => {
    const query = 'subscription ($is: Boolean = true) { registerEvents @include(if: $is) { id } }';
    const { status, body } = await post(gateway, { query });
    expect([status, body.errors?.[0]?.message]).toEqual([
      400,
      'The event of a subscription must not depend on a directive.',
    ]);
    expect(body.extensions?.transactionId).toBeDefined();
  });

  describe('introspection', () => {
    const query = '{ __schema { queryType { fields { name } } } }';
    it('is permitted for all authenticated roles outside production', async () => {
      expect(codes(await post(gateway, { query }))).toEqual(['AUT001']);
      const { body } = await post(gateway, { query }, bearer('portal'));
      const names = (body.data as unknown as Introspected).__schema.queryType.fields.map(({ name }) => name);
      expect(names).toContain('accessRecord');
      expect(names).not.toContain('admission');
    });

    it('is not permitted because another field of the operation is', async () => {
      const mixed = '{ __typename ... on Query { __type(name: "Query") { name } } __schema { queryType { name } } }';
      expect(codes(await post(gateway, { query: mixed }))).toEqual(['AUT001']);
    });

    it('is permitted for the back office only in production', async () => {
      const production = await startTestGateway(DOCUMENTS, {
        settings: { port: 0, production: true, trustProxy: false },
      });
      try {
        expect(codes(await post(production, { query }, bearer('data_user')))).toEqual(['PRM001']);
        const mixed = `{ __schema { queryType { name } } accessRecord(key: "${KEYS.own}") { id } }`;
        expect(codes(await post(production, { query: mixed }, bearer('data_user')))).toEqual(['PRM001']);
        expect((await post(production, { query }, bearer('admin'))).body.errors).toBeUndefined();
        expect((await fetch(`${production.url}/explorer`)).status).toBe(404);
        expect((await fetch(`${production.url}/graphql`, { headers: { accept: 'text/html' } })).status).toBe(405);
      } finally {
        await production.close();
      }
    });
  });

  describe('the schema for clients', () => {
    const get = (headers: Record<string, string> = {}, at = gateway) => fetch(`${at.url}/schema.graphql`, { headers });

    it('is readable without a token, also in production', async () => {
      const production = await startTestGateway(DOCUMENTS, {
        settings: { port: 0, production: true, trustProxy: false },
      });
      try {
        for (const at of [gateway, production]) {
          const response = await get({}, at);
          expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
          expect(await response.text()).toBe(CLIENT_SDL);
        }
      } finally {
        await production.close();
      }
    });

    it('is not sent again to a client that has it', async () => {
      const tag = (await get()).headers.get('etag') as string;
      const conditions = [tag, `"other", W/${tag}`, '*', '"other"'];
      const statuses = await Promise.all(conditions.map(async (each) => (await get({ 'if-none-match': each })).status));
      expect(statuses).toEqual([304, 304, 304, 200]);
    });

    it('is named to a caller that may not introspect', async () => {
      const { body } = await post(gateway, { query: '{ __schema { queryType { name } } }' });
      expect(body.errors?.[0]?.message).toBe(
        'Introspection needs a bearer token. The gateway serves the schema for clients at /schema.graphql, without a token.',
      );
    });
  });

  describe('the metadata of a request', () => {
    it('does not include a transaction id that a client sends', async () => {
      const transactionId = `tid_${'7'.repeat(24)}`;
      const request = { documentId: 'Verify', variables: { key: KEYS.own } };
      for (const name of ['transaction-id', 'x-register-service']) {
        const { headers } = await post(gateway, request, { [name]: transactionId });
        expect(headers.get('transaction-id')).not.toBe(transactionId);
      }
    });

    it('is logged in one line without keys, tokens or query text', async () => {
      gateway.lines.length = 0;
      const { headers } = await post(
        gateway,
        { query: `query Look { accessRecord(key: "${KEYS.own}") { state } }` },
        bearer('data_user'),
      );
      await post(gateway, { query: `query ${KEYS.own} { __typename }` });
      expect(gateway.lines).toHaveLength(2);
      expect(JSON.parse(gateway.lines[0] ?? '')).toMatchObject({
        'transaction-id': headers.get('transaction-id'),
        operation: 'Look',
        status: 200,
        outcome: 'ok',
      });
      expect(gateway.lines.join()).not.toMatch(/ak_|data_user|accessRecord/);
    });
  });

  describe('a client in the same process', () => {
    const facts = { transactionId: 'tid_1', clientAddress: '127.0.0.1' };
    it('runs trusted documents and receives failures by code', async () => {
      expect(await gateway.client.run('Verify', { key: KEYS.own }, facts)).toEqual({
        data: { accessRecord: { state: 'ACTIVE', processing: { purpose: 'purpose of own' } } },
        failures: [],
      });
      const { data, failures } = await gateway.client.run('Verify', { key: 'no key' }, facts);
      expect([data, failures.map(({ code }) => code)]).toEqual([undefined, ['VAL001']]);
    });

    it('checks whether the caller is admitted', async () => {
      expect(await gateway.client.admit('ReadDataUser', { ...facts, authorization: 'Bearer admin' })).toBeUndefined();
      expect(await gateway.client.admit('ReadDataUser', facts)).toMatchObject({ code: 'AUT001' });
      expect(
        await gateway.client.admit('ReadDataUser', { ...facts, authorization: 'Bearer data_user:limited' }),
      ).toMatchObject({
        code: 'LIM002',
        retryAfter: 7,
      });
    });
  });

  describe('when a subgraph is unavailable', () => {
    it('a verification ignores a token that only this subgraph could verify; other operations are 503', async () => {
      const { links } = await twoSubgraphs(pino({ level: 'silent' }));
      const unidentifying = (link: SubgraphLink): SubgraphLink => ({
        name: link.name,
        execute: (request, context) =>
          context.service === 'gateway' ? Promise.reject(new RegisterError('SYS002')) : link.execute(request, context),
      });
      const [access, identity] = links as [SubgraphLink, SubgraphLink];
      const supplierToken = `e30.${Buffer.from('{"iss":"https://supplier.example"}').toString('base64url')}.`;
      const half = await startTestGateway(DOCUMENTS, {
        links: [access, unidentifying(identity), unidentifying({ ...identity, name: 'tariffs' })],
        verifier: { verify: () => Promise.reject(new ForeignToken()) },
      });
      try {
        for (const token of [supplierToken, `cst_${'a'.repeat(43)}`]) {
          const verified = await post(half, { documentId: 'Verify', variables: { key: KEYS.own } }, bearer(token));
          expect([verified.status, verified.body.errors]).toEqual([200, undefined]);
          const read = await post(half, { documentId: 'ReadDataUser', variables: { duid: DUID } }, bearer(token));
          expect([read.status, codes(read)]).toEqual([503, ['SYS002']]);
        }
      } finally {
        await half.close();
      }
    });

    it('the response is 503 without any data, and partial otherwise', async () => {
      const { links } = await twoSubgraphs(pino({ level: 'silent' }));
      const half = await startTestGateway(DOCUMENTS, {
        links: [links[0] as never, unreachable('identity')],
        ready: () => Promise.resolve(false),
      });
      try {
        const part = await post(half, { documentId: 'Read', variables: { key: KEYS.own } }, bearer('data_user'));
        expect([part.status, codes(part)]).toEqual([200, ['SYS002']]);
        const none = await post(half, { query: '{ meterPoint(mpxn: "1234567890") { id } }' }, bearer('data_user'));
        expect([none.status, codes(none), none.headers.get('retry-after')]).toEqual([503, ['SYS002'], '1']);
        expect((await fetch(`${half.url}/health`)).status).toBe(503);
        expect((await fetch(`${half.url}/health/live`)).status).toBe(200);
      } finally {
        await half.close();
      }
    });
  });

  describe('the pages for developers', () => {
    it('are Apollo Sandbox and an explorer that works offline, each linked from the other', async () => {
      const page = async (path: string) =>
        (await fetch(gateway.url + path, { headers: { accept: 'text/html' } })).text();
      expect(await page('/graphql')).toContain('href="/explorer"');
      const explorer = await page('/explorer');
      expect(explorer).toContain('href="/graphql"');
      const files = [...explorer.matchAll(/(?:src|href)="(\/explorer\/[^"]+)"/g)].map(([, file]) => String(file));
      expect(files).toHaveLength(7);
      for (const file of files) expect((await fetch(gateway.url + file)).status).toBe(200);
      expect(explorer).not.toMatch(/(src|href)="https?:/);
    });

    it('start with a query of the sample record', async () => {
      const landing = { explorer: true, sampleKey: () => KEYS.own };
      const sandbox = await startTestGateway(DOCUMENTS, { landing });
      try {
        for (const path of ['/graphql', '/explorer/sample.json']) {
          const response = await fetch(sandbox.url + path, { headers: { accept: 'text/html' } });
          expect([path, await response.text()]).toEqual([path, expect.stringContaining(KEYS.own)]);
        }
      } finally {
        await sandbox.close();
      }
    });

    it("accept requests from Apollo Sandbox's origin, and no other", async () => {
      const preflight = async (origin: string) => {
        const response = await fetch(`${gateway.url}/graphql`, { method: 'OPTIONS', headers: { origin } });
        return response.headers.get('access-control-allow-origin');
      };
      expect(await preflight('https://studio.apollographql.com')).toBe('https://studio.apollographql.com');
      expect(await preflight('https://example.org')).toBeNull();
    });
  });

  describe('operation', () => {
    it('health and metrics are served', async () => {
      expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ status: 'ready' });
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      expect(metrics).toContain('gateway_operation_duration_seconds_count{operation="Verify"}');
      expect(metrics).toContain('gateway_operation_failures_total{operation="ad-hoc",code="VAL010"}');
    });
  });
}
