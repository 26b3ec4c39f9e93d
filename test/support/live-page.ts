import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { SharedRegister } from './register';
import { accountOf } from './rest-client';
import { until } from './until';

/** Cookies and storage of a browser. */
export type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Signs in to the console, and waits until the next page is loaded. */
export async function signIn(page: Page, console: string, accountId: string, secretKey: string): Promise<void> {
  await page.goto(`${console}/`);
  await page.getByLabel('Account id').fill(accountId);
  await page.getByLabel('Secret key').fill(secretKey);
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Sign in' }).click()]);
}

/** Returns the cookies of a user of the sandbox who has signed in to the console. */
export async function signedInAs(
  browser: Browser,
  { console, sandbox }: Pick<SharedRegister, 'console' | 'sandbox'>,
  role: Parameters<typeof accountOf>[1],
): Promise<StorageState> {
  const { account_id, secret_key } = accountOf(sandbox, role);
  const context = await browser.newContext();
  await signIn(await context.newPage(), console, account_id, secret_key);
  const signedIn = await context.storageState();
  await context.close();
  return signedIn;
}

/** Waits until a live page has a state, such as `live` or `lost`. */
export const state = (page: Page, name: string): Promise<void> =>
  page.locator(`#state[data-state="${name}"]`).waitFor();

/** Returns the ids of the events that a live page lists, as its rows. */
export const rows = (page: Page): Promise<(string | null)[]> =>
  page.locator('#events tr').evaluateAll((all) => all.map((row) => row.getAttribute('data-event')));

/** Waits until a live page lists a newer event than the given one. Returns its id. */
export const newest = (page: Page, than: string | null | undefined): Promise<string | null | undefined> =>
  until(async () => {
    const [first] = await rows(page);
    return first === than ? undefined : first;
  });

/** Advances the clock of a page. */
export const later = (page: Page, milliseconds: number): Promise<void> =>
  page.evaluate(`{ const now = Date.now; Date.now = () => now() + ${milliseconds}; }`);
