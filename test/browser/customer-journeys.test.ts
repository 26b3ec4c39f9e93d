import type { Browser, Page } from 'playwright-core';
import { PHONE, startBrowser, withAuthenticator } from '../support/browser';
import {
  type Customer,
  type DataUser,
  identityRecord,
  linkIn,
  newCustomer,
  newDataUser,
  newMpxn,
  newSupplier,
  nextMail,
} from '../support/customers';
import { graphAs } from '../support/graph';
import { consentRecord } from '../support/records';
import { type TestRegister, startTestRegister } from '../support/register';
import { type RestClient, anonymousClient } from '../support/rest-client';
import { type ReturnSite, startReturnSite } from '../support/return-site';

let register: TestRegister;
let browser: Browser;
let site: ReturnSite;
let dataUser: DataUser;
let verify: RestClient;
let supplier: Awaited<ReturnType<typeof newSupplier>>;

beforeAll(async () => {
  register = await startTestRegister('one process');
  browser = await startBrowser();
  site = await startReturnSite();
  dataUser = await newDataUser(register, site.url);
  verify = anonymousClient(register.rest);
  supplier = await newSupplier(register);
});
afterAll(async () => {
  await browser.close();
  await supplier.close();
  await register.close();
  await site.close();
});

/** A phone of its own, with nothing kept from before. */
async function phone(): Promise<Page> {
  return (await browser.newContext(PHONE)).newPage();
}

const stateOf = async (key: string) =>
  String((await verify('GET', `/v1/access-records/${key}`)).body['access-record']['access-event'].state);

/** The link that a Data User gives to its customer. */
const linkTo = (entry: Record<string, string>) =>
  `${register.portal}/?${new URLSearchParams({ ...entry, return: site.url })}`;

/** From the list to the way back to the Data User. */
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
  it('makes a passkey where the Data User sends them, signs in with it, withdraws, and returns', async () => {
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

  it('signs in by a link from the mail, withdraws, and returns', async () => {
    const customer = await newCustomer(dataUser);
    const page = await phone();
    await page.goto(linkTo({ ir: customer.ir }));
    expect(page.url()).not.toContain(customer.ir);
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await page.waitForURL(/link-sent/);
    const mail = await nextMail(register, customer.email);
    await page.goto(linkIn(mail));
    await page.getByRole('main').getByRole('button').click();
    await page.waitForURL(`${register.portal}/access`);
    await withdraw(page, customer.key);
  });

  it('signs in at the energy supplier when no passkey and no address is known, withdraws, and returns', async () => {
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

/** From the challenge through the supplier's own page. */
async function signInAtSupplier(page: Page, login: string): Promise<void> {
  await page.getByLabel('Your supplier').selectOption({ label: supplier.name });
  await page.getByRole('button', { name: 'Continue to your supplier' }).click();
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill('a long password');
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe('Whoever tries to get in by the data of somebody else', () => {
  let victim: Customer;
  beforeAll(async () => {
    victim = await newCustomer(dataUser);
  });

  it('learns nothing from a meter point number: known and unknown are answered alike', async () => {
    const told: string[] = [];
    for (const mpxn of [victim.mpxn, newMpxn()]) {
      const page = await phone();
      await page.goto(linkTo({ mpxn }));
      const challenge = (await page.getByRole('main').innerText()).replaceAll(mpxn, 'MPXN');
      await page.getByRole('button', { name: 'Email me a link' }).click();
      await page.waitForURL(/link-sent/);
      told.push(`${challenge}\n${await page.getByRole('main').innerText()}\n${page.url()}`);
    }
    expect(told[0]).toBe(told[1]);
  });

  it('is not signed in when the victim presses the button: the page that asked stays where it is', async () => {
    const attacker = await phone();
    await attacker.goto(linkTo({ mpxn: victim.mpxn }));
    await attacker.getByRole('button', { name: 'Email me a link' }).click();
    await attacker.waitForURL(/link-sent/);
    const mail = await nextMail(register, victim.email);
    const page = await phone();
    await page.goto(linkIn(mail));
    await page.getByRole('main').getByRole('button').click();
    await page.waitForURL(`${register.portal}/access`);
    await attacker.goto(`${register.portal}/access`);
    expect(new URL(attacker.url()).pathname).toBe('/');
    await expect(attacker.content()).resolves.not.toContain(victim.email);
  });

  it('is refused at the supplier with the login of another meter point', async () => {
    const mpxn = newMpxn();
    supplier.addLogins([{ login: `owner-of-${mpxn}`, password: 'a long password', mpxns: [mpxn] }]);
    const page = await phone();
    await page.goto(linkTo({ mpxn: newMpxn() }));
    await signInAtSupplier(page, `owner-of-${mpxn}`);
    await page.getByText('We could not sign you in by way of your supplier').first().waitFor();
    await page.goto(`${register.portal}/access`);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  it('is not signed in by the link itself, which mail scanners follow: only by its button', async () => {
    const customer = await newCustomer(dataUser);
    const page = await phone();
    await page.goto(linkTo({ mpxn: customer.mpxn }));
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await page.waitForURL(/link-sent/);
    const link = linkIn(await nextMail(register, customer.email));
    for (let scans = 0; scans < 3; scans++) expect((await fetch(link)).status).toBe(200);
    await page.goto(link);
    expect(await page.locator('form').count()).toBe(1);
    expect(await page.getByRole('button').count()).toBe(1);
    await page.getByRole('button').click();
    await page.waitForURL(`${register.portal}/access`);
    const second = await phone();
    await second.goto(link);
    expect(await second.getByRole('button').count()).toBe(0);
  });
});

describe('A returning customer of another Data User', () => {
  it('confirms by a mail that names who asks, and the new record is theirs without an Identity Record key', async () => {
    const customer = await newCustomer(dataUser);
    const otherSite = await startReturnSite();
    const other = await newDataUser(register, otherSite.url);
    const started = await other.rest('POST', '/v1/identity-records/reidentify', {
      mpxn: customer.mpxn,
      method: 'magic-link',
      'redirect-url': otherSite.url,
    });
    expect(started.status).toBe(200);
    const page = await phone();
    const mail = await nextMail(register, customer.email);
    expect(mail.text).toContain(other.name);
    expect(mail.text).not.toContain(dataUser.name);
    await page.goto(linkIn(mail));
    await expect(page.getByRole('main').innerText()).resolves.toContain(other.name);
    await page.getByRole('button').click();
    await page.waitForURL((url) => url.href.startsWith(otherSite.url));
    const token = otherSite.returns[0]?.get('dar-reid-token') ?? '';
    const record = consentRecord('ir_000000000000000000000000', {}) as Record<string, object>;
    const { 'identity-record-ref': _, ...metadata } = record['record-metadata'] as Record<string, unknown>;
    const registered = await other.rest('POST', '/v1/access-records', {
      ...record,
      'record-metadata': metadata,
      'reidentification-token': token,
    });
    expect(registered.status).toBe(201);
    const admin = await graphAs(register, 'admin');
    const key = String(registered.body['access-token'].key);
    const { body } = await verify('GET', `/v1/access-records/${key}`);
    expect(body['access-record']['record-metadata']['identity-record-ref']).toBeNull();
    expect(
      (await admin('{ allAccessRecords(first: 1) { nodes { recordMetadata { identityRecordRef } } } }')).text,
    ).not.toContain(customer.ir);
    await otherSite.close();
  });
});
