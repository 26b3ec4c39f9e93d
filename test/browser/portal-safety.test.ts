import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { DESKTOP, startBrowser } from '../support/browser';
import {
  type Customer,
  type DataUser,
  linkIn,
  mailsTo,
  newCustomer,
  newDataUser,
  nextMail,
} from '../support/customers';
import { type TestRegister, startTestRegister } from '../support/register';
import { anonymousClient } from '../support/rest-client';
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

/** Asks for a link, and opens it: the page with the button. */
async function opened(page: Page, who: Customer, entry: Record<string, string> = {}): Promise<void> {
  const before = (await mailsTo(register, who.email)).length;
  await page.goto(`${register.portal}/?${new URLSearchParams({ ir: who.ir, ...entry })}`);
  await page.getByRole('button', { name: 'Email me a link' }).click();
  await page.waitForURL(/link-sent/);
  await page.goto(linkIn(await nextMail(register, who.email, before + 1)));
}

async function signIn(context: BrowserContext, who: Customer, entry: Record<string, string> = {}): Promise<Page> {
  const page = await context.newPage();
  await opened(page, who, entry);
  await page.getByRole('main').getByRole('button').click();
  await page.waitForURL(`${register.portal}/access`);
  return page;
}

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

describe('A session', () => {
  it('begins anew at sign-in: what somebody planted in the browser before does not become it', async () => {
    const context = await browser.newContext(DESKTOP);
    const planted = `cst_${'A'.repeat(43)}`;
    const signedIn = await signIn(await browser.newContext(DESKTOP), await newCustomer(dataUser));
    const [{ name = '' } = {}] = (await cookiesOf(signedIn.context())).filter(({ value }) => value.startsWith('cst_'));
    expect(name).not.toBe('');
    await context.addCookies([{ name, value: planted, url: register.portal, secure: true, httpOnly: true }]);
    const page = await signIn(context, await newCustomer(dataUser));
    const now = (await cookiesOf(page.context())).find((each) => each.name === name)?.value;
    expect(now).toMatch(/^cst_[\w-]{43}$/);
    expect(now).not.toBe(planted);
  });

  it('is kept in a cookie that scripts cannot read and that other sites do not send', async () => {
    const context = await browser.newContext(DESKTOP);
    const page = await signIn(context, await newCustomer(dataUser));
    const session = (await context.cookies(register.portal)).find(({ value }) => value.startsWith('cst_'));
    expect(session).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' });
    const hours = ((session?.expires ?? 0) - Date.now() / 1000) / 3600;
    expect(hours).toBeGreaterThan(7.9);
    expect(hours).toBeLessThanOrEqual(8);
    expect(await page.evaluate('document.cookie')).not.toContain('cst_');
  });

  it('that was ended shows nothing any more: neither by the way back nor with its old cookie', async () => {
    const who = await newCustomer(dataUser);
    const context = await browser.newContext(DESKTOP);
    const page = await signIn(context, who);
    expect(await page.content()).toContain(who.mpxn);
    const kept = await context.cookies(register.portal);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForLoadState();
    await page.goBack();
    await page.waitForLoadState();
    expect(await page.content()).not.toContain(who.mpxn);
    await context.addCookies(kept);
    await page.goto(`${register.portal}/access`);
    expect(await page.content()).not.toContain(who.mpxn);
  });

  it('shows nothing of another customer: a record that is not in it is not there', async () => {
    const [mine, theirs] = [await newCustomer(dataUser), await newCustomer(dataUser)];
    const context = await browser.newContext(DESKTOP);
    const page = await signIn(await browser.newContext(DESKTOP), theirs);
    const [path] = [await page.locator('a[href$="/withdraw"]').first().getAttribute('href')];
    const own = await signIn(context, mine);
    const answer = await own.goto(`${register.portal}${path}`);
    expect(answer?.status()).toBe(404);
    expect(await stateOf(theirs)).toBe('ACTIVE');
  });
});

