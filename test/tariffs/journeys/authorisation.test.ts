import { randomUUID } from 'node:crypto';
import type { AccountRole } from '../../../schema/roles';
import { newApiKey, onboarded, signIn } from '../../support/administration';
import { REPORT } from '../../support/authorisation-objects';
import { type ConsumerParties, consumerParties, namesOfTheirOwn } from '../../support/consumer-parties';
import { type ConsumerIssuer, startConsumerIssuer } from '../../support/consumer-issuer';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { newMpid, newMpxn } from '../../support/customers';
import { supplierInput } from '../../support/tariff-graph';
import { type RestResponse, anonymousClient, tokenOf } from '../../support/rest-client';

/**
 * Expected status of each endpoint of Interface D for each caller (decisions C/D, D.1 and D.2). The requested objects
 * exist, so that only the caller decides. A letter stands for the error word.
 */
const TABLE = `
                                   suppliers users user tariffs tariff customer consent revoke webhook remove report
an unauthenticated client                200   200  200     200    200     401u    401u   401u    401u   401u   401u
a consumer                               200   200  200     200    200      200     201    204     201    204   403f
a consumer without tariff:read           200   200  200     200    200     403f     201    204     201    204   403f
a consumer without consent:write         200   200  200     200    200      200    403f   403f     201    204   403f
a consumer without webhook:write         200   200  200     200    200      200     201    204    403f   403f   403f
a consumer without any scope             200   200  200     200    200     403f    403f   403f    403f   403f   403f
of a suspended RTI User                  200   200  200     200    200     403i    403i   404r    403i   403i   403i
of a disabled RTI User                   200   200  200     200    200     403i    403i   404r    403i   403i   403i
of a removed RTI User                    200   200  200     200    200     403i    403i   403i    403i   403i   403i
of an unknown RTI User                  401u  401u 401u    401u   401u     401u    401u   401u    401u   401u   401u
another consumer                         200   200  200     200    200     403c     201   404r     201    204   403f
another meter point of the consumer      200   200  200     200    200      200     200    204     201    204   403f
an expired token                        401x  401x 401x    401x   401x     401x    401x   401x    401x   401x   401x
a forged token                          401u  401u 401u    401u   401u     401u    401u   401u    401u   401u   401u
a token for another audience            401u  401u 401u    401u   401u     401u    401u   401u    401u   401u   401u
a token of an unknown issuer            401u  401u 401u    401u   401u     401u    401u   401u    401u   401u   401u
a token of a suspended supplier         401u  401u 401u    401u   401u     401u    401u   404r    401u   401u   401u
a token of another supplier              200   200  200     200    200     403c     201   404r     201   404w   403f
no token at all                         401u  401u 401u    401u   401u     401u    401u   401u    401u   401u   401u
the key of the supplier                  200   200  200     200    200     403f    403f   403f    403f    204    202
the key of another supplier              200   200  200     200    200     403f    403f   403f    403f   404w    202
the key of a suspended supplier          200  403f 403f     200    200     403f    403f   403f    403f   403f   403f
the key of a disabled supplier           200  403f 403f     200    200     403f    403f   403f    403f   403f   403f
the key of a removed supplier            200  403f 403f     200    200     403f    403f   403f    403f   403f   403f
the key of a supplier without an entry   200  403f 403f     200    200     403f    403f   403f    403f   403f   404s
the former key of the supplier          401k  401k 401k    401k   401k     401k    401k   401k    401k   401k   401k
no key at all                           401k  401k 401k    401k   401k     401k    401k   401k    401k   401k   401k
a token and a key                       401u  401u 401u    401u   401u     401u    401u   401u    401u   401u   401u
an account of the supplier               200   200  200     200    200     403f    403f   403f    403f    204    202
an account of a suspended supplier       200  403f 403f     200    200     403f    403f   403f    403f   403f   403f
an account of a data_user                200   200  200     200    200     403f    403f   403f    403f   403f   403f
an account of an analyst                 200   200  200     200    200     403f    403f   403f    403f   403f   403f
an account of an admin                   200   200  200     200    200     403f    403f    204    403f    204   403f
`;

