import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import cy from '../../../portal/locales/cy.json';
import en from '../../../portal/locales/en.json';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { DESKTOP, PHONE, accessibilityFaults, complaintsOf, sidewaysScroll, startBrowser } from '../../support/browser';
import { newCustomer, newDataUser } from '../../support/customers';
import { consentRecord, discoveredAccess } from '../../support/records';
import { sharedRegister } from '../../support/register';
import { anonymousClient, tokenOf } from '../../support/rest-client';
import { type ReturnSite, startReturnSite } from '../../support/return-site';
import { IS_LONG, LEAVES_PICTURES } from '../../support/page-faults';
import { EVERY_PAGE, type Place, type Visited, signIn } from './every-page';

const PICTURES = join(REPOSITORY_ROOT, 'tmp', 'pictures');
const VIEWS = join(REPOSITORY_ROOT, 'portal', 'views');

let place: Place;
let browser: Browser;
let site: ReturnSite;
/** One page of a stranger, one of the customer who is signed in, and what each complains about. */
let stranger: Opened;
let signedIn: Opened;

interface Opened {
  readonly page: Page;
  readonly complaints: string[];
}

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  const register = await sharedRegister();
  browser = await startBrowser();
  site = await startReturnSite();
  const dataUser = await newDataUser(register, site.url);
  place = { register, dataUser, customer: await newCustomer(dataUser) };
  await registered(awkwardRecord());
  await registered(publicTask());
  await discovered('Quillmoor Analytics Ltd', { 'last-seen': '2026-06-11' });
  await discovered(`${'Q'.repeat(200)} Ltd`, { 'organisation-reference': 'ORG-LONG' });
  await looked();
  [stranger, signedIn] = await Promise.all([opened(), opened()]);
  await signIn(signedIn.page, place);
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

async function opened(): Promise<Opened> {
  const context = await browser.newContext(DESKTOP);
  return { complaints: complaintsOf(context), page: await context.newPage() };
}

async function registered(record: object): Promise<void> {
  const { status, body } = await place.dataUser.rest('POST', '/v1/access-records', record);
  expect({ status, errors: body['errors'] }).toEqual({ status: 201 });
}

/** A record as awkward as the contract allows: long words, several controllers, every data type. */
function awkwardRecord(): object {
  const record = consentRecord(place.customer.ir, {
    purpose: 'Ausserordentlichelangeswortohnetrennstelle'.repeat(8),
    'data-types': [
      ...['HH-CONSUMPTION', 'HH-EXPORT', 'MTH-CONSUMPTION', 'MTH-EXPORT', 'ANNUAL-CONSUMPTION', 'ANNUAL-EXPORT'],
      ...['TARIFF-IMPORT', 'TARIFF-EXPORT'],
    ],
    'data-source': 'x'.repeat(255),
    recipients: [{ name: 'y'.repeat(255), role: 'Processor', 'privacy-url': 'https://recipient.example/privacy' }],
  });
  const arrangement = record['record-metadata']['controller-arrangement'];
  Object.assign(arrangement, { 'arrangement-type': 'joint', 'art26-reference': 'ART26-1' });
  const [first] = arrangement.controllers as [(typeof arrangement.controllers)[number]];
  first.role = 'lead';
  arrangement.controllers.push({ ...first, name: `${'Z'.repeat(200)} plc`, role: 'joint' });
  return record;
}

/** A record that the customer cannot withdraw. */
function publicTask(): object {
  const record = consentRecord(place.customer.ir, { 'legal-basis': 'uk-public-task', purpose: 'Plan the network' });
  return { ...record, notice: null, 'access-event': { ...record['access-event'], consent: null } };
}

/** The communications operator reports an organisation that asks for the customer's data and is not registered. */
async function discovered(name: string, change: Record<string, unknown>): Promise<void> {
  const operator = anonymousClient(
    place.register.rest,
    `Bearer ${await tokenOf(place.register, 'communications_operator')}`,
  );
  const report = discoveredAccess(place.customer.mpxn, name, change);
  const { status, body } = await operator('POST', '/v1/discovered-access', report);
  expect({ status, errors: body['errors'] }).toEqual({ status: 201 });
}

/** Somebody with a key, and the Data User itself, ask the register about the customer. */
async function looked(): Promise<void> {
  const { register, dataUser, customer } = place;
  await anonymousClient(register.rest)('GET', `/v1/access-records/${customer.key}`);
  await dataUser.rest('GET', `/v1/access-records/${customer.key}`);
  await dataUser.rest('GET', `/v1/identity-records/exists?mpxn=${customer.mpxn}`);
}

/** Pages in English are looked at on one of the screens, by their names; in both languages on both screens in the long form. */
const SCREENS = Object.entries({ phone: PHONE, desktop: DESKTOP });
const screensOf = (name: string, language: Language) =>
  SCREENS.filter((_, index) => IS_LONG || (language === 'en' && name.length % SCREENS.length === index));

const LANGUAGES = { en, cy } as const;
type Language = keyof typeof LANGUAGES;