describe('Another site', () => {
  it('cannot withdraw for a customer who is signed in', async () => {
    const who = await newCustomer(dataUser);
    const context = await browser.newContext(DESKTOP);
    const page = await signIn(context, who);
    const path = await page.locator('a[href$="/withdraw"]').first().getAttribute('href');
    const stranger = await strangersPage(
      `<form method="post" action="${register.portal}${path}"><input name="form-token" value="x"></form>`,
    );
    const victim = await context.newPage();
    await victim.goto(stranger.url);
    const [answer] = await Promise.all([
      victim.waitForResponse((response) => response.request().method() === 'POST'),
      victim.evaluate('document.forms[0].submit()'),
    ]);
    expect(answer.status()).toBe(403);
    expect(await stateOf(who)).toBe('ACTIVE');
    stranger.close();
  });

  it('cannot sign somebody in to a session of its own', async () => {
    const attacker = await newCustomer(dataUser);
    const page = await (await browser.newContext(DESKTOP)).newPage();
    await opened(page, attacker);
    const stranger = await strangersPage(`<form method="post" action="${page.url()}"></form>`);
    const context = await browser.newContext(DESKTOP);
    const victim = await context.newPage();
    await victim.goto(stranger.url);
    const [answer] = await Promise.all([
      victim.waitForResponse((response) => response.request().method() === 'POST'),
      victim.evaluate('document.forms[0].submit()'),
    ]);
    expect(answer.status()).toBe(403);
    expect((await cookiesOf(context)).filter(({ value }) => value.startsWith('cst_'))).toEqual([]);
    stranger.close();
  });

  it('cannot show a page of the portal in a frame of its own', async () => {
    const stranger = await strangersPage(`<iframe src="${register.portal}/" title="framed"></iframe>`);
    const page = await (await browser.newContext(DESKTOP)).newPage();
    const refused = page.waitForEvent('console', (message) => /frame-ancestors|X-Frame-Options/i.test(message.text()));
    await page.goto(stranger.url);
    await refused;
    expect(await page.frames()[1]?.locator('main').count()).toBe(0);
    stranger.close();
  });
});

describe('The way back', () => {
  it('leads only to an address that is registered for the Data User', async () => {
    for (const evil of [
      'https://evil.example/return',
      `${site.url}.evil.example`,
      `${site.url}/more`,
      'javascript:alert(1)',
      '//evil.example',
    ]) {
      const page = await signIn(await browser.newContext(DESKTOP), await newCustomer(dataUser), { return: evil });
      const hrefs = await page.evaluate<string[]>('[...document.links].map((link) => link.href)');
      expect(
        hrefs.filter((href) => href.includes('evil') || href.startsWith('javascript') || href.includes('/more')),
      ).toEqual([]);
    }
  });
});

describe('A page', () => {
  it.each(['/', '/sign-in', '/nowhere', `/sign-in/link/${'A'.repeat(43)}`, `/identify/passkey/${'A'.repeat(43)}`])(
    '%s is not kept, not framed, and runs no script of its own text',
    async (path) => {
      const { headers } = await fetch(`${register.portal}${path}`, { redirect: 'manual' });
      const policy = headers.get('content-security-policy') ?? '';
      expect(headers.get('cache-control')).toBe('no-store');
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe-inline');
      expect(policy).toMatch(/default-src 'none'|default-src 'self'/);
      expect(headers.get('referrer-policy')).toMatch(/no-referrer|same-origin/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it('leaves no secret and no number in the log', async () => {
    const who = await newCustomer(dataUser);
    const page = await signIn(await browser.newContext(DESKTOP), who, { return: site.url });
    const session = (await cookiesOf(page.context())).find(({ value }) => value.startsWith('cst_'))?.value ?? '';
    const link =
      linkIn(await nextMail(register, who.email))
        .split('/')
        .at(-1) ?? '';
    const log = register.log();
    for (const value of [who.mpxn, who.email, who.ir, who.key, session, link, 'Lantern Row']) {
      expect(log.includes(value)).toBe(false);
    }
  });
});
