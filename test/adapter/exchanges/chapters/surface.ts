import { RegisterError } from '../../../../schema/register-error';
import { documentText } from '../../../support/documents';
import { AK, DUID, IR, MPXN, accessRecord, broken, registration, adapterOfChapter } from '../../../support/rest-graph';
import { GOOD, type Sent, codes, messages, sendTo } from '../../../support/rest-sending';

export function surface(): void {
  const test = adapterOfChapter();

  const send = (request: Sent) => sendTo(test, request);

  describe('signing in', () => {
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    beforeEach(() => {
      test.graph.roots = {
        issueBearerToken: ({ accountId, secretKey }: Record<string, string>) => {
          if (secretKey !== 'open:sesame') throw new RegisterError('AUT001');
          return { bearerToken: `jwt-of-${accountId}`, expires: 7200 };
        },
      } as never;
    });

    it('returns the token without an envelope; a secret may contain a colon', async () => {
      const { status, body } = await send({ url: '/v1/auth/token', headers: basic('acc_1:open:sesame') });
      expect([status, body]).toEqual([200, { 'bearer-token': 'jwt-of-acc_1', expires: 7200 }]);
      expect(test.graph.calls[0]?.metadata.authorization).toBeUndefined();
    });

    it.each([
      ['no credentials', {}],
      ['a bearer token', GOOD],
      ['no colon', basic('acc_1')],
      ['an empty secret', basic('acc_1:')],
      ['text that is not base64', { authorization: 'Basic %%%' }],
      ['a NUL', basic('acc_1:open\0sesame')],
      ['a wrong secret', basic('acc_1:wrong')],
    ])('returns 401 with a Basic challenge for %s', async (_, headers) => {
      const response = await send({ url: '/v1/auth/token', headers });
      expect([response.status, codes(response)]).toEqual([401, ['AUT001']]);
      expect(response.headers['www-authenticate']).toBe('Basic realm="Central Data Access Register", charset="UTF-8"');
    });

    it('returns a challenge for a bearer token, with invalid_token only if one was sent', async () => {
      const none = await send({ url: '/v1/records' });
      expect(none.headers['www-authenticate']).toBe('Bearer realm="Central Data Access Register"');
      const expired = await send({ url: '/v1/records', headers: { authorization: 'Bearer expired' } });
      expect([expired.status, codes(expired)]).toEqual([401, ['AUT002']]);
      expect(expired.headers['www-authenticate']).toContain('error="invalid_token"');
    });

    it('returns Retry-After', async () => {
      const { status, headers } = await send({ url: '/v1/records', headers: { authorization: 'Bearer busy' } });
      expect([status, headers['retry-after'], headers['ratelimit']]).toEqual([429, '17', '"requests";r=0;t=17']);
    });
  });

  describe('lists', () => {
    it('returns a page of records with total and cursor, and passes the filters on', async () => {
      const node = {
        ...accessRecord,
        ak: AK,
        dataTypes: ['HH_CONSUMPTION'],
        state: 'ACTIVE',
        controllerCount: 1,
        arrangementType: 'SOLE',
      };
      test.graph.roots = { accessRecords: () => ({ nodes: [node], totalCount: 7, nextCursor: null }) };
      const { status, body } = await send({
        url: '/v1/records?limit=20&legal-basis=uk-contract&state=ACTIVE&cursor=abc',
        headers: GOOD,
      });
      expect(status).toBe(200);
      expect(test.graph.variables).toEqual({ limit: 20, cursor: 'abc', state: 'ACTIVE', legalBasis: 'UK_CONTRACT' });
      expect([body['total'], body['next-cursor']]).toEqual([7, null]);
      expect(body['records']).toEqual([
        expect.objectContaining({
          ak: AK,
          state: 'ACTIVE',
          'arrangement-type': 'sole',
          purpose: null,
          'discovered-access': null,
        }),
      ]);
    });

    it('requests 200 records without a limit', async () => {
      test.graph.roots = { accessRecords: () => ({ nodes: [], totalCount: 0, nextCursor: 'more' }) };
      const { body } = await send({ url: '/v1/records', headers: GOOD });
      expect([test.graph.variables, body['next-cursor']]).toEqual([{ limit: 200 }, 'more']);
    });

    it.each([
      'limit=0',
      'limit=501',
      'limit=1e2',
      'limit=',
      'limit=1&limit=2',
      'state=active',
      'legal-basis=consent',
      'cursor=',
    ])('rejects ?%s by the name of the parameter', async (query) => {
      const response = await send({ url: `/v1/records?${query}`, headers: GOOD });
      expect([response.status, codes(response)]).toEqual([400, ['VAL003']]);
      expect(messages(response)[0]).toContain(`query parameter ${String(query.split('=')[0])}: `);
    });

    it.each(['limit=1&limit=2', 'state=ACTIVE&state=REVOKED', 'cursor=a&cursor=a'])(
      'rejects ?%s, because the parameter is repeated',
      async (query) => {
        const response = await send({ url: `/v1/records?${query}`, headers: GOOD });
        const label = `query parameter ${String(query.split('=')[0])}`;
        expect(messages(response)).toEqual([`${label}: is supplied more than once`]);
      },
    );

    it('repeats the meter point of the path', async () => {
      test.graph.roots = { meterPoint: () => ({ accessRecords: () => ({ nodes: [], nextCursor: null }) }) };
      const { status, body } = await send({ url: `/v1/meter-points/${MPXN}/access-records`, headers: GOOD });
      expect([status, body['mpxn'], body['access-records'], body['next-cursor']]).toEqual([200, MPXN, [], null]);
    });

    it('rejects a 13-digit meter point number, with the setting that accepts it', async () => {
      const response = await send({ url: '/v1/meter-points/2000000000006/access-records', headers: GOOD });
      expect([response.status, codes(response)]).toEqual([400, ['VAL001']]);
      expect(messages(response)[0]).toMatch(/^path parameter mpxn: has 13 digits.*MPXN_PROFILE=gb/);
      expect(messages(response)[0]).not.toContain('2000000000006');
    });

    it('returns 404 for an unknown Data User, 400 for a malformed one', async () => {
      test.graph.roots = { dataUser: () => null };
      expect((await send({ url: `/v1/data-users/${DUID}`, headers: GOOD })).status).toBe(404);
      expect((await send({ url: '/v1/data-users/duid_1', headers: GOOD })).status).toBe(400);
    });
  });

  describe('identity records', () => {
    const identityRecord = {
      ir: IR,
      createdAt: new Date('2026-11-19T16:21:04.120Z'),
      piiPrincipal: { mpxn: MPXN, moveInDate: '2021-03-01', address: null },
      expressedBy: 'DATA_SUBJECT',
      principalVerification: {
        method: 'm',
        verifiedAt: new Date(0),
        outcome: 'VERIFIED',
        detail: { 'kept-as_It': { 'Is-so': 1 } },
      },
      hasEmail: true,
      credentials: [],
      anonymisedAt: null,
    };

    it('does not convert the names within free-form evidence', async () => {
      test.graph.roots = {
        registerIdentityRecord: () => ({ ir: IR, passkeyRegistrationRedirect: null, replayed: false }),
      };
      const payload = {
        'pii-principal': { mpxn: MPXN, 'move-in-date': '2021-03-01' },
        'expressed-by': 'authorised-representative',
        'principal-verification': {
          method: 'm',
          'verified-at': '2026-11-19T16:20:00+01:00',
          outcome: 'partial',
          detail: { 'kept-as_It': { 'Is-so': 1 } },
        },
        email: ' Resident@wexbridge.example ',
      };
      const created = await send({ method: 'POST', url: '/v1/identity-records', headers: GOOD, payload });
      expect([
        created.status,
        created.headers['location'],
        created.body['ir'],
        created.body['passkey-registration-redirect'],
      ]).toEqual([201, `/v1/identity-records/${IR}`, IR, null]);
      expect(test.graph.variables).toMatchObject({
        input: {
          piiPrincipal: { mpxn: MPXN, moveInDate: '2021-03-01' },
          expressedBy: 'AUTHORISED_REPRESENTATIVE',
          principalVerification: { outcome: 'PARTIAL', detail: { 'kept-as_It': { 'Is-so': 1 } } },
          initiatePasskeyRegistration: false,
        },
      });
      test.graph.roots = { identityRecord: () => identityRecord };
      const read = await send({ url: `/v1/identity-records/${IR}`, headers: GOOD });
      expect(read.body['identity-record']).toMatchObject({
        'pii-principal': { mpxn: MPXN, 'move-in-date': '2021-03-01' },
        'principal-verification': { detail: { 'kept-as_It': { 'Is-so': 1 } } },
        credentials: [],
        'anonymised-at': null,
      });
    });

    it('rejects the name __proto__ and malformed text within free-form evidence', async () => {
      const evidence =
        '{"method":"m","verified-at":"2026-11-19T16:20:00Z","outcome":"partial","detail":{"__proto__":1,"a":["\\u0000"]}}';
      const payload = `{"pii-principal":{"mpxn":"${MPXN}","move-in-date":"2021-03-01"},"expressed-by":"data-subject","principal-verification":${evidence}}`;
      expect(messages(await send({ method: 'POST', url: '/v1/identity-records', headers: GOOD, payload }))).toEqual([
        '/principal-verification/detail/__proto__: is not an allowed name',
        '/principal-verification/detail/a/0: contains a character that cannot be stored',
      ]);
    });

    it('rejects numbers within free-form evidence that would be stored with other digits, or as null', async () => {
      test.graph.roots = {
        registerIdentityRecord: () => ({ ir: IR, passkeyRegistrationRedirect: null, replayed: false }),
      };
      const post = (detail: string) => {
        const evidence = `{"method":"m","verified-at":"2026-11-19T16:20:00Z","outcome":"partial","detail":${detail}}`;
        const payload = `{"pii-principal":{"mpxn":"${MPXN}","move-in-date":"2021-03-01"},"expressed-by":"data-subject","principal-verification":${evidence}}`;
        return send({ method: 'POST', url: '/v1/identity-records', headers: GOOD, payload });
      };
      const reason = 'is not a number from -9007199254740991 to 9007199254740991: send it as a string';
      const rejected = await post(
        '{"account":12345678901234567890,"list":[1,{"score":1e999}],"below":-9007199254740993}',
      );
      expect([rejected.status, new Set(codes(rejected))]).toEqual([400, new Set(['VAL003'])]);
      expect(messages(rejected)).toEqual(
        ['account', 'list/1/score', 'below'].map((member) => `/principal-verification/detail/${member}: ${reason}`),
      );
      const accepted = '{"account":9007199254740991,"below":-9007199254740991,"score":0.1}';
      expect((await post(accepted)).status).toBe(201);
      expect(test.graph.variables).toMatchObject({
        input: { principalVerification: { detail: JSON.parse(accepted) } },
      });
    });

    it('distinguishes the existence check from the key of a record', async () => {
      test.graph.roots = {
        identityRecordExistence: () => ({ mpxn: MPXN, exists: true, availableMethods: ['MAGIC_LINK'] }),
      };
      const { body } = await send({ url: `/v1/identity-records/exists?mpxn=${MPXN}`, headers: GOOD });
      expect(body).toMatchObject({ mpxn: MPXN, exists: true, 'available-methods': ['magic-link'] });
      expect(codes(await send({ url: '/v1/identity-records/exists', headers: GOOD }))).toEqual(['VAL002']);
    });

    it('names the query parameter that violates a rule of the graph', async () => {
      test.graph.roots = {
        identityRecords: () => broken({ code: 'VAL002', path: ['mpxn'], message: 'mpxn or email is required' }),
      };
      expect(messages(await send({ url: '/v1/identity-records', headers: GOOD }))).toEqual([
        'query parameter mpxn: mpxn or email is required',
      ]);
    });
  });

  describe('unmatched requests', () => {
    it.each([
      ['/v1/nothing', 404],
      ['/v1/access-records/', 404],
      ['/V1/records', 404],
      ['//v1/records', 404],
      ['/v1/records/', 404],
      ['/v1/records%2f', 404],
      ['/v1/%', 404],
      ['/v1/access-records/%zz', 404],
      ['/v1/%61ccess-records', 405],
    ])('return an envelope for GET %s', async (url, status) => {
      const response = await send({ url, headers: GOOD });
      expect([response.status, response.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
      expect(response.body.response['transaction-id']).toBe(response.headers['transaction-id']);
    });

    it.each([
      ['a malformed media type', 'json', 'x'],
      ['a body over 256 KiB', 'application/json', ' '.repeat(256 * 1024 + 1)],
    ])('return 404 and 405 in the envelope also for %s', async (_, type, payload) => {
      const headers = { 'content-type': type };
      expect((await send({ method: 'POST', url: '/v1/nothing', headers, payload })).status).toBe(404);
      expect((await send({ method: 'POST', url: '/v1/records', headers, payload })).status).toBe(405);
      expect((await send({ method: 'POST', url: '/docs', headers, payload })).status).toBe(404);
    });

    it.each([
      ['GET', '/v1/webhooks/'],
      ['PATCH', '/v1/webhooks/'],
      ['GET', '/v1/webhooks//deliveries'],
      ['GET', '/v1/identity-records/'],
      ['GET', '/v1/data-users/'],
      ['GET', '/v1/records/'],
      ['GET', '/v1/tariff/LARK/'],
      ['DELETE', '/v1/consent/'],
      ['GET', '/show-consents/'],
      ['GET', '/grid-modelling/stage3/development-projects//EQ.xml'],
    ] as const)('return 404 for %s %s, which has an empty segment, with and without a sign-in', async (method, url) => {
      for (const headers of [GOOD, {}]) {
        const response = await send({ method, url, headers });
        expect([response.status, response.headers['www-authenticate']]).toEqual([404, undefined]);
      }
    });

    it.each([
      ['POST', '/v1/records', 'GET'],
      ['PATCH', `/v1/identity-records/${IR}`, 'GET, DELETE'],
      ['PATCH', `/v1/access-records/${AK}`, 'GET, PUT, DELETE'],
      ['OPTIONS', '/v1/access-records', 'POST'],
      ['DELETE', '/v1/identity-records/exists', 'GET'],
    ] as const)('return 405 for %s %s, with the allowed methods', async (method, url, allow) => {
      const response = await send({ method, url });
      expect([response.status, codes(response), response.headers['allow']]).toEqual([405, ['MET001'], allow]);
    });

    it.each([
      ['text/html', 406],
      ['application/json;q=0, */*', 406],
      ['text/html, application/*;q=0.2', 200],
      ['*/*;q=0.1', 200],
    ])('whose client accepts "%s" have the status %i', async (accept, status) => {
      test.graph.roots = { accessRecord: () => accessRecord } as never;
      expect((await send({ url: `/v1/access-records/${AK}`, headers: { accept } })).status).toBe(status);
    });

    it.each([
      ['application/json; charset=utf-8', {}, 201],
      ['Application/JSON;charset="UTF-8"', {}, 201],
      ['application/json; version=1; profile="a;b"; charset=utf-8', {}, 201],
      ['application/json; charset=latin1', {}, 415],
      ['application/json; version=1; charset=latin1', {}, 415],
      ['application/problem+json', {}, 415],
      ['json', {}, 415],
      ['application/json', { 'content-encoding': 'gzip' }, 415],
    ])('with a body of the type "%s" and the further headers %j have the status %i', async (type, more, status) => {
      test.graph.roots = { registerAccessRecord: () => ({ accessToken: { key: AK, expiry: null }, replayed: false }) };
      const headers = { ...GOOD, ...more, 'content-type': type } as Record<string, string>;
      const response = await send({ method: 'POST', url: '/v1/access-records', headers, payload: registration() });
      expect(response.status).toBe(status);
    });

    it('by HEAD return the headers of GET, without a body', async () => {
      test.graph.roots = { webhooks: () => [] };
      const { status, headers, body } = await send({ method: 'HEAD', url: '/v1/webhooks', headers: GOOD });
      expect([status, Number(headers['content-length']) > 0, body]).toEqual([200, true, undefined]);
    });

    it.each([
      `/v1/access-records/${AK}`,
      '/v1/records',
      `/v1/meter-points/${MPXN}/access-records?reidentification-token=mlr_${'0'.repeat(24)}`,
      `/v1/identity-records/exists?mpxn=${MPXN}`,
      `/v1/identity-records/${IR}`,
      '/v1/auth/token',
      '/login',
      `/show-consents/${MPXN}`,
    ])('return 405 for HEAD %s, because the GET has an effect', async (url) => {
      const { status, headers } = await send({ method: 'HEAD', url, headers: GOOD });
      expect([status, headers['allow']?.includes('HEAD')]).toEqual([405, false]);
      expect(test.graph.calls).toEqual([]);
    });
  });

  describe('the log line of a request', () => {
    it('contains the route template, never a path value, a query or a body', async () => {
      test.graph.roots = { accessRecord: () => null } as never;
      await send({ url: `/v1/access-records/${AK}?mpxn=${MPXN}` });
      await send({ url: `/v1/meter-points/${MPXN}/access-records` });
      await send({ url: `/v1/unknown/${MPXN}` });
      expect(test.lines.map(({ method, route, status }) => [method, route, status])).toEqual([
        ['GET', '/v1/access-records/{ak}', 404],
        ['GET', '/v1/meter-points/{mpxn}/access-records', 401],
        ['GET', 'unknown', 404],
      ]);
      expect(test.lines[0]?.['transaction-id']).toMatch(/^tid_/);
      expect(JSON.stringify(test.lines)).not.toMatch(new RegExp(`${AK}|${MPXN}`));
    });

    it('is counted by route template, method and status', async () => {
      await send({ url: '/v1/data-users/duid_1', headers: GOOD });
      expect(await test.metrics.metrics()).toContain(
        'rest_request_duration_seconds_count{route="/v1/data-users/{duid}",method="GET",status="400"}',
      );
    });
  });

  describe('the reference documentation', () => {
    it('serves the contract with this installation as its server', async () => {
      const { body } = await send({ url: '/openapi.json' });
      expect(body['servers']).toEqual([{ url: 'https://register.example/v1', description: 'This register.' }]);
    });

    it('serves a page that loads nothing from other sites', async () => {
      const page = await test.adapter.app.inject('/docs');
      const sources = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => `/${String(source)}`);
      expect(sources.length).toBeGreaterThan(3);
      for (const source of sources) expect((await test.adapter.app.inject(source)).statusCode).toBe(200);
      expect(page.headers['content-security-policy']).toContain("default-src 'self'");
    });

    it('serves the public keys of bearer tokens', async () => {
      expect((await send({ url: '/.well-known/jwks.json' })).body).toEqual({ keys: [{ kty: 'OKP', kid: 'one' }] });
    });

    it('lets other systems cache the public keys for as long as the replacement of a key waits', async () => {
      const { headers } = await test.adapter.app.inject('/.well-known/jwks.json');
      const [, minutes] = /^2\. Wait (\d+) minutes/m.exec(documentText('docs/operations.md')) ?? [];
      expect(headers['cache-control']).toBe(`public, max-age=${Number(minutes) * 60}`);
    });
  });
}
