import type { GraphFailure } from '../../rest-adapter/graph-client';
import { RegisterError } from '../../schema/register-error';
import {
  AK,
  DUID,
  IR,
  MPXN,
  type TestAdapter,
  accessRecord,
  broken,
  registration,
  startTestAdapter,
} from './rest-graph';

let test: TestAdapter;
beforeAll(async () => {
  test = await startTestAdapter();
});
afterAll(() => test.adapter.close());
beforeEach(() => {
  test.graph.roots = {};
  test.graph.calls.length = 0;
  test.graph.admissions.length = 0;
  test.lines.length = 0;
});

const GOOD = { authorization: 'Bearer good' };
const JSON_TYPE = { 'content-type': 'application/json' };

interface Sent {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS' | 'HEAD';
  url: string;
  headers?: Record<string, string>;
  payload?: unknown;
}

async function send({ method = 'GET', url, headers = {}, payload }: Sent) {
  const body =
    payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
      ? payload
      : JSON.stringify(payload);
  const typed = payload === undefined || 'content-type' in headers ? {} : JSON_TYPE;
  const response = await test.adapter.app.inject({
    method,
    url,
    headers: { ...typed, ...headers },
    ...(body === undefined ? {} : { payload: body as string }),
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: (response.body === '' ? undefined : response.json()) as Body,
  };
}

interface Body {
  response: { resource: string; timestamp: string; 'transaction-id': string };
  errors: { 'error-code': string; message: string }[];
  [property: string]: unknown;
}

const codes = ({ body }: { body: Body }) => body.errors.map((error) => error['error-code']);
const messages = ({ body }: { body: Body }) => body.errors.map(({ message }) => message);

describe('verifying an access record', () => {
  beforeEach(() => {
    test.graph.roots = { accessRecord: ({ key }: { key: string }) => (key === AK ? accessRecord : null) } as never;
  });

  it('answers the record in the names and values of the contract, with its version as ETag', async () => {
    const answer = await send({ url: `/v1/access-records/${AK}` });
    expect(answer.status).toBe(200);
    expect(answer.headers['etag']).toBe('"3"');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body['access-record']).toEqual({
      'record-metadata': {
        'schema-version': '1.0',
        'record-identifier': AK,
        'created-at': '2026-11-19T16:25:11.402Z',
        'controller-arrangement': {
          'arrangement-type': 'sole',
          'art26-reference': null,
          controllers: [
            {
              name: 'Harbourlight Insights Ltd',
              role: 'sole',
              'contact-url': 'https://harbourlight.example/contact',
              address: {
                addressLine1: '4 Lantern Row',
                townCity: 'Wexbridge',
                postcode: 'WX4 7QD',
                addressLine2: null,
                county: null,
              },
              'privacy-rights-url': 'https://harbourlight.example/rights',
              'lia-reference': 'LIA-2026-011',
              'statutory-reference': null,
              'storage-conditions': null,
            },
          ],
        },
        'identity-record-ref': IR,
        duid: DUID,
      },
      notice: null,
      processing: {
        'legal-basis': 'uk-legitimate-interests',
        purpose: 'Forecasting',
        'data-types': ['HH-CONSUMPTION'],
        jurisdiction: 'GB',
      },
      'access-event': { state: 'ACTIVE', 'registered-at': '2026-11-19T16:20:00.000Z', expiry: null, consent: null },
      'reidentification-token': null,
    });
  });

  it('carries response metadata: path without query, time with milliseconds, transaction id also as header', async () => {
    const { body, headers } = await send({ url: `/v1/access-records/${AK}?note=1` });
    expect(body.response.resource).toBe(`/v1/access-records/${AK}`);
    expect(body.response.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body.response['transaction-id']).toMatch(/^tid_[0-9a-f]{24}$/);
    expect(headers['transaction-id']).toBe(body.response['transaction-id']);
    expect(test.graph.calls[0]?.facts.transactionId).toBe(body.response['transaction-id']);
  });

  it.each([
    'ak_5d3f9a1c7be2048643d1e0fb',
    'ak_short',
    'AK_5D3F9A1C7BE2048643D1E0FA',
    `${AK}%00`,
    '%2e%2e',
    'x'.repeat(5000),
  ])('answers %s like every key that nobody knows', async (key) => {
    const answer = await send({ url: `/v1/access-records/${key}` });
    expect([answer.status, answer.body.errors]).toEqual([404, [{ 'error-code': 'NTF001', message: 'Not found.' }]]);
    expect(test.graph.admissions).toEqual([]);
  });

  it('is never 304', async () => {
    expect((await send({ url: `/v1/access-records/${AK}`, headers: { 'if-none-match': '"3"' } })).status).toBe(200);
  });

  it('passes the bearer token on as it came', async () => {
    await send({ url: `/v1/access-records/${AK}`, headers: { authorization: 'Bearer  odd token' } });
    expect(test.graph.calls[0]?.facts.authorization).toBe('Bearer  odd token');
  });

  it('tells a dependency that is away as 503 with Retry-After, and an internal error without detail', async () => {
    test.graph.roots = { accessRecord: () => Promise.reject(new RegisterError('SYS002', 'connect 10.0.0.1')) };
    const away = await send({ url: `/v1/access-records/${AK}` });
    expect([away.status, away.headers['retry-after'], messages(away)]).toEqual([
      503,
      '1',
      ['A dependency is unavailable.'],
    ]);
    test.graph.roots = { accessRecord: () => Promise.reject(new RegisterError('SYS001', 'secret detail')) };
    expect(messages(await send({ url: `/v1/access-records/${AK}` }))).toEqual(['Internal error.']);
  });

  it('answers 500 in the envelope when the way to the graph fails, and logs where, not what', async () => {
    test.graph.roots = { accessRecord: () => Promise.reject(new Error('a message with ak_5d3f9a1c7be2048643d1e0fa')) };
    const answer = await send({ url: `/v1/access-records/${AK}` });
    expect([answer.status, codes(answer)]).toEqual([500, ['SYS001']]);
    expect(JSON.stringify(test.lines)).not.toContain(AK);
  });
});

