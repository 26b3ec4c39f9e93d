import { RegisterError } from '../../../../schema/register-error';
import { broken, adapterOfChapter } from '../../../support/rest-graph';
import { GOOD, type Sent, sendTo } from '../../../support/rest-sending';

export function tariffs(): void {
  const test = adapterOfChapter();

  const TARIFF = 'trf_0d4f8a1be7c92035f6418d2a9c3b5e70';
  const USER = 'usr_5b0e1c7d94a2f3864d1e0fa25c7b9a13';
  const SECRET = `whsec_${'A'.repeat(43)}=`;
  const REGISTRATION = '3f6f5a52-8f0e-4c55-9f4a-0b8d9c1e7a26';
  const KEY = { 'x-supplier-api-key': 'good' };

  /** A response body, read by member name. */
  type JsonBody = Record<string, ReturnType<typeof JSON.parse>>;

  async function send(request: Sent) {
    const { status, headers, body } = await sendTo(test, request);
    return { status, headers, body: body as unknown as JsonBody };
  }

  const rejected = async (request: Sent) => {
    const { status, body } = await send(request);
    return [status, body];
  };

  /** The tariff of the contract's example in GraphQL form; absent values are null. */
  const tariff = {
    tariffId: TARIFF,
    name: 'Larkmoor Night Saver',
    description: null,
    version: 2,
    tariffType: 'STATIC',
    fuelType: 'ELECTRICITY',
    energyFlow: 'IMPORT',
    paymentMethod: 'NON_DIRECT_DEBIT',
    meterType: 'MULTI_RATE',
    customerType: 'RESIDENTIAL',
    ldzRegion: 'NO',
    percentageGreen: 62.5,
    standingCharge: '0.5312',
    vatIncluded: false,
    vatRate: 5,
    tierPeriod: 'MONTH',
    comments: null,
    validFrom: new Date('2026-04-01T00:00:00Z'),
    validTo: null,
    sellableFrom: null,
    sellableTo: null,
    lastModified: new Date('2026-03-12T10:00:00.25Z'),
    rates: [
      {
        months: ['JAN', 'DEC'],
        dates: null,
        daysAndHours: [
          {
            days: ['ALL'],
            hours: [
              {
                validFrom: '00:00:00',
                validTo: '00:00:00',
                rate: [
                  { unitPrice: '0.28', toKwh: '8.5' },
                  { unitPrice: '0.3004', toKwh: null },
                ],
              },
            ],
          },
        ],
      },
    ],
  };

  const shown = {
    tariff_id: TARIFF,
    name: 'Larkmoor Night Saver',
    version: 2,
    tariff_type: 'static',
    fuel_type: 'electricity',
    energy_flow: 'import',
    payment_method: 'non_direct_debit',
    meter_type: 'multi_rate',
    customer_type: 'residential',
    ldz_region: 'NO',
    percentage_green: 62.5,
    standing_charge: '0.5312',
    vat_included: false,
    vat_rate: 5,
    tier_period: 'month',
    valid_from: '2026-04-01T00:00:00.000Z',
    last_modified: '2026-03-12T10:00:00.250Z',
    rates: [
      {
        months: ['Jan', 'Dec'],
        days_and_hours: [
          {
            days: ['All'],
            hours: [
              {
                valid_from: '00:00:00',
                valid_to: '00:00:00',
                rate: [
                  { unit_price: '0.28', to_kwh: 8.5 },
                  { unit_price: '0.3004', to_kwh: null },
                ],
              },
            ],
          },
        ],
      },
    ],
  };

  const page = (data: unknown[], nextOffset: number | null) => ({
    data,
    meta: { total: 41, limit: 20, offset: 20, nextOffset },
  });

  describe('a tariff', () => {
    it('is a list of one, with the names of the contract and without absent members', async () => {
      test.graph.roots = { supplier: () => ({ tariff: () => tariff }) } as never;
      const { status, body } = await send({ url: `/v1/tariff/LARK/${TARIFF}` });
      expect([status, body]).toEqual([200, { data: [shown] }]);
      expect(test.graph.variables).toEqual({ mpid: 'LARK', tariffId: TARIFF });
    });

    it('has the status of a supplier that is not active', async () => {
      test.graph.roots = { supplier: () => ({ tariff: () => ({ ...tariff, supplierStatus: 'DISABLED' }) }) } as never;
      const { body } = await send({ url: `/v1/tariff/LARK/${TARIFF}` });
      expect(body).toEqual({ data: [{ ...shown, supplier_status: 'disabled' }] });
    });

    it('may be read by pages of any origin, errors too; the tariffs of a consumer may not', async () => {
      const origin = 'access-control-allow-origin';
      test.graph.roots = { supplier: () => ({ tariff: () => tariff }) } as never;
      expect((await send({ url: `/v1/tariff/LARK/${TARIFF}` })).headers[origin]).toBe('*');
      expect((await send({ url: '/v1/tariff/LARK/trf_0' })).headers[origin]).toBe('*');
      expect((await send({ url: '/v1/tariff/customer' })).headers[origin]).toBeUndefined();
    });

    it('of an unknown supplier differs from an unknown one of a known supplier', async () => {
      test.graph.roots = { supplier: () => null };
      expect(await rejected({ url: `/v1/tariff/LARK/${TARIFF}` })).toEqual([
        404,
        { code: 'supplier_not_found', message: 'The supplier is not known.' },
      ]);
      test.graph.roots = { supplier: () => ({ tariff: null }) };
      expect(await rejected({ url: `/v1/tariff/LARK/${TARIFF}` })).toEqual([
        404,
        { code: 'tariff_not_found', message: 'The tariff is not known.' },
      ]);
    });

    it.each([
      ['LAR', TARIFF, 'mpid'],
      ['lark', TARIFF, 'mpid'],
      ['customer', TARIFF, 'mpid'],
      ['LARK', 'trf_0', 'tariff_id'],
      ['LARK', TARIFF.toUpperCase(), 'tariff_id'],
    ])('of the malformed path %s/%s is a bad request', async (mpid, tariffId, path) => {
      const { status, body } = await send({ url: `/v1/tariff/${mpid}/${tariffId}` });
      expect([status, body['code'], body['details']]).toEqual([
        400,
        'invalid_parameter',
        [{ path, code: 'VAL001', message: expect.stringContaining('pattern') as string }],
      ]);
      expect(test.graph.calls).toEqual([]);
    });
  });

  describe('the tariffs of a supplier', () => {
    it('are paged, with the offset of the next page', async () => {
      test.graph.roots = { supplier: () => ({ tariffPage: () => page([tariff], 40) }) } as never;
      const { body } = await send({ url: '/v1/tariff/LARK?offset=20' });
      expect(body).toEqual({
        data: [
          {
            tariff_id: TARIFF,
            name: 'Larkmoor Night Saver',
            last_modified: '2026-03-12T10:00:00.250Z',
            tariff_type: 'static',
            fuel_type: 'electricity',
            meter_type: 'multi_rate',
            customer_type: 'residential',
          },
        ],
        meta: { total: 41, limit: 20, offset: 20, next_offset: 40 },
      });
      expect(test.graph.variables).toEqual({ mpid: 'LARK', limit: 20, offset: 20 });
    });

    it('are whole with detail=full, by another operation', async () => {
      test.graph.roots = { supplier: () => ({ tariffPage: () => page([tariff], 21) }) } as never;
      const { body } = await send({ url: '/v1/tariff/LARK?offset=20&detail=full' });
      expect(body).toEqual({ data: [shown], meta: { total: 41, limit: 20, offset: 20, next_offset: 21 } });
      expect(test.graph.calls.at(-1)?.operation).toBe('ListWholeTariffs');
      expect(test.graph.variables).toEqual({ mpid: 'LARK', limit: 20, offset: 20 });
      await send({ url: '/v1/tariff/LARK?detail=summary' });
      expect(test.graph.calls.at(-1)?.operation).toBe('ListTariffs');
    });

    it('have one detail, and parameters by the same rules with each', async () => {
      const { body } = await send({ url: '/v1/tariff/LARK?detail=full&limit=0&years=1' });
      expect(body['details'].map(({ path }: { path: string }) => path)).toEqual(['limit', 'years']);
      const twice = await send({ url: '/v1/tariff/LARK?detail=full&detail=full' });
      expect([twice.status, twice.body['details'].map(({ path }: { path: string }) => path)]).toEqual([
        400,
        ['detail'],
      ]);
    });

    it('have no next_offset on the last page', async () => {
      test.graph.roots = { supplier: () => ({ tariffPage: () => page([], null) }) } as never;
      const { body } = await send({ url: '/v1/tariff/LARK' });
      expect(body['meta']).toEqual({ total: 41, limit: 20, offset: 20 });
    });

    it.each(['summary', 'full'])('are selected by every filter with detail=%s', async (detail) => {
      const received: unknown[] = [];
      const tariffPage = (arguments_: unknown) => (received.push(arguments_), page([], null));
      test.graph.roots = { supplier: () => ({ tariffPage }) } as never;
      const query = new URLSearchParams({
        ...{ tariff_type: 'dynamic', fuel_type: 'gas', energy_flow: 'export', payment_method: 'direct_debit' },
        ...{ ldz_region: 'NO', meter_type: 'single_rate', customer_type: 'business', limit: '100' },
        ...{ valid_from: '2026-01-01T00:00:00Z', valid_to: '2026-02-01T00:00:00+01:00' },
        ...{ on_sale_at: '2026-03-01T00:00:00Z', modified_since: '2026-04-01T00:00:00Z', detail },
      });
      expect((await send({ url: `/v1/tariff/LARK?${query}` })).status).toBe(200);
      expect(test.graph.variables).toMatchObject({ mpid: 'LARK' });
      const filter = {
        ...{ tariffType: 'DYNAMIC', fuelType: 'GAS', energyFlow: 'EXPORT', paymentMethod: 'DIRECT_DEBIT' },
        ...{ ldzRegion: 'NO', meterType: 'SINGLE_RATE', customerType: 'BUSINESS' },
        ...{ validFrom: new Date('2026-01-01'), validTo: new Date('2026-01-31T23:00:00Z') },
        ...{ onSaleAt: new Date('2026-03-01'), modifiedSince: new Date('2026-04-01') },
      };
      expect(received).toMatchObject([{ limit: 100, offset: 0, filter }]);
    });

    it.each([
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=1e1', 'limit'],
      ['limit=', 'limit'],
      ['limit=1&limit=2', 'limit'],
      ['offset=-1', 'offset'],
      ['offset=2147483648', 'offset'],
      ['tariff_type=STATIC', 'tariff_type'],
      ['fuel_type=oil', 'fuel_type'],
      ['ldz_region=no', 'ldz_region'],
      ['payment_method=', 'payment_method'],
      ['valid_from=2026-01-01', 'valid_from'],
      ['valid_to=tomorrow', 'valid_to'],
      ['page=2', 'page'],
      ['tariffType=static', 'tariffType'],
      ['constructor=1', 'constructor'],
    ])('are rejected for ?%s', async (query, path) => {
      const { status, body } = await send({ url: `/v1/tariff/LARK?${query}` });
      expect([status, body['code'], body['details'].map((each: { path: string }) => each.path)]).toEqual([
        400,
        'invalid_parameter',
        [path],
      ]);
      expect(body['message']).toBe(`query parameter ${path}: ${body['details'][0].message}`);
    });

    it('are rejected with all violations at once', async () => {
      const { body } = await send({ url: '/v1/tariff/lark?limit=0&fuel_type=oil&more=1' });
      expect(body['details'].map(({ path }: { path: string }) => path)).toEqual(['mpid', 'limit', 'fuel_type', 'more']);
      expect(body['message'].split('\n')).toHaveLength(4);
    });

    it.each([
      ['as a field of the filter', ['filter', 'validTo']],
      ['by its own name', ['validTo']],
    ])('are rejected for a violation of the graph by a filter, named %s', async (_, path) => {
      const violation = { code: 'VAL003' as const, path, message: 'must be after the beginning of the window' };
      test.graph.roots = { supplier: () => ({ tariffPage: () => broken(violation) }) };
      expect(await rejected({ url: '/v1/tariff/LARK?valid_to=2026-01-01T00:00:00Z' })).toEqual([
        400,
        {
          code: 'invalid_parameter',
          message: 'query parameter valid_to: must be after the beginning of the window',
          details: [{ path: 'valid_to', code: 'VAL003', message: 'must be after the beginning of the window' }],
        },
      ]);
    });
  });

  describe('the lookups', () => {
    const user = {
      ...{ userId: USER, name: 'Pennywise Tariff Watch Ltd', displayName: 'Pennywise', status: 'ACTIVE' },
      ...{ support: 'https://pennywise.example/help', lastModified: new Date('2026-11-20T09:30:00Z') },
    };

    it.each([
      ['active entries', 'active=true', { active: true }],
      ['inactive entries', 'active=false', { active: false }],
      ['all entries', '', {}],
    ])('return %s for the query "%s"', async (_, query, variables) => {
      test.graph.roots = { supplierPage: () => page([], null), rtiUserPage: () => page([], null) };
      for (const path of ['suppliers', 'users']) {
        expect((await send({ url: `/v1/${path}?${query}` })).status).toBe(200);
        expect(test.graph.variables).toEqual({ ...variables, limit: 20, offset: 0 });
      }
    });

    it.each(['active=yes', 'active=1', 'active=', 'active=TRUE', 'active=true&active=false'])(
      'reject ?%s',
      async (query) => {
        for (const path of ['suppliers', 'users']) {
          const { status, body } = await send({ url: `/v1/${path}?${query}` });
          expect([status, body['code'], body['details'][0].path]).toEqual([400, 'invalid_parameter', 'active']);
        }
      },
    );

    it('return the RTI User of the graph', async () => {
      test.graph.roots = { rtiUser: () => ({ ...user, webhookUrl: null, contact: null }) };
      const { body } = await send({ url: `/v1/users/${USER}` });
      expect(body).toEqual({
        ...{ user_id: USER, name: 'Pennywise Tariff Watch Ltd', display_name: 'Pennywise', status: 'active' },
        ...{ support: 'https://pennywise.example/help', last_modified: '2026-11-20T09:30:00.000Z' },
      });
      const contact = { name: null, email: 'operations@pennywise.example', telephone: null };
      test.graph.roots = { rtiUser: () => ({ ...user, webhookUrl: 'https://pennywise.example/events', contact }) };
      expect((await send({ url: `/v1/users/${USER}`, headers: KEY })).body).toMatchObject({
        webhook_url: 'https://pennywise.example/events',
        contact: { email: 'operations@pennywise.example' },
      });
      expect(test.graph.calls.at(-1)?.metadata.supplierKey).toBe('good');
    });

    it('reject an unknown RTI User', async () => {
      test.graph.roots = { rtiUser: () => null };
      expect(await rejected({ url: `/v1/users/${USER}` })).toEqual([
        404,
        { code: 'user_not_found', message: 'The RTI User is not known.' },
      ]);
    });
  });

  describe('a consent', () => {
    const consent = (isNew: boolean) => ({
      registrationId: REGISTRATION,
      tariffs: [{ mpxn: '991234567890', tariffId: TARIFF }],
      isNew,
    });
    const give = (payload: unknown, headers = GOOD as Record<string, string>) =>
      send({ method: 'POST', url: '/v1/consent', headers, payload });

    it.each([
      ['is new', 201, true],
      ['exists already', 200, false],
    ])('that %s is returned with %i', async (_, status, isNew) => {
      test.graph.roots = { giveTariffConsent: () => consent(isNew) };
      const response = await give({});
      expect([response.status, response.body]).toEqual([
        status,
        { data: { registration_id: REGISTRATION, tariffs: [{ mpxn: '991234567890', tariff_id: TARIFF }] } },
      ]);
      expect(test.graph.variables).toEqual({});
    });

    it.each([
      ['a member', { mpxn: '991234567890' }, '/mpxn'],
      ['a list', [], ''],
      ['no JSON', '{', ''],
      ['nothing', '', ''],
    ])('with %s in its body is a bad request', async (_, payload, path) => {
      const { status, body } = await give(payload, { ...GOOD, 'content-type': 'application/json' });
      expect([status, body['code'], body['details'][0].path]).toEqual([400, 'invalid_request', path]);
    });

    it('may have a body of 2 MiB; 413 follows the check of the credential', async () => {
      test.graph.roots = { giveTariffConsent: () => consent(true) };
      const json = { 'content-type': 'application/json' };
      const bodyOf = (bytes: number) => `{${' '.repeat(bytes - 2)}}`;
      const limit = 2 * 1024 * 1024;
      expect((await give(bodyOf(limit), { ...GOOD, ...json })).status).toBe(201);
      const tooLarge = await give(bodyOf(limit + 1), { ...GOOD, ...json });
      expect([tooLarge.status, tooLarge.body]).toEqual([
        413,
        { code: 'payload_too_large', message: 'The body is larger than 2 MiB.' },
      ]);
      for (const bytes of [limit, limit + 1]) expect((await give(bodyOf(bytes), json)).status).toBe(401);
    });

    it('is revoked without a response body', async () => {
      test.graph.roots = { revokeTariffConsent: () => ({ registrationId: REGISTRATION }) };
      const { status, body } = await send({ method: 'DELETE', url: `/v1/consent/${REGISTRATION}`, headers: GOOD });
      expect([status, body]).toEqual([204, undefined]);
    });

    it('that is unknown differs from one with a malformed id', async () => {
      test.graph.roots = {
        revokeTariffConsent: () => {
          throw new RegisterError('NTF005');
        },
      };
      const revoke = (id: string) => rejected({ method: 'DELETE', url: `/v1/consent/${id}`, headers: GOOD });
      expect(await revoke(REGISTRATION)).toEqual([
        404,
        { code: 'registration_not_found', message: 'The registration is not known.' },
      ]);
      expect(await revoke('one')).toMatchObject([
        400,
        { code: 'invalid_parameter', details: [{ path: 'registration_id' }] },
      ]);
    });
  });

  describe('a webhook', () => {
    const register = (payload: unknown) => send({ method: 'POST', url: '/v1/webhook', headers: GOOD, payload });

    it('is registered with its URL, and its secret returned', async () => {
      const registration = { webhookId: REGISTRATION, signingSecret: SECRET, isNew: true };
      test.graph.roots = { registerRtiWebhook: () => registration };
      const { status, body } = await register({ webhook_url: 'https://pennywise.example/events' });
      expect([status, body]).toEqual([201, { webhook_id: REGISTRATION, signing_secret: SECRET }]);
      expect(test.graph.variables).toEqual({ webhookUrl: 'https://pennywise.example/events' });
    });

    it('with a URL that the graph rejects is reported by its wire name', async () => {
      const violation = { code: 'VAL008' as const, path: ['webhookUrl'], message: 'must be https' };
      test.graph.roots = { registerRtiWebhook: () => broken(violation) };
      expect((await register({ webhook_url: 'http://pennywise.example/events' })).body).toEqual({
        code: 'invalid_request',
        message: '/webhook_url: must be https',
        details: [{ path: '/webhook_url', code: 'VAL008', message: 'must be https' }],
      });
    });

    it.each([
      [{}, '/webhook_url', 'VAL002'],
      [{ webhook_url: null }, '/webhook_url', 'VAL003'],
      [{ webhook_url: 1 }, '/webhook_url', 'VAL003'],
      [{ webhook_url: 'https://a.example', url: 'https://b.example' }, '/url', 'VAL003'],
    ])('with the body %j is rejected, and the error names the field "%s"', async (payload, path, code) => {
      const { status, body } = await register(payload);
      expect([status, body['details'].map((each: object) => ({ ...each, message: '' }))]).toEqual([
        400,
        [{ path, code, message: '' }],
      ]);
    });

    it('has its own paths, separate from those of Interface A', async () => {
      const { body } = await send({ url: '/v1/webhooks' });
      expect(body['errors']).toEqual([{ 'error-code': 'AUT001', message: expect.any(String) as string }]);
    });
  });

  describe('a performance report', () => {
    const report = {
      ...{ period_start: '2026-11-01T00:00:00Z', period_end: '2026-12-01T00:00:00Z' },
      ...{ total_requests: 5_000_000_000, notifications_issued: 0, availability_pct: 99.97, success_pct: 100 },
      response_time_ms: { p50: 41, p95: 180, p99: 420 },
    };
    const submit = (payload: unknown, headers: Record<string, string> = KEY) =>
      send({ method: 'POST', url: '/v1/report', headers, payload });

    it('is accepted with the key of a supplier', async () => {
      const receipt = { reportId: REGISTRATION, receivedAt: new Date('2026-12-02T08:00:00Z') };
      test.graph.roots = { submitPerformanceReport: () => receipt };
      const { status, body } = await submit(report);
      expect([status, body]).toEqual([202, { report_id: REGISTRATION, received_at: '2026-12-02T08:00:00.000Z' }]);
      expect(test.graph.variables).toEqual({
        input: {
          ...{ periodStart: '2026-11-01T00:00:00Z', periodEnd: '2026-12-01T00:00:00Z', totalRequests: 5_000_000_000 },
          ...{ notificationsIssued: 0, availabilityPct: 99.97, successPct: 100 },
          responseTimeMs: { p50: 41, p95: 180, p99: 420 },
        },
      });
    });

    it.each([
      ['availability_pct', 100.1],
      ['success_pct', -1],
      ['total_requests', 1.5],
      ['total_requests', '5'],
      ['response_time_ms', {}],
      ['period_start', '2026-11-01'],
    ])('whose %s is %j is rejected', async (field, value) => {
      const { status, body } = await submit({ ...report, [field]: value });
      expect([status, body['code'], body['details'][0].path]).toEqual([
        400,
        'invalid_request',
        expect.stringContaining(`/${field}`),
      ]);
    });

    it('is rejected by rules of the graph, with wire names', async () => {
      test.graph.roots = {
        submitPerformanceReport: () =>
          broken(
            { code: 'VAL003', path: ['periodEnd'], message: 'must be later' },
            { code: 'VAL003', path: ['responseTimeMs', 'p95'], message: 'must not be less than p50' },
          ),
      };
      const { body } = await submit(report);
      expect(body['details'].map(({ path }: { path: string }) => path)).toEqual([
        '/period_end',
        '/response_time_ms/p95',
      ]);
    });

    it.each([
      ['without a key', {}, 'unauthorized', 'ApiKey realm="Central Data Access Register"'],
      [
        'with a wrong key',
        { 'x-supplier-api-key': 'x' },
        'invalid_api_key',
        'ApiKey realm="Central Data Access Register"',
      ],
    ])('%s is rejected before any other error of the request', async (_, headers, code, challenge) => {
      const response = await submit({}, headers);
      expect([response.status, response.body['code'], response.headers['www-authenticate']]).toEqual([
        401,
        code,
        challenge,
      ]);
    });
  });

  describe('credentials', () => {
    const PUBLIC = ['/v1/suppliers', '/v1/users', `/v1/users/${USER}`, '/v1/tariff/LARK', `/v1/tariff/LARK/${TARIFF}`];

    it.each(PUBLIC)('are verified at %s, too, before other violations of the request', async (path) => {
      for (const [headers, code] of [
        [{ authorization: 'Bearer x' }, 'unauthorized'],
        [{ authorization: 'Bearer expired' }, 'token_expired'],
        [{ 'x-supplier-api-key': 'x' }, 'invalid_api_key'],
        [{ ...GOOD, ...KEY }, 'unauthorized'],
      ] as const) {
        for (const query of ['', '?nonsense=1']) {
          const { status, body } = await send({ url: `${path}${query}`, headers });
          expect([status, body['code']]).toEqual([401, code]);
        }
      }
    });

    it('of a supplier are accepted by Interface D only', async () => {
      test.graph.roots = { accessRecord: () => null };
      await send({ url: '/v1/access-records/ak_5d3f9a1c7be2048643d1e0fa', headers: KEY });
      expect(test.graph.calls[0]?.metadata.supplierKey).toBeUndefined();
    });

    it('cause a Bearer challenge, unless the key was wrong', async () => {
      const challengeOf = async (headers: Record<string, string>) =>
        (await send({ url: '/v1/tariff/customer', headers })).headers['www-authenticate'];
      const realm = 'realm="Central Data Access Register"';
      expect(await challengeOf({})).toBe(`Bearer ${realm}`);
      expect(await challengeOf({ authorization: 'Bearer x' })).toBe(`Bearer ${realm}, error="invalid_token"`);
      expect(await challengeOf({ 'x-supplier-api-key': 'x' })).toBe(`ApiKey ${realm}`);
    });
  });

  describe('an error response of Interface D', () => {
    it('contains Retry-After', async () => {
      test.graph.roots = {
        customerTariffs: () => {
          throw new RegisterError('LIM002', undefined, { retryAfter: 7 });
        },
      };
      const { status, headers, body } = await send({ url: '/v1/tariff/customer', headers: GOOD });
      expect([status, headers['retry-after']]).toEqual([429, '7']);
      expect(body).toEqual({ code: 'too_many_requests', message: expect.any(String) });
    });

    it('has the same form for unknown paths, and for errors of the web server', async () => {
      const wrong = await send({ method: 'PUT', url: '/v1/tariff/customer', headers: GOOD });
      expect([wrong.status, wrong.headers['allow'], wrong.body['code']]).toEqual([
        405,
        'GET, HEAD',
        'method_not_allowed',
      ]);
      const unknown = await send({ url: '/v1/suppliers/LARK' });
      expect([unknown.status, unknown.body]).toEqual([404, { code: 'not_found', message: 'Not found.' }]);
      const large = await send({ method: 'POST', url: '/v1/consent', headers: GOOD, payload: ' '.repeat(2_097_153) });
      expect([large.status, large.body['code']]).toEqual([413, 'payload_too_large']);
      const media = { ...GOOD, 'content-type': 'text/plain' };
      const text = await send({ method: 'POST', url: '/v1/consent', headers: media, payload: '{}' });
      expect([text.status, text.body['code']]).toEqual([415, 'unsupported_media_type']);
      const html = await send({ url: '/v1/suppliers', headers: { accept: 'text/html' } });
      expect([html.status, html.body['code']]).toEqual([406, 'not_acceptable']);
    });
  });

  describe('the reference of Interface D', () => {
    it('names the two servers', async () => {
      const { body } = await send({ url: '/openapi/d.json' });
      const serversOf = (path: string) => body['paths'][path].servers;
      expect(serversOf('/v1/suppliers')[0].url).toBe('{register_url}');
      expect(serversOf('/v1/suppliers')[0].variables.register_url.default).toBe('https://register.example');
      expect(serversOf('/v1/consent')[0].variables.supplier_url.default).toBe('https://register.example');
    });
  });
}
