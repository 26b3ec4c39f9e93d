import type { Browser, Page } from 'playwright-core';
import cy from '../../../../web/portal/locales/cy.json';
import en from '../../../../web/portal/locales/en.json';
import { PHONE, accessibilityFaults, startBrowser } from '../../../support/browser';
import type { Place } from '../../../support/browser-ceremonies';
import { linkIn, mailsTo, newCustomer, newDataUser, newSupplier, nextMail } from '../../../support/customers';
import { consentRecord } from '../../../support/records';
import { sharedRegister } from '../../../support/register';
import { type ContestedHome, contactLinkTo, signInContested } from '../every-page';

const ONLY_OWN = {
  en: 'Only the organisation that registered one of them can use it to confirm you',
  cy: 'Dim ond y sefydliad a gofrestrodd un ohonynt',
};
const NOT_FROM_US = {
  en: 'It does not learn your email address from us.',
  cy: 'Ni fydd yn cael gwybod eich cyfeiriad e-bost gennym ni.',
};
const OTHERS_PURPOSE = 'Advise on solar panels';

const TEXTS = { en, cy };

/** Tests the journeys of a customer of a contested home in a language. */
export function contactJourneys(language: keyof typeof TEXTS): void {
  const texts = TEXTS[language];
  let place: Place;
  let browser: Browser;
  let supplier: Awaited<ReturnType<typeof newSupplier>>;

  beforeAll(async () => {
    const register = await sharedRegister();
    browser = await startBrowser();
    const dataUser = await newDataUser(register, 'https://larkhill.example/return');
    place = { register, dataUser, customer: await newCustomer(dataUser) };
    supplier = await newSupplier(register);
  });
  afterAll(async () => {
    await browser?.close();
    await supplier?.close();
  });

  describe(`A customer of a contested home (${language})`, () => {
    let page: Page;
    let home: ContestedHome;

    beforeEach(async () => {
      page = await (await browser.newContext(PHONE)).newPage();
      home = await signInContested(page, place);
      const { status } = await home.rival.rest(
        'POST',
        '/v1/access-records',
        consentRecord(home.otherIr, { purpose: OTHERS_PURPOSE }),
      );
      expect(status).toBe(201);
      await page.goto(`${place.register.portal}/access?lang=${language}`);
      expect(await main()).not.toContain(OTHERS_PURPOSE);
      await opened('/contacts');
      expect(await main()).toContain(texts.contacts.contested);
    });
    afterEach(() => page.context().close());

    const main = async () => {
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await accessibilityFaults(page)).toEqual([]);
      return page.getByRole('main').innerText();
    };
    const opened = (path: string) => page.goto(`${place.register.portal}${path}`);
    const pressed = async (selector: string) => {
      await Promise.all([page.waitForEvent('load'), page.locator(selector).first().click()]);
    };

    it('proves the other address in the same browser, and then reads every access', async () => {
      await pressed('form[action="/contacts/mail"] button');
      expect(await main()).toContain(texts.contactLinkSent.title);
      await page.goto(await contactLinkTo(place, home.other));
      expect(await main()).toContain(texts.contactLink.warning);
      await pressed('main form button');
      expect(new URL(page.url()).pathname).toBe('/contacts');
      expect(await main()).not.toContain(texts.contacts.contested);
      await opened('/access');
      expect(await main()).toContain(OTHERS_PURPOSE);
    });

    it('reads that only the organisation that registered an address can use it, and confirms to that organisation', async () => {
      expect(await main()).toContain(ONLY_OWN[language]);
      const { customer } = home;
      const before = (await mailsTo(place.register, customer.email)).length;
      const { status } = await place.dataUser.rest('POST', `/v1/identity-records/${customer.ir}/re-identify`, {
        method: 'magic-link',
      });
      expect(status).toBe(200);
      await page.goto(linkIn(await nextMail(place.register, customer.email, before + 1)));
      expect(await main()).toContain(NOT_FROM_US[language]);
      await pressed('main form button');
      expect(await main()).toContain(texts.ceremony.doneTitle.confirmed);
    });

    it('stays signed in at the supplier, and can choose it again after a rejection there, also with a stored entry', async () => {
      await opened(`/?mpxn=${home.customer.mpxn}`);
      await opened('/contacts');
      await page.locator('#supplier').selectOption(supplier.mpid);
      await pressed('form[action="/contacts/supplier"] button');
      await opened('/sign-in/supplier/callback?error=access_denied');
      expect(await main()).toContain(texts.signIn.supplierRefused);
      await opened('/access');
      expect(await main()).toContain(texts.access.contested);
      await opened('/sign-in/supplier/callback?error=access_denied');
      await page.context().clearCookies({ name: 'register-supplier' }); // as after 10 minutes
      await opened('/sign-in/supplier/callback?error=access_denied');
      expect(await main()).toContain(texts.signIn.supplierExpired);
      expect(await main()).toContain(texts.contacts.contested);
      await page.locator('#supplier').selectOption(supplier.mpid);
      await pressed('form[action="/contacts/supplier"] button');
      expect(await page.getByLabel('Login').isVisible()).toBe(true);
    });

    it('signs in at the supplier, rejects the other address and confirms the own one, and then reads every access', async () => {
      const login = {
        login: `owner-of-${home.customer.mpxn}`,
        password: 'a long password',
        mpxns: [home.customer.mpxn],
      };
      supplier.addLogins([login]);
      await page.locator('#supplier').selectOption(supplier.mpid);
      await page.locator('form[action="/contacts/supplier"] button').click();
      await page.getByLabel('Login').fill(login.login);
      await page.getByLabel('Password').fill(login.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(`${place.register.portal}/access`);
      await opened('/contacts');
      expect(await main()).toContain(texts.contacts.judge);
      expect(await page.locator('[data-return]').getAttribute('href')).toBe(place.dataUser.returnUrl);
      const judged = async (shown: string, verdict: string) => {
        const card = page.locator('section', { hasText: shown });
        await Promise.all([
          page.waitForEvent('load'),
          card.locator(`form:has(input[value="${verdict}"]) button`).click(),
        ]);
      };
      await judged('s***@', 'REJECTED');
      expect(await main()).toContain(texts.contacts.standings.REJECTED);
      await judged('c***@', 'CONFIRMED');
      expect(await main()).not.toContain(texts.contacts.contested);
      await opened('/access');
      expect(await main()).toContain(OTHERS_PURPOSE);
    });
  });
}