/** The title that a template gives its page: values in it may be any. */
function titleOf({ view, variant = '' }: Visited, language: Language): RegExp {
  const [, key = ''] =
    /\{% set title = t\('(.*?'(?: \+ .*?)?)[,)]/.exec(readFileSync(join(VIEWS, `${view}.njk`), 'utf8')) ?? [];
  const path = key
    .replace(/' \+ \w+(?: \+ ')?/, variant)
    .replace(/'$/, '')
    .split('.');
  const text = path.reduce<unknown>((texts, name) => (texts as Record<string, unknown>)[name], LANGUAGES[language]);
  return new RegExp(
    String(text)
      .replace(/[.?*+()]/g, '\\$&')
      .replace(/\{\{\w+\}\}/g, '.+'),
  );
}

/** Whether a page is the first of its template, or tells an error in a form: axe finds the same on the others, but in the long form. */
function isLookedAtByAxe(name: string): boolean {
  const sameView = Object.entries(EVERY_PAGE).filter(([, { view }]) => view === EVERY_PAGE[name]?.view);
  return IS_LONG || sameView[0]?.[0] === name || isOnlyAnAnswer(name);
}

/** Pages that are another when one comes to them by their address, but of the same template. */
const isOnlyAnAnswer = (name: string) => / that (was|refused|misses) /.test(name);

/** Links to a part of the page that it does not have. */
const LINKS_TO_NOWHERE = `[...document.querySelectorAll('a[href^="#"]')].map((link) => link.hash).filter((hash) => !document.querySelector(hash))`;

/** What is wrong with a page. */
async function faultsOf(page: Page, name: string, language: Language): Promise<string[]> {
  const faults: string[] = [];
  for (const [screen, { viewport }] of screensOf(name, language)) {
    if (!isLookedAtByAxe(name)) continue;
    if (viewport) await page.setViewportSize(viewport);
    const path = join(PICTURES, `${name} ${language} ${screen}.png`.replaceAll(' ', '-'));
    if (LEAVES_PICTURES) await page.screenshot({ path, fullPage: true });
    faults.push(...(await accessibilityFaults(page)));
  }
  const nowhere = await page.evaluate<string[]>(LINKS_TO_NOWHERE);
  await page.setViewportSize({ width: 320, height: 256 }); // 1280 × 1024 at 400 %
  const sideways = await sidewaysScroll(page);
  if (DESKTOP.viewport) await page.setViewportSize(DESKTOP.viewport);
  if (sideways > 0) faults.push(`${sideways} pixels to scroll sideways at 400 %`);
  return [...faults, ...nowhere.map((hash) => `a link to ${hash}, which is nowhere`)];
}

/** Follows the link to the other language, and returns the status of what it leads to. */
async function inWelsh(page: Page): Promise<number> {
  const [switched] = await Promise.all([
    page.waitForResponse((response) => response.request().isNavigationRequest()),
    page.waitForEvent('load'),
    page.locator('a[hreflang="cy"]').click(),
  ]);
  return switched.status();
}

describe('Every page', () => {
  it.each(Object.entries(EVERY_PAGE))(
    '%s: no fault that axe finds; in both languages no sideways scrolling at 400 %',
    async (name, visited) => {
      const { variant, isPersonal = false, go } = visited;
      const { page, complaints } = isPersonal ? signedIn : stranger;
      await page.context().clearCookies(isPersonal ? { name: 'register-language' } : {});
      complaints.length = 0;
      await go(page, place);
      for (const language of ['en', 'cy'] as const) {
        if (language === 'cy') {
          const status = await inWelsh(page);
          expect(status === 404).toBe(variant === 'notFound' || variant === 'linkExpired');
          expect(await page.locator('html').getAttribute('lang')).toBe(language);
          const isAnother = !titleOf(visited, language).test(await page.title());
          if (isAnother || isOnlyAnAnswer(name)) await go(page, place);
        }
        expect(await page.locator('html').getAttribute('lang')).toBe(language);
        expect(await page.title()).toMatch(titleOf(visited, language));
        expect(await faultsOf(page, name, language)).toEqual([]);
      }
      expect(complaints.filter((complaint) => !/the server responded with a status of 4\d\d/.test(complaint))).toEqual(
        [],
      );
    },
  );

  it('is one of those: no view, and no problem but those of the portal itself and of limits, is left out', () => {
    const sources = readdirSync(VIEWS).filter((file) => file.endsWith('.njk'));
    const frames = new Set(
      sources.flatMap((file) => /\{% extends "([^"]+)"/.exec(readFileSync(join(VIEWS, file), 'utf8'))?.[1] ?? []),
    );
    const views = sources.filter((file) => !frames.has(file)).map((file) => file.replace('.njk', ''));
    const pages = Object.values(EVERY_PAGE);
    expect([...new Set(pages.map(({ view }) => view))].toSorted()).toEqual(views.toSorted());
    const { start: _, signIn: __, ...problems } = en.problem;
    const told = pages.flatMap(({ view, variant = [] }) => (view === 'problem' ? variant : []));
    // Too many: by the limits of a register, in the defences of the portal. A removed passkey: in the chapter of refused passkeys.
    const elsewhere = ['internal', 'unavailable', 'tooMany', 'passkeyRemoved'];
    expect([...new Set(told), ...elsewhere].toSorted()).toEqual(Object.keys(problems).toSorted());
  });
});
