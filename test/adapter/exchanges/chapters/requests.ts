import type { GraphFailure } from '../../../../gateway/client/graph-client';
import { RegisterError } from '../../../../schema/register-error';
import {
  AK,
  DUID,
  IR,
  accessRecord,
  adapterOfChapter,
  broken,
  registration,
  startTestAdapter,
} from '../../../support/rest-graph';
import { GOOD, JSON_TYPE, type Sent, codes, messages, sendTo } from '../../../support/rest-sending';

export function adapterRequests(): void {
  const test = adapterOfChapter();

  const send = (request: Sent) => sendTo(test, request);

  describe('verifying an access record', () => {
    beforeEach(() => {
      test.graph.roots = { accessRecord: ({ key }: { key: string }) => (key === AK ? accessRecord : null) } as never;
    });

    it('returns the record with the names and values of the contract, with its version as ETag', async () => {
      const response = await send({ url: `/v1/access-records/${AK}` });
      expect(response.status).toBe(200);
      expect(response.headers['etag']).toBe('"3"');
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.body['access-record']).toEqual({
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

    it('returns response metadata: path without query, time with milliseconds, transaction id also as header', async () => {
      const { body, headers } = await send({ url: `/v1/access-records/${AK}?note=1` });
      expect(body.response.resource).toBe(`/v1/access-records/${AK}`);
      expect(body.response.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(body.response['transaction-id']).toMatch(/^tid_[0-9a-f]{24}$/);
      expect(headers['transaction-id']).toBe(body.response['transaction-id']);
      expect(test.graph.calls[0]?.metadata.transactionId).toBe(body.response['transaction-id']);
    });

    it.each([
      'ak_5d3f9a1c7be2048643d1e0fb',
      'ak_short',
      'AK_5D3F9A1C7BE2048643D1E0FA',
      `${AK}%00`,
      '%2e%2e',
      'x'.repeat(5000),
    ])('treats %s like every unknown key', async (key) => {
      const response = await send({ url: `/v1/access-records/${key}` });
      expect([response.status, response.body.errors]).toEqual([
        404,
        [{ 'error-code': 'NTF001', message: 'Not found.' }],
      ]);
      expect(test.graph.admissions).toEqual([]);
    });

    it('rejects a malformed key of an Identity Record by its pattern, of any length', async () => {
      const response = await send({ url: `/v1/identity-records/ir_${'0'.repeat(90)}`, headers: GOOD });
      expect(codes(response)).toEqual(['VAL001']);
    });

    it('is never 304', async () => {
      expect((await send({ url: `/v1/access-records/${AK}`, headers: { 'if-none-match': '"3"' } })).status).toBe(200);
    });

    it('passes the bearer token on unchanged', async () => {
      await send({ url: `/v1/access-records/${AK}`, headers: { authorization: 'Bearer  odd token' } });
      expect(test.graph.calls[0]?.metadata.authorization).toBe('Bearer  odd token');
    });

    it('reports an unavailable dependency as 503 with Retry-After, and an internal error without detail', async () => {
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

    it('returns 500 in the envelope if the call of the graph fails, and logs the location, not the message', async () => {
      test.graph.roots = {
        accessRecord: () => Promise.reject(new Error('a message with ak_5d3f9a1c7be2048643d1e0fa')),
      };
      const response = await send({ url: `/v1/access-records/${AK}` });
      expect([response.status, codes(response)]).toEqual([500, ['SYS001']]);
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

    it('returns 201 with Location and the access token, including a null expiry', async () => {
      const { status, headers, body } = await register(registration());
      expect(status).toBe(201);
      expect(headers['location']).toBe(`/v1/access-records/${AK}`);
      expect(body['access-token']).toEqual({ key: AK, expiry: null });
      expect(headers['idempotency-replayed']).toBeUndefined();
      expect(Object.keys(body)).toEqual(['response', 'access-token']);
    });

    it('returns a Location below the path of the public URL', async () => {
      const other = await startTestAdapter({ baseUrl: 'https://register.example/dar/v1' });
      other.graph.roots = test.graph.roots;
      const request = { method: 'POST' as const, url: '/v1/access-records', headers: GOOD, payload: registration() };
      expect((await sendTo(other, request)).headers['location']).toBe(`/dar/v1/access-records/${AK}`);
      await other.adapter.close();
    });

    it('passes the names and enum values of GraphQL, and no null for an optional member', async () => {
      await register(registration());
      expect(test.graph.variables).toEqual({
        input: {
          recordMetadata: {
            schemaVersion: '1.0',
            controllerArrangement: {
              arrangementType: 'SOLE',
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
          },
          processing: {
            legalBasis: 'UK_CONSENT',
            purpose: 'Advice',
            dataTypes: ['HH_CONSUMPTION'],
            jurisdiction: 'GB',
          },
          accessEvent: {
            state: 'ACTIVE',
            registeredAt: '2026-11-20T09:29:41Z',
            expiry: null,
            consent: { consentType: 'EXPRESSED_CONSENT' },
          },
        },
      });
    });

    it('marks a repeated response by a header, not in the body', async () => {
      const { headers, body } = await register(registration(), { ...GOOD, 'idempotency-key': 'again' });
      expect(headers['idempotency-replayed']).toBe('true');
      expect(body).not.toHaveProperty('replayed');
    });

    it.each(['', 'with space', 'ü', 'x'.repeat(256)])('rejects the Idempotency-Key "%s"', async (key) => {
      const response = await register(registration(), { ...GOOD, 'idempotency-key': key });
      expect([response.status, codes(response)]).toEqual([400, ['VAL001']]);
      expect(test.graph.calls).toEqual([]);
    });

    it('reports every violation of the schema at once, by its JSON pointer, and never echoes a value', async () => {
      const body = registration();
      const arrangement = body['record-metadata']['controller-arrangement'] as Record<string, unknown[]>;
      arrangement['controllers'] = [{ role: 'chief', 'contact-url': 7, nonsense: 1 }];
      body['record-metadata']['identity-record-ref'] = 'ir_secret-value';
      body['record-metadata']['record-identifier'] = 'ak_secret-value';
      body['processing'] = { 'legal-basis': 'uk-secret', purpose: 'x'.repeat(501), 'data-types': [] };
      body['access-event'] = { state: 'ACTIVE', 'registered-at': 'yesterday-secret' };
      const response = await register(body);
      expect(response.status).toBe(400);
      expect(
        response.body.errors.map((error) => `${error['error-code']} ${error.message.split(':')[0]}`).toSorted(),
      ).toEqual([
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
      expect(JSON.stringify(response.body)).not.toContain('secret');
    });

    it('leaves read-only fields to the graph, which reports them together with other rules, if the body has no other violation', async () => {
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
      const response = await register(body);
      expect([response.status, messages(response)]).toEqual([
        400,
        [
          '/record-metadata/record-identifier: is set to 27',
          '/record-metadata/controller-arrangement/controllers/0/role: must be sole',
          '/record-metadata/controller-arrangement/art26-reference: must be null',
        ],
      ]);
    });

    it('rejects a read-only field that is not a string', async () => {
      const body = registration();
      body['record-metadata']['created-at'] = 5;
      expect(codes(await register(body))).toEqual(['VAL004']);
      expect(test.graph.calls).toEqual([]);
    });

    it('returns one entry for a field whose optional object is invalid, not one per alternative', async () => {
      const body = registration();
      (body['access-event'] as Record<string, unknown>)['consent'] = 'yes';
      expect(messages(await register(body))).toEqual(['/access-event/consent: must be an object']);
      (body['access-event'] as Record<string, unknown>)['consent'] = {};
      expect(messages(await register(body))).toEqual(['/access-event/consent/consent-type: is required']);
    });

    it('states the form of a retention period in words', async () => {
      const message =
        'must be an ISO 8601 duration, such as P1Y6M; only its last component may have a decimal fraction';
      const payload = JSON.parse(JSON.stringify(registration()).replace('"P2Y"', '"2 years"')) as unknown;
      const field = '/record-metadata/controller-arrangement/controllers/0/storage-conditions/retention-period';
      expect(messages(await register(payload))).toEqual([`${field}: ${message}`]);
    });

    it('reports at most 100 violations', async () => {
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
    ])('rejects a string with %s in any field', async (_, payload, pointer) => {
      expect(messages(await register(payload))).toContain(`${pointer}: contains a character that cannot be stored`);
    });

    it('accepts a body that starts with a byte order mark', async () => {
      const response = await register(`\ufeff${JSON.stringify(registration())}`, { ...GOOD, ...JSON_TYPE });
      expect(response.status).toBe(201);
    });

    it.each([
      ['not JSON', '{"a":'],
      ['empty', ''],
      ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ])('returns VAL010 for a body that is %s', async (_, payload) => {
      const response = await register(payload, { ...GOOD, ...JSON_TYPE });
      expect([response.status, codes(response)]).toEqual([400, ['VAL010']]);
    });

    it.each([
      ['an empty body', '', JSON_TYPE, 'The body is missing: send a JSON object.'],
      ['no body', undefined, {}, 'The body is missing: send a JSON object.'],
      [
        'the media type of a form',
        'a=b',
        { 'content-type': 'application/x-www-form-urlencoded' },
        'The media type of the body is not supported: send Content-Type: application/json.',
      ],
      [
        'a content coding',
        '{}',
        { ...JSON_TYPE, 'content-encoding': 'gzip' },
        'The body has a content coding: send it without Content-Encoding.',
      ],
    ])('names the remedy for %s', async (_, payload, headers, message) => {
      expect(messages(await register(payload, { ...GOOD, ...headers }))).toEqual([message]);
    });

    it('names the remedy for a body without a media type', async () => {
      const { adapter } = test;
      const request = { method: 'POST', url: '/v1/access-records', headers: GOOD, payload: '{}' } as const;
      const { statusCode, body } = await adapter.app.inject(request);
      expect(statusCode).toBe(415);
      expect(body).toContain('The body has no media type: send Content-Type: application/json.');
    });

    it('is not affected by __proto__, constructor, deep nesting or a flood of values', async () => {
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

    it('checks at most the maximum number of values', async () => {
      const body = { ...registration(), notice: Array.from({ length: 60_000 }, () => 1) };
      expect(messages(await register(body))).toEqual(['has more than 20000 values']);
    });

    it('leaves the form of a URL to the graph, which reports VAL008', async () => {
      const body = registration();
      (body['notice'] as Record<string, Record<string, unknown>>)['shared-notice'] = {
        'terms-url': `ftp://${'x'.repeat(3000)}`,
        'notice-version': '1',
      };
      expect((await register(body)).status).toBe(201);
    });
  });

  describe('the precedence of checks', () => {
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
      const response = await send({ ...request, headers });
      expect([response.status, response.body.errors.length]).toEqual([status, 1]);
      expect(test.graph.calls).toEqual([]);
    });

    it('reports the first of several failures of the graph', async () => {
      const failures: GraphFailure[] = [
        { code: 'CND001', message: '' },
        { code: 'PRM002', message: 'not yours' },
        { code: 'CNF001', message: '' },
      ];
      const run = jest.spyOn(test.graph, 'run').mockResolvedValueOnce({ data: null, failures });
      const response = await send({ method: 'DELETE', url: `/v1/access-records/${AK}`, headers: GOOD });
      expect([response.status, messages(response)]).toEqual([403, ['not yours']]);
      run.mockRestore();
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

    it('returns the new version of a replaced record as ETag', async () => {
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
      ['"abc"', []],
      ['"99999999999999"', []],
    ])('passes the header If-Match: %s to the graph as the versions %j', async (ifMatch, versions) => {
      await replacement(ifMatch);
      expect((test.graph.variables as { ifVersions?: number[] }).ifVersions).toEqual(versions);
    });

    it.each(['*', '"3"'])(
      'makes no change with If-None-Match: %s, which demands that the record does not exist',
      async (tags) => {
        const [url, headers] = [`/v1/access-records/${AK}`, { ...GOOD, 'if-none-match': tags }];
        const revoked = { ak: AK, revokedAt: new Date(0) };
        Object.assign(test.graph.roots, { revokeAccessRecord: () => revoked });
        for (const change of [{ method: 'PUT' as const, payload: registration() }, { method: 'DELETE' as const }]) {
          const response = await send({ ...change, url, headers });
          expect([response.status, codes(response)]).toEqual([412, ['CND001']]);
          expect(test.graph.variables).toMatchObject({ dryRun: true });
        }
      },
    );

    it.each(['NTF001', 'PRM002', 'VAL003'] as const)(
      'reports %s before a precondition that is not met',
      async (code) => {
        test.graph.roots = { replaceAccessRecord: () => Promise.reject(new RegisterError(code)) };
        const url = `/v1/access-records/${AK}`;
        const headers = { ...GOOD, 'if-none-match': '*' };
        const response = await send({ method: 'PUT', url, headers, payload: registration() });
        expect(codes(response)).toEqual([code]);
      },
    );

    it.each(['3', '"3', '"3", 4', "'3'", '*, "3"'])(
      'rejects If-Match %s, which is no list of entity tags',
      async (ifMatch) => {
        const response = await replacement(ifMatch);
        expect([response.status, messages(response)]).toEqual([
          400,
          ['header If-Match: must be * or entity tags in double quotes, as in the header ETag'],
        ]);
      },
    );
  });
}
