import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import {
  type Customer,
  type DataUser,
  identityRecord,
  linkIn,
  mailsTo,
  newCustomer,
  newDataUser,
  newMpxn,
  newSupplier,
  nextMail,
} from '../../support/customers';
import { signInAtSupplier } from '../../support/supplier-browser';
import { until } from '../../support/until';
import { graphOf } from '../../support/graph';
import { consentRecord } from '../../support/records';
import {
  type Place,
  atAssertion,
  atConfirmation,
  atProofs,
  atRemovedPasskey,
  enrolment,
} from '../../support/browser-ceremonies';

/** A page that customers can reach. */
export interface Visited {
  /** Name of its template. */
  readonly view: string;
  /** Problem or result that it shows, if the template has several. */
  readonly variant?: string;
  /** Whether the customer must be signed in already. */
  readonly isPersonal?: boolean;
  /** Opens the page. */
  go(page: Page, place: Place): Promise<unknown>;
}

const MAIN_BUTTON = 'main form button';
const UNKNOWN = 'A'.repeat(43);

/** Clicks the button of a page and waits for the next page. */
async function press(page: Page, selector = MAIN_BUTTON): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.locator(selector).first().click()]);
}

/** Opens the sign-in link that a customer, sent by the Data User, has requested on another device. */
export async function openLink(
  page: Page,
  { register, dataUser }: Pick<Place, 'register' | 'dataUser'>,
  { ir, email }: Customer,
): Promise<void> {
  const before = (await mailsTo(register, email)).length;
  const requestLink = 'mutation ($entry: SignInEntry!) { requestSignInLink(entry: $entry, language: EN) }';
  const { errors } = await graphOf(register)(requestLink, { entry: { ir, returnUrl: dataUser.returnUrl } });
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  await page.goto(linkIn(await nextMail(register, email, before + 1)));
}

/** Signs in by a mailed link. */
export async function signIn(page: Page, place: Place, customer = place.customer): Promise<void> {
  await openLink(page, place, customer);
  await press(page);
}

/** Submits an invalid authenticator response, as the page's script submits a valid one. */
async function rejectedPasskey(page: Page): Promise<void> {
  await Promise.all([
    page.waitForEvent('load'),
    page.evaluate(
      `{ const form = document.querySelector('#passkey'); form.elements.credential.value = '{"id":"x"}'; form.submit(); }`,
    ),
  ]);
}

/** Registers a consent and opens the page that withdraws it. */
async function atWithdrawal(page: Page, { register, dataUser, customer }: Place): Promise<void> {
  await dataUser.rest('POST', '/v1/access-records', consentRecord(customer.ir));
  await page.goto(`${register.portal}/access`);
  await press(page, 'a[href$="/withdraw"]');
}

/** A home for which two Data Users have registered an address each. */
export interface ContestedHome {
  readonly customer: Customer;
  readonly rival: DataUser;
  /** Address that the rival has registered. */
  readonly other: string;
  /** Key of the Identity Record of the rival. */
  readonly otherIr: string;
}

/** Signs in a customer for whose home another Data User has registered another address. */
export async function signInContested(page: Page, place: Place): Promise<ContestedHome> {
  const customer = await newCustomer(place.dataUser);
  const other = `second-${customer.mpxn}@customer.example`;
  const rival = await newDataUser(place.register, 'https://larkhill.example/return');
  const { body } = await rival.rest('POST', '/v1/identity-records', identityRecord(customer.mpxn, other));
  await nextMail(place.register, customer.email); // the notice of the contest, which arrives before the requested link
  await signIn(page, place, customer);
  return { customer, rival, other, otherIr: String(body['ir']) };
}

/** Waits for the mailed link that proves another contact. */
export function contactLinkTo({ register }: Pick<Place, 'register'>, address: string): Promise<string> {
  return until(async () => {
    const links = (await mailsTo(register, address)).map(
      ({ text }) => /https?:\/\/\S+\/contacts\/link\/[\w-]{43}/.exec(text)?.[0],
    );
    return links.find((link) => link !== undefined);
  });
}

/** Signs in at a supplier, which proves the customer of a contested home, and opens the page of contacts. */
async function atJudgement(page: Page, place: Place): Promise<void> {
  const { customer } = await signInContested(page, place);
  const supplier = await newSupplier(place.register);
  try {
    const login = { login: customer.mpxn, password: 'a password', mpxns: [customer.mpxn] };
    supplier.addLogins([login]);
    await page.goto(`${place.register.portal}/contacts`);
    await page.locator('#supplier').selectOption(supplier.mpid);
    const form = { url: await startedAt(page) };
    await page.goto(await signInAtSupplier(form.url, login));
    await page.goto(`${place.register.portal}/contacts`);
  } finally {
    await supplier.close();
  }
}

