import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import cy from '../../../web/portal/locales/cy.json';
import en from '../../../web/portal/locales/en.json';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { DESKTOP, PHONE, accessibilityFaults, complaintsOf, sidewaysScroll, startBrowser } from '../../support/browser';
import { newCustomer, newDataUser } from '../../support/customers';
import { consentRecord, discoveredAccess } from '../../support/records';
import { sharedRegister } from '../../support/register';
import { anonymousClient, tokenOf } from '../../support/rest-client';
import { type ReturnSite, startReturnSite } from '../../support/return-site';
import { IS_LONG, LEAVES_PICTURES } from '../../support/page-faults';
import { EVERY_PAGE, type Visited, signIn } from './every-page';
import type { Place } from '../../support/browser-ceremonies';

const PICTURES = join(REPOSITORY_ROOT, 'tmp', 'pictures');
const VIEWS = join(REPOSITORY_ROOT, 'web', 'portal', 'views');

let place: Place;
let browser: Browser;
let site: ReturnSite;
/** An anonymous page and a page of the signed-in customer, each with its errors. */
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
  await lookUpCustomer();
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

/** A record at the limits of the contract: long words, several controllers, every data type. */
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

/** Reports an unregistered organisation as the communications operator. */
async function discovered(name: string, change: Record<string, unknown>): Promise<void> {
  const operator = anonymousClient(
    place.register.rest,
    `Bearer ${await tokenOf(place.register, 'communications_operator')}`,
  );
  const report = discoveredAccess(place.customer.mpxn, name, change);
  const { status, body } = await operator('POST', '/v1/discovered-access', report);
  expect({ status, errors: body['errors'] }).toEqual({ status: 201 });
}

/** Looks up the customer with the access key without authentication, and as the Data User. */
async function lookUpCustomer(): Promise<void> {
  const { register, dataUser, customer } = place;
  await anonymousClient(register.rest)('GET', `/v1/access-records/${customer.key}`);
  await dataUser.rest('GET', `/v1/access-records/${customer.key}`);
  await dataUser.rest('GET', `/v1/identity-records/exists?mpxn=${customer.mpxn}`);
}

/** English pages are tested on one screen, selected by their names; with TEST_LONG both languages on both screens. */
const SCREENS = Object.entries({ phone: PHONE, desktop: DESKTOP });
const screensOf = (name: string, language: Language) =>
  SCREENS.filter((_, index) => IS_LONG || (language === 'en' && name.length % SCREENS.length === index));

const LANGUAGES = { en, cy } as const;
type Language = keyof typeof LANGUAGES;

/** Returns a pattern of the title of a template's page, with wildcards for its values. */
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

/** Returns whether axe tests a page: the first of each template and form errors; with TEST_LONG all pages. */
function isTestedByAxe(name: string): boolean {
  const sameView = Object.entries(EVERY_PAGE).filter(([, { view }]) => view === EVERY_PAGE[name]?.view);
  return IS_LONG || sameView[0]?.[0] === name || isResponsePage(name);
}

/** Pages whose URL opens another page of the same template. */
const isResponsePage = (name: string) => / that (was|rejected|misses) /.test(name);

/** Returns links to fragments that the page does not contain. */
const LINKS_TO_NOWHERE = `[...document.querySelectorAll('a[href^="#"]')].map((link) => link.hash).filter((hash) => !document.querySelector(hash))`;

/** Returns the problems of a page. */
async function faultsOf(page: Page, name: string, language: Language): Promise<string[]> {
  const faults: string[] = [];
  for (const [screen, { viewport }] of screensOf(name, language)) {
    if (!isTestedByAxe(name)) continue;
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

/** Follows the link to the other language, and returns the status of the response. */
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
    '%s: axe reports no violation; neither language scrolls sideways at 400 % zoom',
    async (name, visited) => {
      const { variant, isPersonal = false, go } = visited;
      const { page, complaints } = isPersonal ? signedIn : stranger;
      await page.context().clearCookies(isPersonal ? { name: 'register-language' } : {});
      complaints.length = 0;
      await go(page, place);
      for (const language of ['en', 'cy'] as const) {
        if (language === 'cy') {
          const status = await inWelsh(page);
          expect(status === 404).toBe(
            ['notFound', 'linkExpired', 'confirmationUsed', 'ceremonyUsed', 'notWithdrawn'].includes(variant ?? ''),
          );
          expect(await page.locator('html').getAttribute('lang')).toBe(language);
          const isAnother = !titleOf(visited, language).test(await page.title());
          if (isAnother || isResponsePage(name)) await go(page, place);
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

  it('is in `EVERY_PAGE`: every view, and every problem except those of an unavailable portal and of limits', () => {
    const sources = readdirSync(VIEWS).filter((file) => file.endsWith('.njk'));
    const frames = new Set(
      sources.flatMap((file) => /\{% extends "([^"]+)"/.exec(readFileSync(join(VIEWS, file), 'utf8'))?.[1] ?? []),
    );
    const views = sources.filter((file) => !frames.has(file)).map((file) => file.replace('.njk', ''));
    const pages = Object.values(EVERY_PAGE);
    expect([...new Set(pages.map(({ view }) => view))].toSorted()).toEqual(views.toSorted());
    const { start: _, signIn: __, ...problems } = en.problem;
    const shown = pages.flatMap(({ view, variant = [] }) => (view === 'problem' ? variant : []));
    // `tooMany` is tested in test/portal/journeys/defences.test.ts, with the limits switched on.
    const elsewhere = ['internal', 'unavailable', 'tooMany'];
    expect([...new Set(shown), ...elsewhere].toSorted()).toEqual(Object.keys(problems).toSorted());
  });
});
