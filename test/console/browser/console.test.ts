import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { LISTED_EVENTS } from '../../../web/console/live/latest-events';
import { onboarded } from '../../support/administration';
import {
  DESKTOP,
  PHONE,
  type OpenedPage,
  complaintsOf,
  sidewaysScroll,
  startBrowser,
  openPage,
} from '../../support/browser';
import { repeated } from '../../support/confirmed-tokens';
import { type Customer, type DataUser, newCustomer, newDataUser } from '../../support/customers';
import { graphAs } from '../../support/graph';
import { type StorageState, later, newest, rows, signIn, signedInAs, state } from '../../support/live-page';
import { IS_LONG, NO_FAULT, faultsOf } from '../../support/page-faults';
import { discoveredAccess, registered } from '../../support/records';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { accountOf, anonymousClient, tokenOf } from '../../support/rest-client';
import { until } from '../../support/until';

let register: SharedRegister;
let browser: Browser;
let dataUser: DataUser;
let customer: Customer;
/** Cookies of a signed-in admin. */
let signedIn: StorageState;

beforeAll(async () => {
  register = await sharedRegister();
  browser = await startBrowser();
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  customer = await newCustomer(dataUser);
  const { status } = await dataUser.rest('POST', '/v1/webhooks', {
    'callback-url': 'https://larkhill.example/events',
    'alert-email': 'alerts@larkhill.example',
  });
  expect(status).toBe(201);
  for (let count = 0; count < 5; count++) {
    const key = await registered(dataUser.rest, customer.ir);
    await dataUser.rest('DELETE', `/v1/access-records/${key}`);
  }
  signedIn = await signedInAs(browser, register, 'admin');
});

afterAll(() => browser?.close());

/** Reports an unregistered organisation as the communications operator. */
async function discovered(mpxn: string, name: string): Promise<void> {
  const operator = anonymousClient(register.rest, `Bearer ${await tokenOf(register, 'communications_operator')}`);
  const { status, body } = await operator('POST', '/v1/discovered-access', discoveredAccess(mpxn, name));
  expect({ status, errors: body['errors'] }).toEqual({ status: 201 });
}

/** Opens a live page of the events of this test's Data User, and collects its errors. */
function livePage(options: BrowserContextOptions = {}, query = `duid=${dataUser.duid}`): Promise<OpenedPage> {
  return openPage(browser, `${register.console}/?${query}`, { storageState: signedIn, ...options });
}

