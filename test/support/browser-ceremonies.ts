import type { Page } from 'playwright-core';
import { withAuthenticator } from './browser';
import { type Customer, identityRecord, linkIn, newCustomer, newMpxn, nextMail } from './customers';
import type { Place } from '../portal/browser/every-page';

/** Starts a re-identification for an own record; answers where the person is sent, if anywhere. */
async function started({ dataUser }: Place, ir: string, input: object): Promise<string> {
  const { status, body } = await dataUser.rest('POST', `/v1/identity-records/${ir}/re-identify`, input);
  if (status !== 200) throw new Error(`the re-identification was answered ${status}: ${JSON.stringify(body)}`);
  return String(body['passkey']?.['redirect-url']);
}

/** Where somebody makes the first passkey of a new record. */
export async function enrolment({ dataUser }: Place): Promise<{ ir: string; url: string }> {
  const { body } = await dataUser.rest('POST', '/v1/identity-records', {
    ...identityRecord(newMpxn(), null),
    'initiate-passkey-registration': true,
    'passkey-return-url': dataUser.returnUrl,
  });
  return { ir: String(body['ir']), url: String(body['passkey-registration-redirect']) };
}

/** Pages that have an authenticator: a browser lets them have one. */
const equipped = new WeakSet<Page>();

/** Where a passkey, which the page's own authenticator has made before, is to be used. */
export async function atAssertion(page: Page, place: Place): Promise<void> {
  const { ir, url } = await enrolment(place);
  if (!equipped.has(page)) await withAuthenticator(page);
  equipped.add(page);
  await page.goto(url);
  await page.locator('#passkey button').click();
  await page.waitForURL((at) => at.href.startsWith(place.dataUser.returnUrl));
  const input = { method: 'passkey-assert', 'passkey-return-url': place.dataUser.returnUrl };
  await page.goto(await started(place, ir, input));
}

/** Where a passkey is asked for that another proof must come before. */
export async function atProofs(page: Page, place: Place): Promise<Customer> {
  const customer = await newCustomer(place.dataUser);
  const input = { method: 'passkey-register', 'passkey-return-url': place.dataUser.returnUrl };
  await page.goto(await started(place, customer.ir, input));
  return customer;
}

/** What the link mailed for a re-identification opens. */
export async function atConfirmation(page: Page, place: Place, input: object): Promise<void> {
  const { ir, email } = await newCustomer(place.dataUser);
  await started(place, ir, { method: 'magic-link', ...input });
  await page.goto(linkIn(await nextMail(place.register, email)));
}
