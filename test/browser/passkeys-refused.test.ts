import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PHONE, type VirtualAuthenticator, startBrowser, withAuthenticator } from '../support/browser';
import { type DataUser, identityRecord, newDataUser, newMpxn } from '../support/customers';
import { type TestRegister, startTestRegister } from '../support/register';
import { type ReturnSite, startReturnSite } from '../support/return-site';

let register: TestRegister;
let browser: Browser;
let site: ReturnSite;
let dataUser: DataUser;

beforeAll(async () => {
  register = await startTestRegister('one process');
  browser = await startBrowser();
  site = await startReturnSite();
  dataUser = await newDataUser(register, site.url);
});
afterAll(async () => {
  await browser.close();
  await register.close();
  await site.close();
});

/** Somebody with a passkey, on the phone that holds it. */
interface Holder {
  readonly ir: string;
  readonly page: Page;
  readonly authenticator: VirtualAuthenticator;
}

async function holder(): Promise<Holder> {
  const { body } = await dataUser.rest('POST', '/v1/identity-records', {
    ...identityRecord(newMpxn(), null),
    'initiate-passkey-registration': true,
    'passkey-return-url': site.url,
  });
  const page = await (await browser.newContext(PHONE)).newPage();
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
 * A page of somebody who has taken hold of its script: it asks the authenticator to verify nobody, whatever the register asks. Without
 * this the browser itself gives up, and the register is asked nothing.
 */
async function withoutVerification(page: Page): Promise<void> {
  await page.route(OPTIONS, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { options: Record<string, unknown> };
    const { authenticatorSelection: selection } = answer.options;
    const options = {
      ...answer.options,
      userVerification: 'discouraged',
      ...(selection === undefined
        ? {}
        : { authenticatorSelection: { ...(selection as object), userVerification: 'discouraged' } }),
    };
    await route.fulfill({ response, json: { ...answer, options } });
  });
}

async function expectNoSession(context: BrowserContext): Promise<void> {
  expect((await context.cookies()).filter(({ value }) => value.startsWith('cst_'))).toEqual([]);
}

/** Presses the button, and answers what the page that follows the refusal tells. */
async function refusal(page: Page): Promise<string> {
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.request().isNavigationRequest() && each.request().method() === 'POST'),
    press(page),
  ]);
  expect(answer.status()).toBe(401);
  await page.waitForLoadState();
  return page.getByRole('alert').first().innerText();
}

describe('A passkey whose user was not verified', () => {
  it('signs in nobody: the browser says so, and asks the register nothing', async () => {
    const { page, authenticator } = await holder();
    await authenticator.verifiesUser(false);
    await page.goto(`${register.portal}/sign-in`);
    await press(page);
    await page.getByText('The passkey was not used').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await expectNoSession(page.context());
  });

  it('signs in nobody when the page asks for no verification, either: the register refuses', async () => {
    const { page, authenticator } = await holder();
    await authenticator.verifiesUser(false);
    await withoutVerification(page);
    await page.goto(`${register.portal}/sign-in`);
    expect(await refusal(page)).toContain('We could not sign you in with this passkey');
    await expectNoSession(page.context());
    await page.goto(`${register.portal}/access`);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  it('confirms no re-identification', async () => {
    const { ir, page, authenticator } = await holder();
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
    expect(await refusal(page)).toContain('The passkey was not accepted');
    expect(await status()).toBe('pending');

    await authenticator.verifiesUser(true);
    await page.unroute(OPTIONS);
    await press(page);
    await page.waitForURL((at) => at.href.startsWith(site.url));
    expect(await status()).toBe('confirmed');
  });

  it('is not made', async () => {
    const { body } = await dataUser.rest('POST', '/v1/identity-records', {
      ...identityRecord(newMpxn(), null),
      'initiate-passkey-registration': true,
      'passkey-return-url': site.url,
    });
    const page = await (await browser.newContext(PHONE)).newPage();
    const authenticator = await withAuthenticator(page);
    await authenticator.verifiesUser(false);
    await withoutVerification(page);
    await page.goto(String(body['passkey-registration-redirect']));
    await press(page);
    await page
      .getByText(/The passkey was not (accepted|used)/)
      .first()
      .waitFor();
    const { body: read } = await dataUser.rest('GET', `/v1/identity-records/${String(body['ir'])}`);
    expect(read['identity-record'].credentials).toEqual([]);
  });
});

describe('A passkey that the Data User has removed', () => {
  it('signs in nobody any more, and the page says so', async () => {
    const { ir, page } = await holder();
    const { body } = await dataUser.rest('GET', `/v1/identity-records/${ir}`);
    const [credential] = body['identity-record'].credentials as Record<string, string>[];
    const id = Object.values(credential ?? {}).find((value) => value.startsWith('cred_'));
    expect((await dataUser.rest('DELETE', `/v1/identity-records/${ir}/credentials/${id}`)).status).toBe(204);

    await page.goto(`${register.portal}/sign-in`);
    expect(await refusal(page)).toContain('We could not sign you in with this passkey');
    await expectNoSession(page.context());
    await page.goto(`${register.portal}/access`);
    expect(new URL(page.url()).pathname).toBe('/');
  });
});