describe('registering an access record', () => {
  beforeEach(() => {
    test.graph.roots = {
      registerAccessRecord: ({ idempotencyKey }: { idempotencyKey?: string }) => ({
        accessToken: { key: AK, expiry: null },
        replayed: idempotencyKey === 'again',
      }),
    } as never;
  });

  const register = (payload: unknown, headers: Record<string, string> = GOOD) =>
    send({ method: 'POST', url: '/v1/access-records', headers, payload });

  it('answers 201 with Location and the access token, null expiry included', async () => {
    const { status, headers, body } = await register(registration());
    expect(status).toBe(201);
    expect(headers['location']).toBe(`/v1/access-records/${AK}`);
    expect(body['access-token']).toEqual({ key: AK, expiry: null });
    expect(headers['idempotency-replayed']).toBeUndefined();
    expect(Object.keys(body)).toEqual(['response', 'access-token']);
  });

  it('gives the graph the names and enum values of the graph', async () => {
    await register(registration());
    expect(test.graph.asked).toEqual({
      input: {
        recordMetadata: {
          schemaVersion: '1.0',
          controllerArrangement: {
            arrangementType: 'SOLE',
            art26Reference: null,
            controllers: [
              {
                name: 'Harbourlight Insights Ltd',
                role: 'SOLE',
                contactUrl: 'https://harbourlight.example/contact',
                privacyRightsUrl: 'https://harbourlight.example/rights',
                storageConditions: { location: 'GB', retentionPeriod: 'P2Y' },
              },
            ],
          },
          identityRecordRef: IR,
        },
        notice: {
          sharedNotice: { termsUrl: 'https://harbourlight.example/terms', noticeVersion: '3.0' },
          notices: null,
        },
        processing: { legalBasis: 'UK_CONSENT', purpose: 'Advice', dataTypes: ['HH_CONSUMPTION'], jurisdiction: 'GB' },
        accessEvent: {
          state: 'ACTIVE',
          registeredAt: '2026-11-20T09:29:41Z',
          expiry: null,
          consent: { consentType: 'EXPRESSED_CONSENT' },
        },
      },
    });
  });

  it('says by a header, not in the body, that an answer is repeated', async () => {
    const { headers, body } = await register(registration(), { ...GOOD, 'idempotency-key': 'again' });
    expect(headers['idempotency-replayed']).toBe('true');
    expect(body).not.toHaveProperty('replayed');
  });

  it.each(['', 'with space', 'ü', 'x'.repeat(256)])('refuses the Idempotency-Key "%s"', async (key) => {
    const answer = await register(registration(), { ...GOOD, 'idempotency-key': key });
    expect([answer.status, codes(answer).includes('VAL002')]).toEqual([400, false]);
    expect(test.graph.calls).toEqual([]);
  });

  it('tells every fault of shape at once, by its JSON path, and never echoes a value', async () => {
    const body = registration();
    const arrangement = body['record-metadata']['controller-arrangement'] as Record<string, unknown[]>;
    arrangement['controllers'] = [{ role: 'chief', 'contact-url': 7, nonsense: 1 }];
    body['record-metadata']['identity-record-ref'] = 'ir_secret-value';
    body['record-metadata']['record-identifier'] = 'ak_secret-value';
    body['processing'] = { 'legal-basis': 'uk-secret', purpose: 'x'.repeat(501), 'data-types': [] };
    body['access-event'] = { state: 'ACTIVE', 'registered-at': 'yesterday-secret' };
    const answer = await register(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error) => `${error['error-code']} ${error.message.split(':')[0]}`).sort()).toEqual([
      'VAL001 /access-event/registered-at',
      'VAL001 /record-metadata/identity-record-ref',
      'VAL002 /access-event/expiry',
      'VAL002 /record-metadata/controller-arrangement/controllers/0/name',
      'VAL003 /processing/data-types',
      'VAL003 /processing/legal-basis',
      'VAL003 /processing/purpose',
      'VAL003 /record-metadata/controller-arrangement/controllers/0/contact-url',
      'VAL003 /record-metadata/controller-arrangement/controllers/0/nonsense',
      'VAL003 /record-metadata/controller-arrangement/controllers/0/role',
      'VAL004 /record-metadata/record-identifier',
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('lets the graph tell read-only fields together with every other rule, when they are all that is wrong', async () => {
    test.graph.roots = {
      registerAccessRecord: ({ input }: { input: { recordMetadata: { recordIdentifier: string } } }) =>
        broken(
          {
            code: 'VAL004',
            path: ['recordMetadata', 'recordIdentifier'],
            message: `is set to ${input.recordMetadata.recordIdentifier.length}`,
          },
          {
            code: 'VAL006',
            path: ['recordMetadata', 'controllerArrangement', 'controllers', 0, 'role'],
            message: 'must be sole',
          },
          {
            code: 'VAL006',
            path: ['recordMetadata', 'controllerArrangement', 'art26Reference'],
            message: 'must be null',
          },
        ),
    } as never;
    const body = registration();
    body['record-metadata']['record-identifier'] = AK;
    const answer = await register(body);
    expect([answer.status, messages(answer)]).toEqual([
      400,
      [
        '/record-metadata/record-identifier: is set to 27',
        '/record-metadata/controller-arrangement/controllers/0/role: must be sole',
        '/record-metadata/controller-arrangement/art26-reference: must be null',
      ],
    ]);
  });

  it('refuses a read-only field that is no text itself', async () => {
    const body = registration();
    body['record-metadata']['created-at'] = 5;
    expect(codes(await register(body))).toEqual(['VAL004']);
    expect(test.graph.calls).toEqual([]);
  });

  it('has one entry for a field that is null where an object is optional, not one per alternative', async () => {
    const body = registration();
    (body['access-event'] as Record<string, unknown>)['consent'] = 'yes';
    expect(messages(await register(body))).toEqual(['/access-event/consent: must be object']);
  });

  it('tells at most 100 faults', async () => {
    const body = registration();
    body['processing'] = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, 1]));
    expect((await register(body)).body.errors).toHaveLength(100);
  });

  it.each([
    ['a NUL', '{"processing":{"purpose":"a\\u0000b"}}', '/processing/purpose'],
    [
      'an unpaired surrogate',
      '{"notice":{"shared-notice":{"terms-url":"\\ud800"}}}',
      '/notice/shared-notice/terms-url',
    ],
  ])('refuses a text with %s wherever it stands', async (_, payload, pointer) => {
    expect(messages(await register(payload))).toContain(`${pointer}: contains a character that cannot be stored`);
  });

  it.each([
    ['no JSON', '{"a":'],
    ['empty', ''],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ])('answers a body that is %s with VAL010', async (_, payload) => {
    const answer = await register(payload, { ...GOOD, ...JSON_TYPE });
    expect([answer.status, codes(answer)]).toEqual([400, ['VAL010']]);
  });

  it('is not harmed by __proto__, constructor, deep nesting or a flood of values', async () => {
    const bodies = [
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      `{"processing":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      JSON.stringify({ notice: Array.from({ length: 60_000 }, () => 1) }),
      'null',
      '[]',
    ];
    for (const body of bodies) expect((await register(body)).status).toBe(400);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('leaves the form of a URL to the graph, which says VAL008', async () => {
    const body = registration();
    (body['notice'] as Record<string, Record<string, unknown>>)['shared-notice'] = {
      'terms-url': `ftp://${'x'.repeat(3000)}`,
      'notice-version': '1',
    };
    expect((await register(body)).status).toBe(201);
  });
});

