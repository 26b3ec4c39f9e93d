import type { Page } from 'playwright-core';
import { type VirtualAuthenticator, follow, withAuthenticator } from './browser';
import { type Customer, type DataUser, identityRecord, linkIn, newCustomer, newMpxn, nextMail } from './customers';
import type { SharedRegister } from './register';

/** Starts a re-identification for a record of the Data User; returns the URL to which the customer is redirected. */
async function started({ dataUser }: Place, ir: string, input: object): Promise<string> {
  const { status, body } = await dataUser.rest('POST', `/v1/identity-records/${ir}/re-identify`, input);
  if (status !== 200) throw new Error(`the re-identification received the response ${status}: ${JSON.stringify(body)}`);
  return String(body['passkey']?.['redirect-url']);
}

/** Registers an Identity Record; returns it with the URL where the customer registers its first passkey. */
export async function enrolment({ dataUser }: Place): Promise<{ ir: string; url: string }> {
  const { body } = await dataUser.rest('POST', '/v1/identity-records', {
    ...identityRecord(newMpxn(), null),
    'initiate-passkey-registration': true,
    'passkey-return-url': dataUser.returnUrl,
  });
  return { ir: String(body['ir']), url: String(body['passkey-registration-redirect']) };
}

/** Authenticators by page: a browser allows one per page. */
const authenticators = new WeakMap<Page, VirtualAuthenticator>();

/** Deletes the passkeys of a page's authenticator, which holds at most three. */
async function emptyAuthenticator(page: Page): Promise<void> {
  const authenticator = authenticators.get(page) ?? (await withAuthenticator(page));
  authenticators.set(page, authenticator);
  await authenticator.clear();
}

/** Opens the page that uses a passkey of the page's authenticator; returns the `ir` of its Identity Record. */
export async function atAssertion(page: Page, place: Place): Promise<string> {
  const { ir, url } = await enrolment(place);
  await emptyAuthenticator(page);
  await page.goto(url);
  await page.locator('#passkey button').click();
  await page.waitForURL((at) => at.href.startsWith(place.dataUser.returnUrl));
  const input = { method: 'passkey-assert', 'passkey-return-url': place.dataUser.returnUrl };
  await page.goto(await started(place, ir, input));
  return ir;
}

/** Uses a passkey that the Data User removes before the authenticator's response arrives at the portal. */
export async function atRemovedPasskey(page: Page, place: Place): Promise<void> {
  const ir = await atAssertion(page, place);
  await page.route(
    page.url(),
    async (route) => {
      await removePasskeys(place, ir);
      await route.continue();
    },
    { times: 1 },
  );
  await follow(page, page.locator('#passkey button').click());
}

async function removePasskeys({ dataUser }: Place, ir: string): Promise<void> {
  const { body } = await dataUser.rest('GET', `/v1/identity-records/${ir}`);
  for (const { 'credential-id': id } of body['identity-record'].credentials as { 'credential-id': string }[]) {
    await dataUser.rest('DELETE', `/v1/identity-records/${ir}/credentials/${id}`);
  }
}

/** Opens the page that requires another proof before it registers a passkey. */
export async function atProofs(page: Page, place: Place): Promise<Customer> {
  const customer = await newCustomer(place.dataUser);
  const input = { method: 'passkey-register', 'passkey-return-url': place.dataUser.returnUrl };
  await page.goto(await started(place, customer.ir, input));
  return customer;
}

/** Opens the link that is mailed for a re-identification. */
export async function atConfirmation(page: Page, place: Place, input: object): Promise<void> {
  const { ir, email } = await newCustomer(place.dataUser);
  await started(place, ir, { method: 'magic-link', ...input });
  await page.goto(linkIn(await nextMail(place.register, email)));
}

/** The register with the pages, and the customer and the Data User of the tests. */
export interface Place {
  readonly register: SharedRegister;
  readonly dataUser: DataUser;
  /** Has accesses of every kind. */
  readonly customer: Customer;
}