/** Submits the form that redirects to a supplier. Returns the URL once the page has arrived there. */
async function startedAt(page: Page): Promise<string> {
  const { origin } = new URL(page.url());
  const elsewhere = page.waitForRequest((request) => new URL(request.url()).origin !== origin);
  await page.locator('form[action="/contacts/supplier"] button').click({ noWaitAfter: true });
  const url = (await elsewhere).url();
  await page.waitForURL((at) => at.origin !== origin);
  return url;
}

/** Opens a page by its path. */
const at =
  (path: string) =>
  (page: Page, { register }: Place): Promise<unknown> =>
    page.goto(`${register.portal}${path}`);

const MAIL_PROOF = 'form[action$="/mail-proof"] button';

/** All pages, in the order in which a customer meets them. */
export const EVERY_PAGE: Readonly<Record<string, Visited>> = {
  entry: { view: 'entry', go: at('/') },
  'entry that was rejected': {
    view: 'entry',
    async go(page, { register }) {
      await page.goto(register.portal);
      await page.locator('main #identifier').fill('a@b..c');
      await press(page);
    },
  },
  'entry of one who is signed in': {
    view: 'entry',
    isPersonal: true,
    go: at('/'),
  },
  challenge: { view: 'sign-in', go: (page, { register }) => page.goto(`${register.portal}/?mpxn=${newMpxn()}`) },
  'challenge without a name': { view: 'sign-in', go: at('/sign-in') },
  'challenge that rejected a passkey': {
    view: 'sign-in',
    async go(page, { register }) {
      await page.goto(`${register.portal}/?mpxn=${newMpxn()}`);
      await rejectedPasskey(page);
    },
  },
  'challenge that misses a supplier': {
    view: 'sign-in',
    async go(page, { register }) {
      await page.goto(`${register.portal}/?mpxn=${newMpxn()}`);
      await press(page, 'form[action="/sign-in/supplier"] button');
    },
  },
  'challenge that rejected a supplier': {
    view: 'sign-in',
    go: at('/sign-in/supplier/callback?error=access_denied'),
  },
  'link is sent': {
    view: 'link-sent',
    async go(page, { register }) {
      await page.goto(`${register.portal}/?mpxn=${newMpxn()}`);
      await press(page, 'form[action="/sign-in/link"] button');
    },
  },
  'sign-in link': {
    view: 'link-opened',
    go: async (page, place) => openLink(page, place, await newCustomer(place.dataUser)),
  },

  'list of accesses': {
    view: 'access',
    isPersonal: true,
    go: at('/access'),
  },
  'who looked': {
    view: 'who-looked',
    isPersonal: true,
    go: at('/who-looked'),
  },
  withdrawal: { view: 'withdraw', isPersonal: true, go: atWithdrawal },
  withdrawn: {
    view: 'withdrawn',
    isPersonal: true,
    async go(page, place) {
      await atWithdrawal(page, place);
      await press(page);
    },
  },
  'access that has ended': {
    view: 'already-ended',
    isPersonal: true,
    async go(page, place) {
      await atWithdrawal(page, place);
      const address = page.url();
      await press(page);
      await page.goto(address);
    },
  },
  'access that is no consent': {
    view: 'not-consent',
    isPersonal: true,
    async go(page, { register }) {
      await page.goto(`${register.portal}/access`);
      const card = page.locator('[data-access]:has([data-row="objection"])').first();
      await page.goto(`${register.portal}/access/${await card.getAttribute('data-access')}/withdraw`);
    },
  },
  'access that is not registered': {
    view: 'not-registered',
    isPersonal: true,
    async go(page, { register }) {
      await page.goto(`${register.portal}/access`);
      const access = page.locator('.portal-card--discovered [data-access]').first();
      await page.goto(`${register.portal}/access/${await access.getAttribute('data-access')}/withdraw`);
    },
  },
  history: { view: 'history', isPersonal: true, go: at('/history') },
  'who one is': { view: 'contacts', isPersonal: true, go: at('/contacts') },
  'who one is, contested': {
    view: 'contacts',
    variant: 'contested',
    async go(page, place) {
      await signInContested(page, place);
      await page.goto(`${place.register.portal}/contacts`);
    },
  },
  'who one is, judged by whom the supplier proved': {
    view: 'contacts',
    variant: 'judged',
    go: atJudgement,
  },
  'who one is, without a supplier chosen': {
    view: 'contacts',
    variant: 'supplierMissing',
    async go(page, place) {
      await signInContested(page, place);
      await page.goto(`${place.register.portal}/contacts`);
      await press(page, 'form[action="/contacts/supplier"] button');
    },
  },
  'link to another contact is sent': {
    view: 'contact-link-sent',
    async go(page, place) {
      await signInContested(page, place);
      await page.goto(`${place.register.portal}/contacts`);
      await press(page, 'form[action="/contacts/mail"] button');
    },
  },
  'link to another contact': {
    view: 'contact-link',
    async go(page, place) {
      const { other } = await signInContested(page, place);
      await page.goto(`${place.register.portal}/contacts`);
      await press(page, 'form[action="/contacts/mail"] button');
      await page.goto(await contactLinkTo(place, other));
    },
  },
  'link to another contact, elsewhere': {
    view: 'contact-link-elsewhere',
    go: at(`/contacts/link/${UNKNOWN}`),
  },
  'signed out': {
    view: 'signed-out',
    async go(page, place) {
      await signIn(page, place, await newCustomer(place.dataUser));
      await press(page, 'form[action="/sign-out"] button');
    },
  },

  'confirmation of a re-identification': {
    view: 'ceremony-confirm',
    go: (page, place) => atConfirmation(page, place, { 'redirect-url': place.dataUser.returnUrl }),
  },
  'end of a ceremony': {
    view: 'ceremony-done',
    variant: 'confirmed',
    async go(page, place) {
      await atConfirmation(page, place, {});
      await press(page);
    },
  },
  'making a passkey': {
    view: 'ceremony-register',
    go: async (page, place) => page.goto((await enrolment(place)).url),
  },
  'using a passkey': { view: 'ceremony-assert', go: atAssertion },
  'passkey that was rejected': {
    view: 'ceremony-assert',
    async go(page, place) {
      await atAssertion(page, place);
      await rejectedPasskey(page);
    },
  },
  'passkey that is removed meanwhile': { view: 'problem', variant: 'passkeyRemoved', go: atRemovedPasskey },
  'proof before a passkey is made': { view: 'ceremony-prove', go: atProofs },
  'mail of the proof': {
    view: 'ceremony-mail-sent',
    async go(page, place) {
      await atProofs(page, place);
      await press(page, MAIL_PROOF);
    },
  },
  'link of the proof': {
    view: 'ceremony-proof',
    async go(page, place) {
      const { email } = await atProofs(page, place);
      await press(page, MAIL_PROOF);
      await page.goto(linkIn(await nextMail(place.register, email)));
    },
  },

  'access that left the list': {
    view: 'problem',
    variant: 'notWithdrawn',
    isPersonal: true,
    async go(page, place) {
      await atWithdrawal(page, place);
      await page.evaluate(`document.querySelector('main form').action = '/access/${randomUUID()}/withdraw'`);
      await press(page);
    },
  },
  'page that is not there': {
    view: 'problem',
    variant: 'notFound',
    go: at('/nowhere'),
  },
  'link that has expired': {
    view: 'problem',
    variant: 'linkExpired',
    go: at(`/sign-in/link/${UNKNOWN}`),
  },
  'confirmation by a used link': {
    view: 'problem',
    variant: 'confirmationUsed',
    async go(page, place) {
      await atConfirmation(page, place, {});
      await page.evaluate(`document.querySelector('main form').action = '/identify/link/${UNKNOWN}'`);
      await press(page);
    },
  },
  'passkey of a used page': {
    view: 'problem',
    variant: 'ceremonyUsed',
    async go(page, place) {
      await page.goto((await enrolment(place)).url);
      await page.evaluate(`document.querySelector('#passkey').action = '/identify/passkey/${UNKNOWN}'`);
      await rejectedPasskey(page);
    },
  },
  'session that has ended': {
    view: 'problem',
    variant: 'sessionEnded',
    async go(page, { register }) {
      const cookie = { name: 'register-session', value: `cst_${UNKNOWN}`, url: register.portal };
      await page.context().addCookies([{ ...cookie, secure: true, httpOnly: true }]);
      await page.goto(`${register.portal}/access`);
    },
  },
  'form that has expired': {
    view: 'problem',
    variant: 'formExpired',
    async go(page, { register }) {
      await page.goto(`${register.portal}/?mpxn=${newMpxn()}`);
      await page.evaluate(`document.querySelector('form[action="/sign-in/link"] [name=form-token]').value = 'x'`);
      await press(page, 'form[action="/sign-in/link"] button');
    },
  },
  'form that cannot be read': {
    view: 'problem',
    variant: 'brokenRequest',
    async go(page, { register }) {
      await page.goto(register.portal);
      await page.evaluate(`document.querySelector('main form').enctype = 'text/plain'`);
      await press(page);
    },
  },
};
