import { decodeJwt } from 'jose';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { DESKTOP, PHONE, accessibilityFaults, complaintsOf, sidewaysScroll, startBrowser } from '../../support/browser';
import { IS_LONG } from '../../support/page-faults';
import { type RtiApplication, rtiApplication } from '../../support/consumer-sign-in';
import { graphAs } from '../../support/graph';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { type RestClient, anonymousClient } from '../../support/rest-client';
import { type ReturnSite, startReturnSite } from '../../support/return-site';
import { signInAtSupplier } from '../../support/supplier-browser';
import { type TariffSharingFixture, tariffSharing } from '../../support/tariff-sharing';

/** The long form also tests the two pages on another screen. */
const DESKTOP_TOO: [string, BrowserContextOptions][] = IS_LONG ? [['a desktop', DESKTOP]] : [];
const SCOPES = 'tariff:read consent:write webhook:write';

let register: SharedRegister;
let browser: Browser;
let site: ReturnSite;
let fixture: TariffSharingFixture;
let application: RtiApplication;
beforeAll(async () => {
  register = await sharedRegister();
  browser = await startBrowser();
  site = await startReturnSite('/callback');
  fixture = await tariffSharing(register);
  const [{ client_id: id, client_secret: secret } = { client_id: '', client_secret: '' }] = fixture.rtiUsers;
  application = await rtiApplication(fixture.supplier, { id, secret }, site.url);
});
afterAll(async () => {
  await browser?.close();
  await fixture?.supplier.close();
  await site?.close();
});

/** Returns a browser without cookies. */
const visitor = (screen: BrowserContextOptions): Promise<BrowserContext> => browser.newContext(screen);

/** Opens the RTI User's link and signs in; the page on which the consumer decides is shown then. */
async function toDecision(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Login').fill(fixture.consumer.login);
  await page.getByLabel('Password').fill(fixture.consumer.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Share your tariff' }).waitFor();
}

/** Returns the token that an RTI User receives after a consumer allows the requested scopes on a phone. */
async function allowed(scope = SCOPES): Promise<string> {
  const page = await (await visitor(PHONE)).newPage();
  const { url, finish } = await application.begin(scope);
  await toDecision(page, url);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
  return finish(page.url());
}

/** Returns the token that an RTI User receives after a sign-in without a browser. */
async function allowedUnseen(scope = SCOPES): Promise<string> {
  const { url, finish } = await application.begin(scope);
  return finish(await signInAtSupplier(url, fixture.consumer));
}

const rest = (token: string): RestClient => anonymousClient(register.rest, `Bearer ${token}`);
const tariffs = (client: RestClient) => client('GET', '/v1/tariff/customer');

describe('A consumer of a supplier', () => {
  it('reads the request, signs in, grants consent, and shares the tariff until the consent is revoked', async () => {
    const token = await allowed();
    const client = rest(token);
    expect(decodeJwt(token)).toMatchObject({ client_id: fixture.rtiUsers[0]?.user_id, mpxn: fixture.consumer.mpxns });
    const before = await tariffs(client);
    expect([before.status, before.body['code']]).toEqual([403, 'consent_required']);
    const given = await client('POST', '/v1/consent', {});
    expect(given.status).toBe(201);
    const { registration_id: registrationId } = given.body['data'];
    const again = await client('POST', '/v1/consent', {});
    expect([again.status, again.body['data'].registration_id]).toEqual([200, registrationId]);
    const shared = await tariffs(client);
    const [mpxn] = fixture.consumer.mpxns;
    const { data } = await (await graphAs(register, 'admin'))(`{ appliedTariff(mpxn: "${mpxn}") { tariffId } }`);
    expect(shared.status).toBe(200);
    expect(shared.body['data'].map((each: Record<string, unknown>) => each['tariff_id'])).toEqual([
      data.appliedTariff.tariffId,
    ]);
    expect(given.body['data'].tariffs).toEqual([{ mpxn, tariff_id: data.appliedTariff.tariffId }]);
    expect((await client('DELETE', `/v1/consent/${registrationId}`)).status).toBe(204);
    const after = await tariffs(client);
    expect([after.status, after.body['code']]).toEqual([403, 'consent_required']);
  });

  it('grants one scope: the RTI User cannot use another', async () => {
    const client = rest(await allowedUnseen('tariff:read'));
    const rejected = await client('POST', '/v1/consent', {});
    expect([rejected.status, rejected.body['code']]).toEqual([403, 'forbidden']);
  });

  it('denies consent or types a wrong password, and shares nothing', async () => {
    const page = await (await visitor(DESKTOP)).newPage();
    const { url, finish } = await application.begin(SCOPES);
    await page.goto(url);
    await page.getByLabel('Login').fill(fixture.consumer.login);
    await page.getByLabel('Password').fill('a wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await toDecision(page, page.url());
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await expect(finish(page.url())).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('stops sharing at once with an RTI User that is suspended later', async () => {
    const client = rest(await allowedUnseen());
    await client('POST', '/v1/consent', {});
    expect((await tariffs(client)).status).toBe(200);
    const userId = String(fixture.rtiUsers[0]?.user_id);
    await fixture.setRtiUserStatus(userId, 'SUSPENDED');
    const rejected = await tariffs(client);
    expect([rejected.status, rejected.body['code']]).toEqual([403, 'rti_user_not_active']);
    await fixture.setRtiUserStatus(userId, 'ACTIVE');
    expect((await tariffs(client)).status).toBe(200);
  });

  it.each<[string, BrowserContextOptions]>([['a phone', PHONE], ...DESKTOP_TOO])(
    'can read and use both pages on %s',
    async (_, screen) => {
      const context = await visitor(screen);
      const complaints = complaintsOf(context);
      const page = await context.newPage();
      const { url } = await application.begin(SCOPES);
      await page.goto(url);
      expect(await accessibilityFaults(page)).toEqual([]);
      await toDecision(page, url);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      const text = await page.getByRole('main').innerText();
      expect(text).toContain('Kestrel Compare Ltd');
      expect(text).toContain('See which tariffs you are on, with their prices');
      expect(complaints).toEqual([]);
    },
  );
});