describe('the live page', () => {
  it('shows new events and figures immediately, without a reload, and draws the hour', async () => {
    const { page, complaints } = await livePage();
    await state(page, 'live');
    const [before] = await rows(page);
    const total = async () => Number((await page.locator('#figures dd').first().innerText()).replace(',', ''));
    const totalBefore = await total();
    await page.evaluate('window.stillTheSame = true');
    await registered(dataUser.rest, customer.ir);
    const arrived = await newest(page, before);
    const row = page.locator(`#events tr[data-event="${arrived}"]`);
    expect(await row.innerText()).toMatch(/access\.registered[^]*Larkhill Insight \d+[^]*active/);
    await until(async () => ((await total()) > totalBefore ? true : undefined));
    expect(await page.evaluate('window.stillTheSame')).toBe(true);
    expect(await page.locator('#plot canvas').count()).toBe(1);
    expect(await coloursDrawn(page)).toBeGreaterThan(2);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('leaves the focus at the link of a figure that changes', async () => {
    const { page, complaints } = await livePage();
    await state(page, 'live');
    const link = page.locator('#figures').getByRole('link', { name: 'Undelivered' });
    await link.focus();
    const sendChange = async (route: Route) => {
      const { figures, perMinute } = await page.evaluate<{ figures: string; perMinute: string }>(
        `({ figures: document.getElementById('figures').innerHTML, ...document.getElementById('plot').dataset })`,
      );
      const worrying = figures.replaceAll(/class="figure[^"]*"/g, 'class="figure worrying"');
      const changed = worrying.replaceAll(/<dd>[^]*?<\/dd>/g, '<dd>7,654</dd>');
      const data = JSON.stringify({ figures: changed, perMinute: JSON.parse(perMinute) });
      await route.fulfill({ contentType: 'text/event-stream', body: `event: figures\ndata: ${data}\n\n` });
    };
    await page.route('**/live/stream?*', sendChange, { times: 1 });
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    const figure = page.locator('.figure.worrying').filter({ hasText: 'Undelivered' });
    await figure.getByText('7,654').waitFor();
    expect(await link.evaluate((each) => each.matches(':focus'))).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows no events while it is paused, and then each event once', async () => {
    const { page } = await livePage();
    await state(page, 'live');
    await page.getByRole('button', { name: 'Pause' }).click();
    await state(page, 'paused');
    const before = await rows(page);
    const watching = await livePage();
    await state(watching.page, 'live');
    for (let count = 0; count < 3; count++) await registered(dataUser.rest, customer.ir);
    await until(async () => ((await rows(watching.page)).indexOf(before[0] ?? '') === 3 ? true : undefined));
    expect(await rows(page)).toEqual(before);
    await page.getByRole('button', { name: 'Resume' }).click();
    await until(async () => ((await rows(page)).indexOf(before[0] ?? '') === 3 ? true : undefined));
    expect(await rows(page)).toEqual(await rows(watching.page));
    await Promise.all([page.context().close(), watching.page.context().close()]);
  });

  it('is filtered by type and Data User, also while events arrive', async () => {
    const { page } = await livePage({}, '');
    await page.getByLabel('access.revoked').check();
    await page.getByRole('combobox', { name: 'Data User' }).fill(dataUser.duid);
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Filter' }).click()]);
    await state(page, 'live');
    const types = () => page.locator('#events .cell-type').allInnerTexts();
    const [before] = await rows(page);
    const key = await registered(dataUser.rest, customer.ir);
    await dataUser.rest('DELETE', `/v1/access-records/${key}`);
    await newest(page, before);
    expect(new Set(await types())).toEqual(new Set(['access.revoked']));
    expect(await page.getByLabel('access.revoked').isChecked()).toBe(true);
    await page.context().close();
  });

  it('shows that the session has ended, and links to the sign-in', async () => {
    const admin = await graphAs(register, 'admin');
    const input = { role: 'ANALYST', displayName: 'Late shift', contactUrl: 'https://register.example/contact' };
    const { accountId, secretKey } = await onboarded(admin, input);
    const context = await browser.newContext(DESKTOP);
    const page = await context.newPage();
    await signIn(page, register.console, accountId, secretKey);
    await state(page, 'live');
    await admin('mutation ($id: ID!) { suspendAccount(accountId: $id) { accountId } }', { id: accountId });
    await state(page, 'ended');
    await Promise.all([page.waitForEvent('load'), page.getByRole('link', { name: 'Sign in again' }).click()]);
    expect(await page.getByRole('status').innerText()).toContain('Your session has ended');
    await page.context().close();
  });

  it('shows that the user has signed out in another window', async () => {
    const { account_id, secret_key } = accountOf(register.sandbox, 'analyst');
    const context = await browser.newContext(DESKTOP);
    const [page, other] = [await context.newPage(), await context.newPage()];
    await signIn(page, register.console, account_id, secret_key);
    await state(page, 'live');
    await other.goto(register.console);
    await Promise.all([other.waitForEvent('load'), other.getByRole('button', { name: 'Sign out' }).click()]);
    await state(page, 'ended');
    expect(await page.getByRole('status').textContent()).toBe('You have signed out. Sign in again');
    await Promise.all([page.waitForEvent('load'), page.getByRole('link', { name: 'Sign in again' }).click()]);
    expect(await page.getByRole('status').count()).toBe(0);
    await page.context().close();
  });

  it('escapes the name of an organisation that arrives by the stream', async () => {
    const { page, complaints } = await livePage({}, '');
    await state(page, 'live');
    const name = '<img src=x onerror="window.wasRun = true"></td></script><script>window.wasRun = true</script>{{7*7}}';
    await discovered(customer.mpxn, name);
    const user = page.locator('#events .cell-user', { hasText: '{{7*7}}' }).first();
    await user.waitFor();
    expect(await user.innerText()).toBe(`${name} discovered`);
    expect(await page.locator('#events :is(img, script)').count()).toBe(0);
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows every label of the chart completely, including the last', async () => {
    const { page } = await livePage(PHONE);
    expect(await page.evaluate(LABELS_OF_AN_HOUR)).toEqual([true, 0]);
    await page.context().close();
  });

  it('is never wider than its window, even while the chart is being resized', async () => {
    const context = await browser.newContext({ ...DESKTOP, storageState: signedIn });
    await context.addInitScript('window.ResizeObserver = class { observe() {} }');
    const page = await context.newPage();
    await page.goto(register.console);
    await page.locator('#plot canvas').waitFor();
    await page.setViewportSize({ width: 320, height: 256 });
    expect(await page.evaluate(`document.querySelector('#plot canvas').clientWidth`)).toBeGreaterThan(320);
    expect(await sidewaysScroll(page)).toBe(0);
    await page.context().close();
  });

  it('continues with the newest events after a pause of more than a minute', async () => {
    const { page } = await livePage();
    await state(page, 'live');
    const [before] = await rows(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    await later(page, 61_000);
    await registered(dataUser.rest, customer.ir);
    const reopened = page.waitForRequest((request) => request.url().includes('/live/stream'));
    await page.getByRole('button', { name: 'Resume' }).click();
    expect(new URL((await reopened).url()).searchParams.get('from')).toBe('newest');
    const missed = await newest(page, before);
    await registered(dataUser.rest, customer.ir);
    await newest(page, missed);
    expect(new Set(await rows(page)).size).toBe((await rows(page)).length);
    await page.context().close();
  });

  it('lists only the newest events', async () => {
    const { page } = await livePage();
    await state(page, 'live');
    const listed = await rows(page);
    const more = LISTED_EVENTS + 5 - listed.length;
    await repeated(more, () => registered(dataUser.rest, customer.ir), 4);
    await until(async () => ((await rows(page)).includes(listed.at(-5) ?? '') ? undefined : true));
    const newestOnly = await rows(page);
    expect(newestOnly).toHaveLength(LISTED_EVENTS);
    expect(new Set(newestOnly).size).toBe(LISTED_EVENTS);
    await page.context().close();
  });

  it('works without scripts, with the data of its opening', async () => {
    const { page } = await livePage({ javaScriptEnabled: false });
    expect(await page.locator('#events tr').count()).toBeGreaterThan(0);
    expect(await page.getByText('Not updated since the page was opened').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    await page.getByText('Show as a table').click();
    expect(await page.locator('#minutes tbody tr').first().innerText()).toMatch(/\d\d:\d\d\s+\d/);
    await page.context().close();
  });
});

/** Returns the number of colours in the chart. */
function coloursDrawn(page: Page): Promise<number> {
  return page.evaluate(`{
    const canvas = document.querySelector('#plot canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    new Set(Array.from({ length: data.length / 4 }, (_, at) => data.slice(at * 4, at * 4 + 4).join())).size;
  }`);
}

/**
 * Draws an hour that ends at 12:30. Returns whether there are labels, and how many of their pixels touch the right
 * edge.
 */
const LABELS_OF_AN_HOUR = `(async () => {
  const place = Object.assign(document.createElement('div'), { className: 'plot' });
  document.querySelector('.plot-card').append(place);
  const { eventsPlot } = await import(document.querySelector('script[src$="live.js"]').src.replace('live.js', 'plot.js'));
  const last = Date.UTC(2026, 10, 20, 12, 30) / 1000;
  const minutes = Array.from({ length: 60 }, (_, index) => last - (59 - index) * 60);
  eventsPlot(place, document.createElement('p'))({ minutes, series: [] });
  await new Promise(requestAnimationFrame);
  const canvas = place.querySelector('canvas');
  const ink = (from, width) => {
    const { data } = canvas.getContext('2d').getImageData(from, canvas.height - 28, width, 28);
    return data.filter((value, at) => at % 4 === 3 && value > 0).length;
  };
  return [ink(0, canvas.width) > 0, ink(canvas.width - 3, 3)];
})()`;

/** All pages of the console, with functions that open them. */
const EVERY_PAGE: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'sign-in that was rejected': (page) => signIn(page, register.console, 'acc_unknown', 'wrong'),
  'live with the minutes as a table': async (page) => {
    await page.goto(`${register.console}/?duid=${dataUser.duid}`);
    await page.getByText('Show as a table').click();
    await state(page, 'live');
  },
  audit: (page) => page.goto(`${register.console}/audit`),
  'audit that is filtered': async (page) => {
    await page.goto(`${register.console}/audit`);
    await page.getByLabel('Kind').selectOption('Webhook registered');
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Filter' }).click()]);
    await page.getByRole('rowheader', { name: 'Webhook registered' }).first().waitFor();
  },
  'live without events': (page) => page.goto(`${register.console}/?duid=duid_${'0'.repeat(24)}`),
  'live with a Data User that is none': (page) => page.goto(`${register.console}/?duid=Larkhill`),
  'form that has expired': async (page) => {
    await page.goto(`${register.console}/sign-in`);
    await page.evaluate(`document.querySelector('[name=form-token]').value = 'x'`);
    await page.getByLabel('Account id').fill('x');
    await page.getByLabel('Secret key').fill('x');
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Sign in' }).click()]);
  },
};

/** Pages of the same templates with other content; only tested with TEST_LONG. */
const MORE_CONTENT: typeof EVERY_PAGE = {
  'sign-in': (page) => page.goto(`${register.console}/sign-in`),
  'sign-in after the end of a session': (page) => page.goto(`${register.console}/sign-in?ended`),
  live: async (page) => {
    await page.goto(`${register.console}/`);
    await state(page, 'live');
  },
  'page that is not there': (page) => page.goto(`${register.console}/nowhere`),
};

describe('the audit', () => {
  it('shows a change of a webhook at once, and follows the link of its actor', async () => {
    const { body } = await dataUser.rest('POST', '/v1/webhooks', {
      'callback-url': 'https://larkhill.example/audited',
      'alert-email': 'audited@larkhill.example',
    });
    const { page, complaints } = await openPage(browser, `${register.console}/audit?kind=register-webhook`, {
      storageState: signedIn,
    });
    const row = page.getByRole('row').filter({ hasText: String(body['webhook'].wid) });
    expect(await row.innerText()).toMatch(/callback URL\s+[0-9a-f]{16}/);
    expect(await row.innerText()).not.toMatch(/larkhill|@|whsec_/);
    const actor = await row.getByRole('link').innerText();
    await Promise.all([page.waitForEvent('load'), row.getByRole('link').click()]);
    expect(await page.getByLabel('Actor').inputValue()).toBe(actor);
    expect(await page.getByLabel('Kind').inputValue()).toBe('register-webhook');
    expect(await page.getByRole('row').count()).toBeGreaterThan(1);
    await Promise.all([page.waitForEvent('load'), page.getByRole('link', { name: 'Show all' }).click()]);
    expect(await page.getByLabel('Actor').inputValue()).toBe('');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

describe('every page of the console', () => {
  it.each(Object.entries({ ...EVERY_PAGE, ...(IS_LONG ? MORE_CONTENT : {}) }))(
    '%s: axe reports no violation, it does not scroll sideways at 400 %% zoom, and the browser reports no error',
    async (name, go) => {
      const context = await browser.newContext(/^(live|audit)/.test(name) ? { storageState: signedIn } : {});
      const complaints = complaintsOf(context);
      const page = await context.newPage();
      await go(page);
      expect(await faultsOf(page, `console ${name}`)).toEqual(NO_FAULT);
      expect(complaints.filter((each) => !/the server responded with a status of 4\d\d/.test(each))).toEqual([]);
      await context.close();
    },
  );
});
