import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { DESKTOP, follow, startBrowser } from '../../support/browser';
import { type Customer, type DataUser, newCustomer, newDataUser } from '../../support/customers';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { anonymousClient } from '../../support/rest-client';
import { openLink, signIn as signInOn } from './every-page';

let register: SharedRegister;
let browser: Browser;
let dataUser: DataUser;

beforeAll(async () => {
  register = await sharedRegister();
  browser = await startBrowser();
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
});
afterAll(() => browser?.close());

const signIn = async (context: BrowserContext, customer: Customer): Promise<Page> => {
  const page = await context.newPage();
  await signInOn(page, { register, dataUser, customer });
  return page;
};

const cookiesOf = async (context: BrowserContext) =>
  (await context.cookies(register.portal)).map(({ name, value }) => ({ name, value }));

const stateOf = async ({ key }: Customer) =>
  String(
    (await anonymousClient(register.rest)('GET', `/v1/access-records/${key}`)).body['access-record']['access-event']
      .state,
  );

/** Serves one page from an origin that is not the portal's. */
async function strangersPage(html: string): Promise<{ url: string; close: () => void }> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>A stranger</title>${html}</html>`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => void server.close() };
}

/** Posts the form of a stranger's page in a browser, and returns the status of the portal's response. */
async function strangerPosts(context: BrowserContext, action: string): Promise<number> {
  const stranger = await strangersPage(
    `<form method="post" action="${action}"><input name="form-token" value="x"></form>`,
  );
  const victim = await context.newPage();
  await victim.goto(stranger.url);
  const [received] = await Promise.all([
    victim.waitForResponse((response) => response.request().method() === 'POST'),
    victim.evaluate('document.forms[0].submit()'),
  ]);
  stranger.close();
  return received.status();
}

describe('A session', () => {
  it('is in a cookie that scripts cannot read and other sites cannot use, and that the sign-out deletes', async () => {
    const who = await newCustomer(dataUser);
    const context = await browser.newContext(DESKTOP);
    const page = await signIn(context, who);
    const session = (await context.cookies(register.portal)).find(({ value }) => value.startsWith('cst_'));
    expect(session).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' });
    const hours = ((session?.expires ?? 0) - Date.now() / 1000) / 3600;
    expect(hours).toBeGreaterThan(7.9);
    expect(hours).toBeLessThanOrEqual(8);
    expect(await page.evaluate('document.cookie')).not.toContain('cst_');

    const path = await page.locator('a[href$="/withdraw"]').first().getAttribute('href');
    expect(await strangerPosts(context, `${register.portal}${path}`)).toBe(403);
    expect(await stateOf(who)).toBe('ACTIVE');

    expect(await page.content()).toContain(who.mpxn);
    await follow(page, page.getByRole('button', { name: 'Sign out' }).click());
    await page.goBack();
    await page.waitForLoadState();
    expect(await page.content()).not.toContain(who.mpxn);
  });
});

describe('Another site', () => {
  it('cannot sign in a customer to its own session', async () => {
    const attacker = await newCustomer(dataUser);
    const page = await (await browser.newContext(DESKTOP)).newPage();
    await openLink(page, { register, dataUser }, attacker);
    const context = await browser.newContext(DESKTOP);
    expect(await strangerPosts(context, page.url())).toBe(403);
    expect((await cookiesOf(context)).filter(({ value }) => value.startsWith('cst_'))).toEqual([]);
  });

  it('cannot show a page of the portal in a frame', async () => {
    const stranger = await strangersPage(`<iframe src="${register.portal}/" title="framed"></iframe>`);
    const page = await (await browser.newContext(DESKTOP)).newPage();
    const rejected = page.waitForEvent('console', (message) => /frame-ancestors|X-Frame-Options/i.test(message.text()));
    await page.goto(stranger.url);
    await rejected;
    expect(await page.frames()[1]?.locator('main').count()).toBe(0);
    stranger.close();
  });
});
