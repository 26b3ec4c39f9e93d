import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PHONE, type VirtualAuthenticator, startBrowser, withAuthenticator } from '../../support/browser';
import { type DataUser, identityRecord, newDataUser, newMpxn, newSupplier } from '../../support/customers';
import { consentRecord } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { type RestClient, anonymousClient } from '../../support/rest-client';
import { type ReturnSite, startReturnSite } from '../../support/return-site';

let register: SharedRegister;
let browser: Browser;
let site: ReturnSite;
let dataUser: DataUser;
let verify: RestClient;
let supplier: Awaited<ReturnType<typeof newSupplier>>;

beforeAll(async () => {
  register = await sharedRegister();
  browser = await startBrowser();
  site = await startReturnSite();
  dataUser = await newDataUser(register, site.url);
  verify = anonymousClient(register.rest);
  supplier = await newSupplier(register);
});
afterAll(async () => {
  await browser.close();
  await supplier.close();
  await site.close();
});

/** Opens a page on a new phone without cookies. */
async function phone(): Promise<Page> {
  return (await browser.newContext(PHONE)).newPage();
}

const stateOf = async (key: string) =>
  String((await verify('GET', `/v1/access-records/${key}`)).body['access-record']['access-event'].state);

/** Returns the link that a Data User gives to its customer. */
const linkTo = (entry: Record<string, string>) =>
  `${register.portal}/?${new URLSearchParams({ ...entry, return: site.url })}`;

/** Withdraws from the list of accesses and returns to the Data User. */
async function withdraw(page: Page, key: string): Promise<void> {
  await page.getByRole('link', { name: /^Withdraw consent/ }).click();
  await expect(page.getByRole('main').getByRole('button').count()).resolves.toBe(1);
  expect(await stateOf(key)).toBe('ACTIVE');
  await page.getByRole('main').getByRole('button', { name: 'Withdraw consent' }).click();
  await page.waitForURL(/withdrawn/);
  expect(await stateOf(key)).toBe('REVOKED');
  const returnsBefore = site.returns.length;
  await page
    .getByRole('link', { name: /return/i })
    .first()
    .click();
  await page.waitForURL((url) => url.href.startsWith(site.url));
  expect(site.returns.slice(returnsBefore).map((query) => query.get('dar-action'))).toEqual(['withdrawn']);
}

describe('A customer on a phone', () => {
  it('registers a passkey on the page to which the Data User redirects, signs in with it, withdraws, and returns', async () => {
    const mpxn = newMpxn();
    const created = await dataUser.rest('POST', '/v1/identity-records', {
      ...identityRecord(mpxn, null),
      'initiate-passkey-registration': true,
      'passkey-return-url': site.url,
    });
    expect(created.status).toBe(201);
    const ir = String(created.body['ir']);
    const key = String((await dataUser.rest('POST', '/v1/access-records', consentRecord(ir))).body['access-token'].key);
    const page = await phone();
    const authenticator = await withAuthenticator(page);

    await page.goto(String(created.body['passkey-registration-redirect']));
    await expect(page.getByRole('main').innerText()).resolves.toContain(dataUser.name);
    await page.getByRole('main').getByRole('button').click();
    await page.waitForURL((url) => url.href.startsWith(site.url));
    expect(site.returns.at(-1)?.get('dar-passkey-token')).toMatch(/^mlr_[0-9a-f]{24}$/);
    expect(await authenticator.credentials()).toBe(1);
    const { body } = await dataUser.rest('GET', `/v1/identity-records/${ir}`);
    expect(body['identity-record'].credentials).toHaveLength(1);

    await page.goto(linkTo({ mpxn }));
    expect(page.url()).not.toContain(mpxn);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`${register.portal}/access`);
    await expect(page.getByRole('main').innerText()).resolves.toContain(mpxn);
    await withdraw(page, key);
  });

  it('follows a link with a number that the register does not take, signs in with a passkey, withdraws, and returns', async () => {
    const { ir, page } = await passkeyCustomer();
    const key = String((await dataUser.rest('POST', '/v1/access-records', consentRecord(ir))).body['access-token'].key);
    await page.goto(linkTo({ mpxn: '1200050000000' }));
    await expect(page.getByRole('main').innerText()).resolves.toContain('This number has 13 digits');
    await page.getByRole('link', { name: 'Sign in with a passkey instead' }).click();
    await press(page);
    await page.waitForURL(`${register.portal}/access`);
    await withdraw(page, key);
  });

  it('signs in at the energy supplier without a registered passkey or address, withdraws, and returns', async () => {
    const mpxn = newMpxn();
    const ir = String((await dataUser.rest('POST', '/v1/identity-records', identityRecord(mpxn, null))).body['ir']);
    const key = String((await dataUser.rest('POST', '/v1/access-records', consentRecord(ir))).body['access-token'].key);
    supplier.addLogins([{ login: `owner-of-${mpxn}`, password: 'a long password', mpxns: [mpxn] }]);
    const page = await phone();
    await page.goto(linkTo({ mpxn, ir }));
    await signInAtSupplier(page, `owner-of-${mpxn}`);
    await page.waitForURL(`${register.portal}/access`);
    await expect(page.getByRole('main').innerText()).resolves.toContain(mpxn);
    await withdraw(page, key);
  });
});