describe('the order of checks', () => {
  const bad = { method: 'POST' as const, url: '/v1/access-records', payload: { nonsense: true } };
  const large = Buffer.alloc(256 * 1024 + 1, 0x20);

  it.each([
    ['401 before 400', bad, {}, 401],
    ['401 before 413', { ...bad, payload: large }, {}, 401],
    ['401 before 415', bad, { 'content-type': 'text/plain' }, 401],
    ['401 before a malformed path value', { url: '/v1/meter-points/x/access-records' }, {}, 401],
    ['403 by role before 400', bad, { authorization: 'Bearer provider' }, 403],
    ['403 by role before 415', bad, { authorization: 'Bearer provider', 'content-type': 'text/plain' }, 403],
    ['429 before 400', bad, { authorization: 'Bearer busy' }, 429],
    ['415 before 400', bad, { ...GOOD, 'content-type': 'text/plain' }, 415],
    ['413 before 400', { ...bad, payload: large }, GOOD, 413],
    [
      '404 of a malformed ak before its body',
      { method: 'PUT' as const, url: '/v1/access-records/x', payload: {} },
      GOOD,
      404,
    ],
  ])('is %s', async (_, request, headers, status) => {
    const answer = await send({ ...request, headers });
    expect([answer.status, answer.body.errors.length]).toEqual([status, 1]);
    expect(test.graph.calls).toEqual([]);
  });

  it('tells of several failures of the graph the first', async () => {
    const failures: GraphFailure[] = [
      { code: 'CND001', message: '' },
      { code: 'PRM002', message: 'not yours' },
      { code: 'CNF001', message: '' },
    ];
    const run = jest.spyOn(test.graph, 'run').mockResolvedValueOnce({ data: null, failures });
    const answer = await send({ method: 'DELETE', url: `/v1/access-records/${AK}`, headers: GOOD });
    expect([answer.status, messages(answer)]).toEqual([403, ['not yours']]);
    run.mockRestore();
  });
});

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

  it('answers the token without an envelope; a secret may hold a colon', async () => {
    const { status, body } = await send({ url: '/v1/auth/token', headers: basic('acc_1:open:sesame') });
    expect([status, body]).toEqual([200, { 'bearer-token': 'jwt-of-acc_1', expires: 7200 }]);
    expect(test.graph.calls[0]?.facts.authorization).toBeUndefined();
  });

  it.each([
    ['no credentials', {}],
    ['a bearer token', GOOD],
    ['no colon', basic('acc_1')],
    ['an empty secret', basic('acc_1:')],
    ['what is not base64', { authorization: 'Basic %%%' }],
    ['a NUL', basic('acc_1:open\0sesame')],
    ['a wrong secret', basic('acc_1:wrong')],
  ])('answers %s with 401 and a Basic challenge', async (_, headers) => {
    const answer = await send({ url: '/v1/auth/token', headers });
    expect([answer.status, codes(answer)]).toEqual([401, ['AUT001']]);
    expect(answer.headers['www-authenticate']).toBe('Basic realm="Central Data Access Register", charset="UTF-8"');
  });

  it('challenges for a bearer token, and says invalid_token only when one was sent', async () => {
    const none = await send({ url: '/v1/records' });
    expect(none.headers['www-authenticate']).toBe('Bearer realm="Central Data Access Register"');
    const expired = await send({ url: '/v1/records', headers: { authorization: 'Bearer expired' } });
    expect([expired.status, codes(expired)]).toEqual([401, ['AUT002']]);
    expect(expired.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  it('says when to come back', async () => {
    const { status, headers } = await send({ url: '/v1/records', headers: { authorization: 'Bearer busy' } });
    expect([status, headers['retry-after'], headers['ratelimit']]).toEqual([429, '17', '"requests";r=0;t=17']);
  });
});

describe('versions', () => {
  const replacement = (ifMatch?: string) =>
    send({
      method: 'PUT',
      url: `/v1/access-records/${AK}`,
      headers: { ...GOOD, ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) },
      payload: registration(),
    });
  beforeEach(() => {
    test.graph.roots = { replaceAccessRecord: () => ({ accessToken: { key: AK, expiry: null }, version: 4 }) };
  });

  it('answers the new version of a replaced record as ETag', async () => {
    const { status, headers, body } = await replacement();
    expect([status, headers['etag'], Object.keys(body)]).toEqual([200, '"4"', ['response', 'access-token']]);
  });

  it.each([
    [undefined, undefined],
    ['*', undefined],
    ['"3"', [3]],
    ['"3", "5"', [3, 5]],
    ['W/"3"', []],
    ['W/"3", "4"', [4]],
    ['3', []],
    ['"abc"', []],
    ['"99999999999999"', []],
  ])('understands If-Match %s', async (ifMatch, versions) => {
    await replacement(ifMatch);
    expect((test.graph.asked as { ifVersions?: number[] }).ifVersions).toEqual(versions);
  });
});

