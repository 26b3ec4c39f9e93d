import { RegisterError } from '../../../../schema/register-error';
import {
  AK,
  CREDENTIAL,
  IR,
  MPXN,
  TOKEN_REF,
  broken,
  reidentification,
  adapterOfChapter,
} from '../../../support/rest-graph';
import { GOOD, type Sent, codes, messages, sendTo } from '../../../support/rest-sending';

export function reidentificationRequests(): void {
  const RETURN_URL = 'https://harbourlight.example/return';

  const test = adapterOfChapter();

  const send = (request: Sent) => sendTo(test, { headers: GOOD, ...request });

  describe('starting a re-identification', () => {
    const byMeterPoint = (payload: object, headers: Record<string, string> = GOOD) =>
      send({ method: 'POST', url: '/v1/identity-records/reidentify', headers, payload });

    it('returns the magic link with its masked address, and null for the passkey', async () => {
      test.graph.roots = { reidentify: () => reidentification };
      const { status, headers, body } = await byMeterPoint({ mpxn: MPXN, method: 'magic-link' });
      expect([status, headers['location'], headers['idempotency-replayed']]).toEqual([200, undefined, undefined]);
      const { response: _, ...payload } = body;
      expect(payload).toEqual({
        method: 'magic-link',
        'magic-link': {
          'dispatched-to': 'r***@w***.example',
          'expires-at': '2026-11-20T09:40:00.000Z',
          'token-ref': TOKEN_REF,
          'redirect-url': null,
        },
        passkey: null,
      });
      expect(test.graph.variables).toEqual({ input: { mpxn: MPXN, method: 'MAGIC_LINK' } });
    });

    it('returns the redirect of a passkey ceremony, and null for the magic link', async () => {
      const passkey = {
        redirectUrl: 'https://identity.example/identify/passkey/x',
        tokenRef: TOKEN_REF,
        expiresAt: new Date('2026-11-20T09:35:00Z'),
        returnUrl: RETURN_URL,
      };
      test.graph.roots = {
        reidentifyOwn: () => ({ method: 'PASSKEY_ASSERT', magicLink: null, passkey, replayed: true }),
      };
      const { status, headers, body } = await send({
        method: 'POST',
        url: `/v1/identity-records/${IR}/re-identify`,
        headers: { ...GOOD, 'idempotency-key': 'again' },
        payload: { method: 'passkey-assert', 'passkey-return-url': RETURN_URL },
      });
      expect([status, headers['idempotency-replayed']]).toEqual([200, 'true']);
      const { response: _, ...payload } = body;
      expect(payload).toEqual({
        method: 'passkey-assert',
        'magic-link': null,
        passkey: {
          'redirect-url': passkey.redirectUrl,
          'token-ref': TOKEN_REF,
          'expires-at': '2026-11-20T09:35:00.000Z',
          'return-url': RETURN_URL,
        },
      });
      expect(test.graph.variables).toEqual({
        ir: IR,
        idempotencyKey: 'again',
        input: { method: 'PASSKEY_ASSERT', passkeyReturnUrl: RETURN_URL },
      });
    });

    it('returns null if the customer of a passkey ceremony stays on the page of the register', async () => {
      const passkey = {
        redirectUrl: 'https://identity.example/identify/passkey/x',
        tokenRef: TOKEN_REF,
        expiresAt: new Date('2026-11-20T09:35:00Z'),
        returnUrl: null,
      };
      test.graph.roots = {
        reidentify: () => ({ method: 'PASSKEY_ASSERT', magicLink: null, passkey, replayed: false }),
      };
      const { status, body } = await byMeterPoint({ mpxn: MPXN, method: 'passkey-assert' });
      expect(status).toBe(200);
      expect(body).toMatchObject({ passkey: { 'return-url': null } });
    });

    it('names the field of the body that violates a rule of the graph', async () => {
      test.graph.roots = {
        reidentify: () => broken({ code: 'VAL008', path: ['passkeyReturnUrl'], message: 'is not registered' }),
      };
      const response = await byMeterPoint({
        mpxn: MPXN,
        method: 'passkey-assert',
        'passkey-return-url': 'https://x.example',
      });
      expect([response.status, messages(response)]).toEqual([400, ['/passkey-return-url: is not registered']]);
    });

    it('reports all violations of the contract at once', async () => {
      const response = await byMeterPoint({ mpxn: 'x', method: 'fax', 'redirect-url': 7, ir: IR });
      expect(messages(response).map((message) => message.split(':')[0])).toEqual([
        '/ir',
        '/mpxn',
        '/method',
        '/redirect-url',
      ]);
      expect(test.graph.calls).toEqual([]);
    });

    it.each([
      ['NTF001', 404],
      ['CNF003', 409],
      ['REI001', 422],
    ] as const)('returns %i for %s', async (code, status) => {
      test.graph.roots = { reidentify: () => Promise.reject(new RegisterError(code)) };
      const response = await byMeterPoint({ mpxn: MPXN, method: 'magic-link' });
      expect([response.status, codes(response)]).toEqual([status, [code]]);
    });
  });

  describe('confirming a re-identification', () => {
    const confirmed = { method: 'MAGIC_LINK', status: 'CONFIRMED', confirmedAt: new Date('2026-11-20T09:32:48.215Z') };

    it.each([
      ['by meter point', `/v1/identity-records/reidentify/${TOKEN_REF}`, { tokenRef: TOKEN_REF }],
      ['of an own record', `/v1/identity-records/${IR}/re-identify/${TOKEN_REF}`, { ir: IR, tokenRef: TOKEN_REF }],
    ])('returns the status of one %s', async (_, url, variables) => {
      test.graph.roots = { reidentification: () => confirmed, ownReidentification: () => confirmed };
      const { status, body } = await send({ url });
      const { response, ...payload } = body;
      expect([status, payload]).toEqual([
        200,
        { method: 'magic-link', status: 'confirmed', 'confirmed-at': '2026-11-20T09:32:48.215Z' },
      ]);
      expect([response.resource, test.graph.variables]).toEqual([url, variables]);
    });

    it('returns 404 for an unknown token, 400 for a malformed one', async () => {
      test.graph.roots = { reidentification: () => null, ownReidentification: () => null };
      for (const path of ['reidentify', `${IR}/re-identify`]) {
        const unknown = await send({ url: `/v1/identity-records/${path}/${TOKEN_REF}` });
        expect([unknown.status, codes(unknown)]).toEqual([404, ['NTF001']]);
        const malformed = await send({ url: `/v1/identity-records/${path}/mlr_1` });
        expect([malformed.status, messages(malformed)]).toEqual([
          400,
          ['path parameter token-ref: must match pattern "^mlr_[0-9a-f]{24}$"'],
        ]);
      }
    });

    it('is logged by its template, never by the token', async () => {
      test.graph.roots = { reidentification: () => confirmed };
      await send({ url: `/v1/identity-records/reidentify/${TOKEN_REF}` });
      expect(test.lines.map(({ route }) => route)).toEqual(['/v1/identity-records/reidentify/{token-ref}']);
      expect(JSON.stringify(test.lines)).not.toContain(TOKEN_REF);
    });
  });

  describe('removing a passkey', () => {
    const url = `/v1/identity-records/${IR}/credentials/${CREDENTIAL}`;

    it('returns 204 without a body, with the transaction id as header', async () => {
      test.graph.roots = { removeCredential: () => ({ credentialId: CREDENTIAL }) };
      const { status, headers, body } = await send({ method: 'DELETE', url });
      expect([status, body, headers['content-type'], headers['content-length']]).toEqual([
        204,
        undefined,
        undefined,
        undefined,
      ]);
      expect(headers['transaction-id']).toMatch(/^tid_[0-9a-f]{24}$/);
      expect(headers['cache-control']).toBe('no-store');
      expect(test.graph.variables).toEqual({ ir: IR, credentialId: CREDENTIAL });
      expect(test.lines).toEqual([expect.objectContaining({ status: 204 })]);
    });

    it('reports errors in the envelope', async () => {
      test.graph.roots = { removeCredential: () => Promise.reject(new RegisterError('NTF001')) };
      expect(codes(await send({ method: 'DELETE', url }))).toEqual(['NTF001']);
      const malformed = await send({ method: 'DELETE', url: '/v1/identity-records/ir_1/credentials/cred_1' });
      expect(messages(malformed)).toEqual([
        'path parameter ir: must match pattern "^ir_[0-9a-f]{24}$"',
        'path parameter credentialId: must match pattern "^cred_[0-9a-f]{24}$"',
      ]);
    });
  });

  describe('anonymising an Identity Record', () => {
    it('returns the key and the time', async () => {
      test.graph.roots = {
        anonymiseIdentityRecord: () => ({ ir: IR, anonymisedAt: new Date('2026-11-20T09:30:00Z') }),
      };
      const { status, body } = await send({ method: 'DELETE', url: `/v1/identity-records/${IR}` });
      expect([status, body['ir'], body['anonymised-at']]).toEqual([200, IR, '2026-11-20T09:30:00.000Z']);
    });

    it('returns 409 while a linked access record is ACTIVE', async () => {
      test.graph.roots = { anonymiseIdentityRecord: () => Promise.reject(new RegisterError('CNF003')) };
      const response = await send({ method: 'DELETE', url: `/v1/identity-records/${IR}` });
      expect([response.status, codes(response)]).toEqual([409, ['CNF003']]);
    });
  });

  describe('the access records of a meter point for a portal', () => {
    it('are requested with the token of the query', async () => {
      test.graph.roots = { meterPoint: () => ({ accessRecords: () => ({ nodes: [], nextCursor: null }) }) };
      const path = `/v1/meter-points/${MPXN}/access-records`;
      expect((await send({ url: `${path}?reidentification-token=${TOKEN_REF}` })).status).toBe(200);
      expect(test.graph.variables).toEqual({ mpxn: MPXN, reidentificationToken: TOKEN_REF });
      expect(messages(await send({ url: `${path}?reidentification-token=${AK}` }))).toEqual([
        'query parameter reidentification-token: must match pattern "^mlr_[0-9a-f]{24}$"',
      ]);
    });
  });

  describe('a path that matches a template but not a record', () => {
    it.each([
      ['GET', '/v1/identity-records/reidentify', 'POST'],
      ['HEAD', '/v1/identity-records/reidentify', 'POST'],
      ['DELETE', '/v1/identity-records/reidentify', 'POST'],
      ['HEAD', '/v1/identity-records/exists', 'GET'],
      ['DELETE', '/v1/identity-records/exists', 'GET'],
      ['POST', `/v1/identity-records/reidentify/${TOKEN_REF}`, 'GET, HEAD'],
      ['DELETE', `/v1/identity-records/${IR}/re-identify`, 'POST'],
      ['GET', `/v1/identity-records/${IR}/credentials/${CREDENTIAL}`, 'DELETE'],
    ] as const)('returns 405 for %s %s, with the allowed methods', async (method, url, allow) => {
      const response = await send({ method, url });
      expect([response.status, response.headers['allow']]).toEqual([405, allow]);
      expect(test.graph.calls).toEqual([]);
    });
  });
}
