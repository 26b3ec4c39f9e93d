import type { Browser, Page } from 'playwright-core';
import { openPage, startBrowser } from '../../support/browser';
import { type Customer, type DataUser, newCustomer, newDataUser } from '../../support/customers';
import { type StorageState, later, newest, rows, signedInAs, state } from '../../support/live-page';
import { registered } from '../../support/records';
import { type SharedRegister, freePort, sharedRegister } from '../../support/register';
import { type SilencedProxy, silencedProxy } from '../../support/silenced-proxy';
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
  await registered(dataUser.rest, customer.ir);
  signedIn = await signedInAs(browser, register, 'admin');
});

afterAll(() => browser?.close());

/** Opens a live page through a proxy that can disconnect it, and waits until it is live. */
async function proxiedLivePage(): Promise<{ page: Page; proxy: SilencedProxy }> {
  const proxy = await silencedProxy(register.console);
  const address = new URL(register.console);
  address.port = new URL(proxy.url).port;
  const { page } = await openPage(browser, `${address.origin}/?duid=${dataUser.duid}`, { storageState: signedIn });
  await state(page, 'live');
  return { page, proxy };
}

/** Returns where a stream starts, by its address; undefined for other addresses. */
function startOf(address: string): 'newest' | 'after' | undefined {
  const { pathname, searchParams } = new URL(address);
  if (pathname !== '/live/stream') return undefined;
  return searchParams.get('from') === 'newest' ? 'newest' : 'after';
}

describe('the live page', () => {
  it('continues with the newest events after the console was unavailable for more than a minute', async () => {
    const { page, proxy } = await proxiedLivePage();
    const [before] = await rows(page);
    proxy.redirect(await freePort());
    proxy.reset();
    await state(page, 'lost');
    await later(page, 61_000);
    await registered(dataUser.rest, customer.ir);
    await page.waitForRequest((request) => startOf(request.url()) === 'newest');
    proxy.redirect(Number(new URL(register.console).port));
    await state(page, 'live');
    const missed = await newest(page, before);
    await registered(dataUser.rest, customer.ir);
    await newest(page, missed);
    expect(new Set(await rows(page)).size).toBe((await rows(page)).length);
    await page.context().close();
    await proxy.close();
  });

  it('replaces a connection that has become silent, and says meanwhile that it is not connected', async () => {
    const { page, proxy } = await proxiedLivePage();
    const [before] = await rows(page);
    await page.evaluate(`new MutationObserver(() => window.saidLost ||= state.dataset.state === 'lost')
      .observe(state, { attributes: true })`);
    let opened = 0;
    page.on('request', (request) => {
      if (startOf(request.url()) !== undefined) opened += 1;
    });
    const accepted = proxy.accepted();
    const hasConnected = () => proxy.accepted() > accepted;
    proxy.silence();
    // The browser first uses its idle connections, which are silent as well, and sends a request before a new connection is accepted.
    while (!hasConnected()) {
      const sent = opened;
      await later(page, 41_000);
      await until(() => opened > sent || hasConnected() || undefined);
    }
    await state(page, 'live');
    expect(await page.evaluate('window.saidLost')).toBe(true);
    await registered(dataUser.rest, customer.ir);
    await newest(page, before);
    await page.context().close();
    await proxy.close();
  });
});
