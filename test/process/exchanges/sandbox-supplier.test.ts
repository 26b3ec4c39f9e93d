import { decodeJwt, decodeProtectedHeader } from 'jose';
import { type RunningSupplier, startSupplier } from '../../../sandbox/supplier/supplier';
import { type ConsumerFixture, consumerFixture } from '../../support/consumer-fixture';
import { consumerToken, rtiApplication } from '../../support/consumer-sign-in';
import { signInAtSupplier } from '../../support/supplier-browser';

const LOGIN = { login: 'rowan', password: 'a long password', mpxns: ['1012345678', '1098765432'] };
const CLIENT = { id: `usr_${'a'.repeat(32)}`, secret: 'a-secret-of-the-rti-user', name: 'Kestrel <Compare> Ltd' };

let supplier: RunningSupplier;
let fixture: ConsumerFixture;
beforeAll(async () => {
  const options = { port: 0, host: 'localhost', redirectUris: ['http://localhost/portal'] };
  [fixture, supplier] = await Promise.all([
    consumerFixture(),
    startSupplier({ ...options, client: { id: 'the-register', secret: 'secret-of-the-register' }, logins: [LOGIN] }),
  ]);
  supplier.addRtiClients([CLIENT]);
  await fixture.addSupplier('TIDE', supplier.issuer, supplier.audience);
  await fixture.addRtiUser(CLIENT.id);
});
afterAll(() => Promise.all([supplier?.close(), fixture?.close()]));

describe('A consumer at the OpenID provider of a supplier', () => {
  it('grants an RTI User a token that the register accepts', async () => {
    const token = await consumerToken(supplier, CLIENT, LOGIN);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(decodeJwt(token)).toMatchObject({ iss: supplier.issuer, aud: supplier.audience, client_id: CLIENT.id });
    expect(await fixture.tokens.verified(token)).toEqual({
      mpid: 'TIDE',
      issuer: supplier.issuer,
      subject: LOGIN.login,
      userId: CLIENT.id,
      mpxns: LOGIN.mpxns,
      scopes: ['tariff:read', 'consent:write', 'webhook:write'],
      issuedAt: expect.any(Date),
      inactive: null,
    });
  });

  it.each(['tariff:read', 'consent:write'])('grants only the requested scope: %s', async (scope) => {
    const token = await consumerToken(supplier, CLIENT, LOGIN, scope);
    expect(await fixture.tokens.verified(token)).toMatchObject({ scopes: [scope] });
  });

  it.each([
    ['for a consumer', async () => consumerToken(supplier, CLIENT, LOGIN)],
    ['for the RTI User itself', async () => (await rtiApplication(supplier, CLIENT)).ownToken()],
  ])('issues a token %s that is valid for an hour', async (_, token) => {
    const { iat = 0, exp = 0 } = decodeJwt(await token());
    expect(exp - iat).toBe(3_600);
  });

  it('states the lifetime of a token in the token response', async () => {
    const { url, exchange } = await (await rtiApplication(supplier, CLIENT)).begin('tariff:read');
    expect(await exchange(await signInAtSupplier(url, LOGIN))).toMatchObject({
      expires_in: 3_600,
      token_type: 'bearer',
    });
  });

  it('may add the scope openid; the audience of the token is still the register', async () => {
    const token = await consumerToken(supplier, CLIENT, LOGIN, 'openid tariff:read');
    expect(await fixture.tokens.verified(token)).toMatchObject({ scopes: ['tariff:read'] });
  });

  it('can deny the request: no token is issued', async () => {
    const { url, finish } = await (await rtiApplication(supplier, CLIENT)).begin('tariff:read');
    const back = await signInAtSupplier(url, LOGIN, 'refuse');
    expect(new URL(back).searchParams.get('error')).toBe('access_denied');
    await expect(finish(back)).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('is shown the consent page each time, with the name of the RTI User', async () => {
    const { url } = await (await rtiApplication(supplier, CLIENT)).begin('tariff:read');
    const { status, html } = await consentPageAt(url);
    expect(status).toBe(200);
    expect(html).toContain('Kestrel &#60;Compare&#62; Ltd');
    expect(html).toContain('See which tariffs you are on');
    expect(html).not.toContain('Be notified when your tariff changes');
  });
});

describe('An RTI User at the OpenID provider of a supplier', () => {
  it('receives a token for itself only with the scope of webhooks and without meter points', async () => {
    const token = await (await rtiApplication(supplier, CLIENT)).ownToken();
    const admitted = await fixture.tokens.verified(token);
    expect(admitted).toMatchObject({ subject: CLIENT.id, userId: CLIENT.id, mpxns: [], scopes: ['webhook:write'] });
  });

  it('may use any port of its own machine in the redirect URI', async () => {
    const { url, finish } = await (
      await rtiApplication(supplier, CLIENT, 'http://127.0.0.1:45678/callback')
    ).begin('tariff:read');
    const back = await signInAtSupplier(url, LOGIN);
    expect(new URL(back).host).toBe('127.0.0.1:45678');
    expect(await finish(back)).toMatch(/^eyJ/);
  });

  it.each<[string, (parameters: URLSearchParams) => void]>([
    [
      'without PKCE',
      (parameters) => ['code_challenge', 'code_challenge_method'].forEach((name) => parameters.delete(name)),
    ],
    ['with the PKCE method plain', (parameters) => parameters.set('code_challenge_method', 'plain')],
    ['for another resource', (parameters) => parameters.set('resource', 'https://elsewhere.example')],
  ])('is rejected %s', async (_, change) => {
    const url = new URL((await (await rtiApplication(supplier, CLIENT)).begin('tariff:read')).url);
    change(url.searchParams);
    const { headers } = await fetch(url, { redirect: 'manual' });
    expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toMatch(/^invalid_(request|target)$/);
  });

  it('is rejected if it is unknown or uses another redirect URI', async () => {
    for (const [name, value] of [
      ['client_id', `usr_${'b'.repeat(32)}`],
      ['redirect_uri', 'https://elsewhere.example/'],
    ]) {
      const url = new URL((await (await rtiApplication(supplier, CLIENT)).begin('tariff:read')).url);
      url.searchParams.set(name as string, value as string);
      expect((await fetch(url, { redirect: 'manual' })).status).toBe(400);
    }
  });
});

/** Signs in and returns the consent page. */
async function consentPageAt(url: string): Promise<{ status: number; html: string }> {
  let [at, body]: [string, URLSearchParams | undefined] = [url, undefined];
  const jar = new Map<string, string>();
  for (;;) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response: Response = await fetch(at, {
      redirect: 'manual',
      method: body ? 'POST' : 'GET',
      headers: { cookie },
      ...(body ? { body } : {}),
    });
    for (const set of response.headers.getSetCookie())
      jar.set(...((/^([^=]+)=([^;]*)/.exec(set) ?? []).slice(1) as [string, string]));
    const location = response.headers.get('location');
    body = undefined;
    if (location !== null) {
      at = new URL(location, at).href;
      continue;
    }
    const html = await response.text();
    if (html.includes('name="decision"')) return { status: response.status, html };
    body = new URLSearchParams({ login: LOGIN.login, password: LOGIN.password });
  }
}