const WORDS: Readonly<Record<string, string>> = {
  u: 'unauthorized',
  x: 'token_expired',
  k: 'invalid_api_key',
  f: 'forbidden',
  i: 'rti_user_not_active',
  c: 'consent_required',
  s: 'supplier_not_found',
  r: 'registration_not_found',
  w: 'webhook_not_found',
};

const [HEAD = '', ...LINES] = TABLE.trim().split('\n');
const ENDPOINTS = HEAD.trim().split(/\s+/);
const ROWS = LINES.map((line) => {
  const cells = line.split(/\s{2,}|(?<=[0-9][a-z]?)\s/).filter((cell) => cell !== '');
  return { caller: cells[0] as string, expected: cells.slice(1) };
});

let register: SharedRegister;
let parties: ConsumerParties;
let stranger: ConsumerIssuer;
let suspended: ConsumerIssuer;
/** Creates a suspended supplier with an API key. */
let suspendedWithKey: string;
let callers: Readonly<Record<string, Record<string, string>>>;

beforeAll(async () => {
  register = await sharedRegister();
  parties = await consumerParties(register, namesOfTheirOwn());
  [stranger, suspended] = await Promise.all([startConsumerIssuer('https://x.example'), startConsumerIssuer('S')]);
  callers = await allCallers();
}, 120_000);
afterAll(async () => {
  await Promise.all([stranger?.close(), suspended?.close(), parties?.close()]);
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const apiKey = (key: string) => ({ 'x-supplier-api-key': key });

async function allCallers(): Promise<typeof callers> {
  const { admin, supplier, otherSupplier, users, mpxn } = parties;
  const consumer = { sub: 'anna', client_id: users.active, mpxn: [mpxn] };
  const { issuer } = supplier;
  const withScope = (scope: string) => issuer.token({ ...consumer, scope });
  const now = Math.floor(Date.now() / 1000);
  const former = supplier.apiKey;
  const present = await newApiKey(admin, supplier.accountId);
  await enterSuspendedSupplier();
  const inactive = await inactiveSuppliers();
  const account = async (role: AccountRole) => bearer(await tokenOf(register, role));
  const token = await issuer.token(consumer);
  return {
    'an unauthenticated client': {},
    'a consumer': bearer(token),
    'a consumer without tariff:read': bearer(await withScope('consent:write webhook:write')),
    'a consumer without consent:write': bearer(await withScope('tariff:read webhook:write')),
    'a consumer without webhook:write': bearer(await withScope('tariff:read consent:write')),
    'a consumer without any scope': bearer(await withScope('openid')),
    'of a suspended RTI User': bearer(await issuer.token({ ...consumer, client_id: users.suspended })),
    'of a disabled RTI User': bearer(await issuer.token({ ...consumer, client_id: users.disabled })),
    'of a removed RTI User': bearer(await issuer.token({ ...consumer, client_id: users.removed })),
    'of an unknown RTI User': bearer(
      await issuer.token({ ...consumer, client_id: `usr_${randomUUID().replaceAll('-', '')}` }),
    ),
    'another consumer': bearer(await issuer.token({ ...consumer, sub: 'ben' })),
    'another meter point of the consumer': bearer(await issuer.token({ ...consumer, mpxn: [newMpxn()] })),
    'an expired token': bearer(await issuer.token({ ...consumer, iat: now - 7200, exp: now - 3600 })),
    'a forged token': bearer(await issuer.forged(consumer)),
    'a token for another audience': bearer(await issuer.token({ ...consumer, aud: 'https://elsewhere.example' })),
    'a token of an unknown issuer': bearer(await stranger.token(consumer)),
    'a token of a suspended supplier': bearer(await suspended.token(consumer)),
    'a token of another supplier': bearer(await otherSupplier.issuer.token(consumer)),
    'no token at all': bearer('garbage'),
    'the key of the supplier': apiKey(present),
    'the key of another supplier': apiKey(otherSupplier.apiKey),
    ...inactive,
    'the former key of the supplier': apiKey(former),
    'no key at all': apiKey('garbage'),
    'a token and a key': { ...bearer(token), ...apiKey(present) },
    'an account of the supplier': bearer((await signIn(register, supplier.accountId, supplier.secretKey)).token),
    'an account of a data_user': await account('data_user'),
    'an account of an analyst': await account('analyst'),
    'an account of an admin': await account('admin'),
  };
}

async function enterSuspendedSupplier(): Promise<void> {
  const { issuer, audience } = suspended;
  const mpid = newMpid();
  const input = {
    ...{ mpid, name: 'Suspended Supply Ltd', displayName: 'Suspended', support: '01632 960002' },
    ...{ apiUrl: 'https://suspended.example', issuer, audience },
  };
  await parties.admin(SAVE_SUPPLIER, { input });
  await parties.admin(SET_STATUS, { mpid, status: 'SUSPENDED' });
}

/** Creates suppliers of every inactive status; returns the headers of their keys and accounts. */
async function inactiveSuppliers(): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {};
  for (const status of ['suspended', 'disabled', 'removed', null] as const) {
    const mpid = newMpid();
    const account = await onboarded(parties.admin, { role: 'SUPPLIER', displayName: `${mpid} Supply Ltd`, mpid });
    const key = apiKey(await newApiKey(parties.admin, account.accountId));
    if (status === null) found['the key of a supplier without an entry'] = key;
    else {
      await parties.admin(SAVE_SUPPLIER, { input: supplierInput(mpid) });
      await parties.admin(SET_STATUS, { mpid, status: status.toUpperCase() });
      found[`the key of a ${status} supplier`] = key;
    }
    if (status === 'suspended') {
      suspendedWithKey = mpid;
      const { token } = await signIn(register, account.accountId, account.secretKey);
      found['an account of a suspended supplier'] = bearer(token);
    }
  }
  return found;
}

const SAVE_SUPPLIER = 'mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }';
const SET_STATUS =
  'mutation ($mpid: String!, $status: RegisterEntryStatus!) { setSupplierStatus(mpid: $mpid, status: $status) { status } }';

type Send = (method: string, path: string, body?: unknown) => Promise<RestResponse>;

const as = (caller: string): Send => {
  const client = anonymousClient(register.rest);
  return (method, path, body) => client(method, path, body, callers[caller]);
};

/** Creates the consent of the consumer and the webhook of its RTI User, if a request has removed them. */
async function existing(): Promise<{ registration: string; webhook: string }> {
  const consumer = as('a consumer');
  const consent = await consumer('POST', '/v1/consent', {});
  const webhook = await consumer('POST', '/v1/webhook', { webhook_url: 'https://pennywise.example/tariff-events' });
  return { registration: String(consent.body['data'].registration_id), webhook: String(webhook.body['webhook_id']) };
}

/** Calls an endpoint. The named objects exist; an object that the request would create does not. */
const REQUESTS: Readonly<Record<string, (send: Send) => Promise<RestResponse>>> = {
  suppliers: (send) => send('GET', '/v1/suppliers'),
  users: (send) => send('GET', '/v1/users'),
  user: (send) => send('GET', `/v1/users/${parties.users.active}`),
  tariffs: (send) => send('GET', `/v1/tariff/${parties.supplier.mpid}`),
  tariff: (send) => send('GET', `/v1/tariff/${parties.supplier.mpid}/${parties.tariffId}`),
  customer: async (send) => {
    await existing();
    return send('GET', '/v1/tariff/customer');
  },
  consent: async (send) => send('POST', '/v1/consent', {}),
  revoke: async (send) => send('DELETE', `/v1/consent/${(await existing()).registration}`),
  webhook: async (send) => {
    await as('a consumer')('DELETE', `/v1/webhook/${(await existing()).webhook}`);
    return send('POST', '/v1/webhook', { webhook_url: 'https://pennywise.example/tariff-events' });
  },
  remove: async (send) => send('DELETE', `/v1/webhook/${(await existing()).webhook}`),
  report: (send) => send('POST', '/v1/report', REPORT),
};

/** Revokes the consent of the consumer, so that the next request grants it instead of repeating it. */
async function withoutConsent(): Promise<void> {
  await as('a consumer')('DELETE', `/v1/consent/${(await existing()).registration}`);
}

/** Finds an RTI User in the list, which also contains those of other tests. */
async function listedAs(send: Send, userId: string): Promise<object> {
  for (let offset = 0; ; offset += 100) {
    const { body } = await send('GET', `/v1/users?limit=100&offset=${offset}`);
    const found = body['data'].find(({ user_id }: { user_id: string }) => user_id === userId);
    if (found !== undefined) return found;
    expect(body['meta'].total).toBeGreaterThan(offset + 100);
  }
}

describe('Interface D', () => {
  it('has a column for every endpoint and a row for every caller', () => {
    expect(ENDPOINTS).toEqual(Object.keys(REQUESTS));
    expect(ROWS.map(({ caller }) => caller).toSorted()).toEqual(Object.keys(callers).toSorted());
  });

  it.each(ROWS)('responds to $caller as the table specifies', async ({ caller, expected }) => {
    const found: string[] = [];
    for (const endpoint of ENDPOINTS) {
      if (endpoint === 'consent' && caller !== 'another meter point of the consumer') await withoutConsent();
      const { status, body } = await (REQUESTS[endpoint] as (typeof REQUESTS)[string])(as(caller));
      const letter = Object.entries(WORDS).find(([, word]) => word === body['code'])?.[0] ?? '';
      found.push(`${status}${letter}`);
    }
    expect(found).toEqual(expected);
  });

  it.each([
    ['an unauthenticated client', false],
    ['another consumer', true],
    ['a token of another supplier', true],
    ['the key of the supplier', true],
    ['the key of another supplier', true],
    ['an account of the supplier', true],
    ['an account of an admin', true],
    ['an account of an analyst', false],
    ['an account of a data_user', false],
  ])(
    'shows the contact of an RTI User to itself, suppliers and admins only, here to %s: %s',
    async (caller, isVisible) => {
      const { body } = await as(caller)('GET', `/v1/users/${parties.users.active}`);
      const listed = await listedAs(as(caller), parties.users.active);
      const reached = [body, listed].map((user) => ['webhook_url' in user, 'contact' in user]);
      expect(reached).toEqual([
        [isVisible, isVisible],
        [isVisible, isVisible],
      ]);
    },
  );

  it('rejects a supplier that is not active with the reason, after all violations of its request, and admits it again once it is active', async () => {
    const send = as('the key of a suspended supplier');
    const rejected = { code: 'forbidden', message: 'The supplier is not active in the register.' };
    expect((await send('GET', '/v1/users')).body).toEqual(rejected);
    expect((await send('POST', '/v1/report', REPORT)).body).toEqual(rejected);
    const { body } = await send('POST', '/v1/report', { ...REPORT, period_end: REPORT.period_start });
    expect(body).toMatchObject({
      code: 'invalid_request',
      details: [{ path: '/period_end', message: 'must be after the beginning of the period' }],
    });
    await parties.admin(SET_STATUS, { mpid: suspendedWithKey, status: 'ACTIVE' });
    expect((await send('GET', `/v1/users/${parties.users.active}`)).body).toHaveProperty('contact');
    expect((await send('POST', '/v1/report', REPORT)).status).toBe(202);
    await parties.admin(SET_STATUS, { mpid: suspendedWithKey, status: 'SUSPENDED' });
    expect((await send('GET', '/v1/users')).status).toBe(403);
  });

  it('reports a window that ends before it starts with the JSON names', async () => {
    const query = 'valid_from=2026-06-01T00:00:00Z&valid_to=2026-06-01T00:00:00Z';
    const { body } = await as('an unauthenticated client')('GET', `/v1/tariff/${parties.supplier.mpid}?${query}`);
    expect(body).toMatchObject({
      code: 'invalid_parameter',
      message: 'query parameter valid_to: must be after the beginning of the window',
    });
  });

  it('shows a consumer no contact of other RTI Users', async () => {
    const { status, body } = await as('a consumer')('GET', `/v1/users/${parties.users.suspended}`);
    expect([status, 'contact' in body]).toEqual([200, false]);
  });
});