/** Signs in on the supplier's own page. */
async function signInAtSupplier(page: Page, login: string): Promise<void> {
  await page.getByLabel('Your supplier').selectOption({ label: supplier.name });
  await page.getByRole('button', { name: 'Continue to your supplier' }).click();
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill('a long password');
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Returns a customer with a passkey, on the phone that stores it. */
interface PasskeyCustomer {
  readonly ir: string;
  readonly page: Page;
  readonly authenticator: VirtualAuthenticator;
}

async function passkeyCustomer(): Promise<PasskeyCustomer> {
  const { body } = await dataUser.rest('POST', '/v1/identity-records', {
    ...identityRecord(newMpxn(), null),
    'initiate-passkey-registration': true,
    'passkey-return-url': site.url,
  });
  const page = await phone();
  const authenticator = await withAuthenticator(page);
  await page.goto(String(body['passkey-registration-redirect']));
  await press(page);
  await page.waitForURL((url) => url.href.startsWith(site.url));
  expect(await authenticator.credentials()).toBe(1);
  return { ir: String(body['ir']), page, authenticator };
}

const OPTIONS = '**/options';
const press = (page: Page) => page.locator('#passkey button').click();

/**
 * Simulates an attacker who controls the page's script: the authenticator is not required to verify its user. Without
 * this the browser itself aborts, and no request reaches the register.
 */
async function withoutVerification(page: Page): Promise<void> {
  await page.route(OPTIONS, async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { options: Record<string, unknown> };
    const { authenticatorSelection: selection } = json.options;
    const options = {
      ...json.options,
      userVerification: 'discouraged',
      ...(selection === undefined
        ? {}
        : { authenticatorSelection: { ...(selection as object), userVerification: 'discouraged' } }),
    };
    await route.fulfill({ response, json: { ...json, options } });
  });
}

async function expectNoSession(context: BrowserContext): Promise<void> {
  expect((await context.cookies()).filter(({ value }) => value.startsWith('cst_'))).toEqual([]);
}

/** Submits the form and returns the error on the next page. */
async function rejection(page: Page): Promise<string> {
  const [json] = await Promise.all([
    page.waitForResponse((each) => each.request().isNavigationRequest() && each.request().method() === 'POST'),
    press(page),
  ]);
  expect(json.status()).toBe(401);
  await page.waitForLoadState();
  return page.getByRole('alert').first().innerText();
}

describe('The wait for a passkey', () => {
  it('is shown under the button until it ends', async () => {
    const { page } = await passkeyCustomer();
    await page.goto(`${register.portal}/sign-in`);
    let go: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (go = resolve));
    await page.route(OPTIONS, async (route) => {
      await released;
      await route.continue();
    });
    await press(page);
    const shown = page.getByText('Waiting for your passkey');
    await shown.waitFor();
    const [text, button] = [await shown.boundingBox(), await page.locator('#passkey button').boundingBox()];
    expect(text?.height).toBeGreaterThan(10); // one that is visually hidden has one pixel
    expect(text?.y).toBeGreaterThan(button?.y ?? Infinity);
    go();
    await page.getByText('Who has access to your meter data').first().waitFor();
  });
});

describe('A passkey whose user was not verified', () => {
  it('does not sign in: the browser shows an error and sends nothing to the register', async () => {
    const { page, authenticator } = await passkeyCustomer();
    await authenticator.verifiesUser(false);
    await page.goto(`${register.portal}/sign-in`);
    await press(page);
    await page.getByText('The passkey was not used').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await expectNoSession(page.context());
  });

  it('confirms no re-identification', async () => {
    const { ir, page, authenticator } = await passkeyCustomer();
    const started = await dataUser.rest('POST', `/v1/identity-records/${ir}/re-identify`, {
      method: 'passkey-assert',
      'passkey-return-url': site.url,
    });
    const { 'redirect-url': url, 'token-ref': token } = started.body['passkey'];
    const status = async () =>
      (await dataUser.rest('GET', `/v1/identity-records/${ir}/re-identify/${token}`)).body['status'];
    await authenticator.verifiesUser(false);
    await withoutVerification(page);
    await page.goto(String(url));
    expect(await rejection(page)).toContain('The passkey was not accepted');
    expect(await status()).toBe('pending');

    await authenticator.verifiesUser(true);
    await page.unroute(OPTIONS);
    await press(page);
    await page.waitForURL((at) => at.href.startsWith(site.url));
    expect(await status()).toBe('confirmed');
  });
});