describe('lists', () => {
  it('answers a page of records with total and cursor, and passes the filters on', async () => {
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
    expect(test.graph.asked).toEqual({ limit: 20, cursor: 'abc', state: 'ACTIVE', legalBasis: 'UK_CONTRACT' });
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

  it('asks for 200 records when no limit is given', async () => {
    test.graph.roots = { accessRecords: () => ({ nodes: [], totalCount: 0, nextCursor: 'more' }) };
    const { body } = await send({ url: '/v1/records', headers: GOOD });
    expect([test.graph.asked, body['next-cursor']]).toEqual([{ limit: 200 }, 'more']);
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
  ])('refuses ?%s by the name of the parameter', async (query) => {
    const answer = await send({ url: `/v1/records?${query}`, headers: GOOD });
    expect([answer.status, codes(answer)]).toEqual([400, ['VAL003']]);
    expect(messages(answer)[0]).toContain(`query parameter ${String(query.split('=')[0])}: `);
  });

  it('repeats the meter point of the path', async () => {
    test.graph.roots = { meterPoint: () => ({ accessRecords: () => ({ nodes: [], nextCursor: null }) }) };
    const { status, body } = await send({ url: `/v1/meter-points/${MPXN}/access-records`, headers: GOOD });
    expect([status, body['mpxn'], body['access-records'], body['next-cursor']]).toEqual([200, MPXN, [], null]);
  });

  it('refuses a 13-digit meter point number and names the setting that accepts it', async () => {
    const answer = await send({ url: '/v1/meter-points/2000000000006/access-records', headers: GOOD });
    expect([answer.status, codes(answer)]).toEqual([400, ['VAL001']]);
    expect(messages(answer)[0]).toMatch(/^path parameter mpxn: has 13 digits.*MPXN_PROFILE=gb/);
    expect(messages(answer)[0]).not.toContain('2000000000006');
  });

  it('answers 404 for a Data User that nobody knows, 400 for a malformed one', async () => {
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

  it('keeps the names within free-form evidence as they are, both ways', async () => {
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
    expect(test.graph.asked).toMatchObject({
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

  it('tells apart the existence check and the key of a record', async () => {
    test.graph.roots = {
      identityRecordExistence: () => ({ mpxn: MPXN, exists: true, availableMethods: ['MAGIC_LINK'] }),
    };
    const { body } = await send({ url: `/v1/identity-records/exists?mpxn=${MPXN}`, headers: GOOD });
    expect(body).toMatchObject({ mpxn: MPXN, exists: true, 'available-methods': ['magic-link'] });
    expect(codes(await send({ url: '/v1/identity-records/exists', headers: GOOD }))).toEqual(['VAL002']);
  });

  it('names the query parameter that a rule of the graph refuses', async () => {
    test.graph.roots = {
      identityRecords: () => broken({ code: 'VAL002', path: ['mpxn'], message: 'mpxn or email is required' }),
    };
    expect(messages(await send({ url: '/v1/identity-records', headers: GOOD }))).toEqual([
      '/mpxn: mpxn or email is required',
    ]);
  });
});

describe('requests that no operation serves', () => {
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
  ])('answers GET %s in the envelope', async (url, status) => {
    const answer = await send({ url, headers: GOOD });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
    expect(answer.body.response['transaction-id']).toBe(answer.headers['transaction-id']);
  });

  it.each([
    ['POST', '/v1/records', 'GET, HEAD'],
    ['PATCH', `/v1/access-records/${AK}`, 'GET, PUT, DELETE, HEAD'],
    ['OPTIONS', '/v1/access-records', 'POST'],
    ['DELETE', '/v1/identity-records/exists', 'GET, HEAD'],
  ] as const)('answers %s %s with 405 and what is allowed', async (method, url, allow) => {
    const answer = await send({ method, url });
    expect([answer.status, codes(answer), answer.headers['allow']]).toEqual([405, ['MET001'], allow]);
  });

  it.each([
    ['text/html', 406],
    ['application/json;q=0, */*', 406],
    ['text/html, application/*;q=0.2', 200],
    ['*/*;q=0.1', 200],
  ])('answers Accept: %s with %i', async (accept, status) => {
    test.graph.roots = { accessRecord: () => accessRecord } as never;
    expect((await send({ url: `/v1/access-records/${AK}`, headers: { accept } })).status).toBe(status);
  });

  it.each([
    ['application/json; charset=utf-8', {}, 201],
    ['Application/JSON;charset="UTF-8"', {}, 201],
    ['application/json; charset=latin1', {}, 415],
    ['application/problem+json', {}, 415],
    ['json', {}, 415],
    ['application/json', { 'content-encoding': 'gzip' }, 415],
  ])('answers a body of type %s %j with %i', async (type, more, status) => {
    test.graph.roots = { registerAccessRecord: () => ({ accessToken: { key: AK, expiry: null }, replayed: false }) };
    const headers = { ...GOOD, ...more, 'content-type': type } as Record<string, string>;
    const answer = await send({ method: 'POST', url: '/v1/access-records', headers, payload: registration() });
    expect(answer.status).toBe(status);
  });

  it('answers HEAD like GET, without a body', async () => {
    test.graph.roots = { accessRecord: () => accessRecord } as never;
    const { status, headers, body } = await send({ method: 'HEAD', url: `/v1/access-records/${AK}` });
    expect([status, headers['etag'], body]).toEqual([200, '"3"', undefined]);
  });
});

describe('the record of a request', () => {
  it('is one line with the route template, never a path value, a query or a body', async () => {
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

  it('is measured by route template, method and status', async () => {
    await send({ url: '/v1/data-users/duid_1', headers: GOOD });
    expect(await test.metrics.metrics()).toContain(
      'rest_request_duration_seconds_count{route="/v1/data-users/{duid}",method="GET",status="400"}',
    );
  });
});

describe('the reference', () => {
  it('serves the contract with this installation as its server', async () => {
    const { body } = await send({ url: '/openapi.json' });
    expect(body['servers']).toEqual([{ url: 'https://register.example/v1', description: 'This register.' }]);
  });

  it('serves a page that loads nothing from elsewhere', async () => {
    const page = await test.adapter.app.inject('/docs');
    const sources = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => `/${String(source)}`);
    expect(sources.length).toBeGreaterThan(3);
    for (const source of sources) expect((await test.adapter.app.inject(source)).statusCode).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
  });

  it('serves the public keys of bearer tokens', async () => {
    expect((await send({ url: '/.well-known/jwks.json' })).body).toEqual({ keys: [{ kty: 'OKP', kid: 'one' }] });
  });
});
