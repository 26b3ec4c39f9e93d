import type { Browser } from 'playwright-core';
import { DESKTOP, complaintsOf, startBrowser } from '../../support/browser';
import { newCustomer, newDataUser } from '../../support/customers';
import { type SharedRegister, sharedRegister } from '../../support/register';
import { accountOf } from '../../support/rest-client';
import { until } from '../../support/until';

const QUERY = 'subscription Live { registerEvents { type dataUser { displayName } } }';
const EDITOR = "document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror";

describe('The explorer', () => {
  let register: SharedRegister;
  let browser: Browser;

  beforeAll(async () => {
    register = await sharedRegister();
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());

  it('shows the schema before sign-in, and then a query that the role may run', async () => {
    const context = await browser.newContext(DESKTOP);
    const complaints = complaintsOf(context);
    const page = await context.newPage();
    await page.goto(`${register.gateway}/explorer`);
    await page.click('[aria-label="Show Documentation Explorer"]');
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    const documentation = await until(async () => {
      const text = (await page.textContent('.graphiql-doc-explorer')) ?? '';
      return text.includes('accessRecord') ? text : undefined;
    });
    expect(documentation).toContain('tariffs');
    expect(documentation).not.toContain('auditEntries');
    const { account_id: accountId, secret_key: secretKey } = accountOf(register.sandbox, 'analyst');
    await page.fill('[name=accountId]', accountId);
    await page.fill('[name=secretKey]', secretKey);
    await page.click('#sign-in button');
    await page.getByText('Signed in').waitFor();
    await until(async () => ((await page.evaluate(`${EDITOR}.operationName === 'LatestEvents'`)) ? true : undefined));
    await page.click('.graphiql-execute-button');
    const result = await until(async () => {
      const text = (await page.textContent('.result-window')) ?? '';
      return text.includes('latestRegisterEvents') || text.includes('errors') ? text : undefined;
    });
    expect(result).not.toContain('errors');
    expect(complaints).toEqual([]);
  });

  it('does not send a secret key in the address while it loads', async () => {
    const page = await browser.newPage();
    const loading = new Promise<() => Promise<void>>(
      (resolve) => void page.route('**/explorer/schema.json', (route) => resolve(() => route.continue())),
    );
    await page.goto(`${register.gateway}/explorer`);
    const load = await loading;
    await page.fill('[name=accountId]', 'an id');
    await page.fill('[name=secretKey]', 'a key');
    await page.press('[name=secretKey]', 'Enter');
    expect(await page.isDisabled('#sign-in button')).toBe(true);
    await load();
    await page.click('#sign-in button');
    await page.getByText('Credentials or token missing or invalid.').waitFor();
    expect(page.url()).toBe(`${register.gateway}/explorer`);
  });

  it('says that it did not load, and does not sign in', async () => {
    const page = await browser.newPage();
    await page.route('**/explorer/schema.json', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto(`${register.gateway}/explorer`);
    await page
      .getByText('The explorer did not load; reload the page. (/explorer/schema.json: 503)', { exact: true })
      .waitFor();
    expect(await page.isDisabled('#sign-in button')).toBe(true);
  });

  it('shows events of a subscription until it is stopped', async () => {
    const context = await browser.newContext(DESKTOP);
    const complaints = complaintsOf(context);
    const page = await context.newPage();
    await page.goto(`${register.gateway}/explorer`);
    const { account_id: accountId, secret_key: secretKey } = accountOf(register.sandbox, 'admin');
    await page.fill('[name=accountId]', accountId);
    await page.fill('[name=secretKey]', secretKey);
    await page.click('#sign-in button');
    await page.getByText('Signed in').waitFor();
    await page.waitForSelector('.graphiql-query-editor .CodeMirror');
    await page.evaluate(`${EDITOR}.setValue(${JSON.stringify(QUERY)})`);
    await until(async () => ((await page.evaluate(`${EDITOR}.operationName === 'Live'`)) ? true : undefined));
    await page.click('.graphiql-execute-button');
    const { name, ...dataUser } = await newDataUser(register, 'https://explorer.example/return');
    const shown = async () => (await page.textContent('.result-window')) ?? '';
    const ofDataUser = await until(async () => {
      await newCustomer({ name, ...dataUser });
      const event = await shown(); // the next event may be another test's
      return event.includes(name) ? event : undefined;
    });
    expect(ofDataUser).toContain('ACCESS_REGISTERED');
    const ended = page.waitForEvent(
      'requestfailed',
      (request) => request.postData()?.includes('registerEvents') ?? false,
    );
    await page.click('.graphiql-execute-button');
    expect((await ended).failure()?.errorText).toContain('ERR_ABORTED');
    expect(complaints).toEqual([]);
  });
});
