import type { Browser, BrowserContext, Page } from 'playwright-core';
import { DESKTOP, PHONE, startBrowser } from '../../support/browser';
import { type Customer, type DataUser, linkIn, newCustomer, newDataUser, nextMail } from '../../support/customers';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { type ReturnSite, startReturnSite } from '../../support/return-site';
import { until } from '../../support/until';
import { openLink, signIn as signInOn } from './every-page';

let register: SharedRegister;
let browser: Browser;
let site: ReturnSite;
let dataUser: DataUser;

beforeAll(async () => {
  register = await sharedRegister();
  browser = await startBrowser();
  site = await startReturnSite();
  dataUser = await newDataUser(register, site.url);
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

async function signIn(context: BrowserContext, customer: Customer): Promise<Page> {
  const page = await context.newPage();
  await signInOn(page, { register, dataUser, customer });
  return page;
}

describe('Without JavaScript', () => {
  it('a customer signs in by link, reads who has access, withdraws, downloads and signs out', async () => {
    const who = await newCustomer(dataUser);
    const context = await browser.newContext({ ...PHONE, javaScriptEnabled: false });
    const page = await signIn(context, who);
    for (const suffix of ['csv', 'json']) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator(`a[href$=".${suffix}"]`).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${suffix}$`));
    }
    await page.locator('a[href$="/withdraw"]').first().click();
    await page.getByRole('main').getByRole('button').click();
    await page.goto(`${register.portal}/history`);
    expect(await page.getByRole('main').innerText()).toContain('Consent was withdrawn');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${register.portal}/access`);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('You are not signed in');
  });

  it('a customer who presses the button of a mailed link again, because the response does not arrive, is signed in', async () => {
    const who = await newCustomer(dataUser);
    const page = await (await browser.newContext({ ...PHONE, javaScriptEnabled: false })).newPage();
    await openLink(page, { register, dataUser }, who);
    const isPressed = new Promise<void>((resolve) => {
      let presses = 0;
      void page.route('**/sign-in/link/*', async (route) => {
        presses += 1;
        if (presses > 1) return route.continue();
        await route.fetch({ maxRedirects: 0 }); // the register has signed in, but the page waits
        resolve();
      });
    });
    const { x = 0, y = 0 } = (await page.getByRole('main').getByRole('button').boundingBox()) ?? {};
    await page.mouse.click(x + 5, y + 5);
    await isPressed;
    await page.mouse.click(x + 5, y + 5);
    await until(() => page.url() === `${register.portal}/access` || undefined); // the browser ends the first navigation meanwhile
    expect(await page.getByRole('main').innerText()).toContain(who.mpxn);
  });
});

describe('With the keyboard only', () => {
  /** Presses Tab until an element has the focus, at most once per element of the page. The focus must be visible. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press('Tab');
      const isThere = await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`);
      if (isThere) {
        const [focused, plain] = (await page.evaluate(`(() => {
          const element = document.activeElement;
          const styleOf = ({ outline, boxShadow, backgroundColor }) => [outline, boxShadow, backgroundColor].join();
          const focused = styleOf(getComputedStyle(element));
          element.blur();
          const plain = styleOf(getComputedStyle(element));
          element.focus();
          return [focused, plain];
        })()`)) as [string, string];
        expect(focused).not.toBe(plain);
        return;
      }
    }
    throw new Error(`no way to ${selector} by the keyboard on ${page.url()}`);
  }

  it('a customer withdraws a consent, from the start page on', async () => {
    const who = await newCustomer(dataUser);
    const context = await browser.newContext(DESKTOP);
    const page = await context.newPage();
    await page.goto(register.portal);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.getAttribute('href')`)).toBe('#main-content');
    await tabTo(page, 'main input[type=text], main input:not([type])');
    await page.keyboard.type(who.mpxn);
    await page.keyboard.press('Enter');
    await page.waitForURL(/sign-in/);
    await tabTo(page, 'form[action="/sign-in/link"] button');
    await page.keyboard.press('Enter');
    await page.waitForURL(/link-sent/);
    await page.goto(linkIn(await nextMail(register, who.email)));
    await tabTo(page, 'main button');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${register.portal}/access`);
    await tabTo(page, 'a[href$="/withdraw"]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/withdraw$/);
    await tabTo(page, 'main button');
    await page.keyboard.press('Enter');
    await page.waitForURL(/withdrawn/);
  });
});

describe('On paper', () => {
  it('the list is printed without buttons', async () => {
    const who = await newCustomer(dataUser);
    const context = await browser.newContext(DESKTOP);
    const page = await signIn(context, who);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('main').innerText()).toContain(who.mpxn);
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false);
  });
});
