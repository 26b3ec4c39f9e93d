import { type Customer, type DataUser, newCustomer, newDataUser } from '../../support/customers';
import { signedInVisitor } from '../../support/portal-sign-in';
import type { PortalVisitor, VisitedPage } from '../../support/portal-visitor';
import { consentRecord, discoveredAccess } from '../../support/records';
import { sharedRegister } from '../../support/register';
import { anonymousClient, good, tokenOf } from '../../support/rest-client';

/** Records of 250 KB each; a page has 4 MiB. */
const LARGE_RECORDS = 20;

let visitor: PortalVisitor;
let dataUser: DataUser;
let customer: Customer;
const keys: string[] = [];

beforeAll(async () => {
  const register = await sharedRegister();
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  customer = await newCustomer(dataUser);
  for (let number = 1; number <= LARGE_RECORDS; number += 1) {
    const { body } = good(await dataUser.rest('POST', '/v1/access-records', largeRecord(customer.ir, number)));
    keys.push(String(body['access-token'].key));
  }
  const operator = anonymousClient(register.rest, `Bearer ${await tokenOf(register, 'communications_operator')}`);
  good(await operator('POST', '/v1/discovered-access', discoveredAccess(customer.mpxn, 'Quillmoor Analytics Ltd')));
  visitor = await signedInVisitor(register, `mpxn=${customer.mpxn}`, customer.email);
});

/** Returns a record on consent with 60 controllers, whose web addresses are long. */
function largeRecord(ir: string, number: number) {
  const record = consentRecord(ir, { purpose: `Purpose ${number}` });
  const arrangement = record['record-metadata']['controller-arrangement'];
  const [first] = arrangement.controllers as [(typeof arrangement.controllers)[number]];
  const address = `https://larkhill.example/${'x'.repeat(1_970)}`;
  const controllers = Array.from({ length: 60 }, (_, index) => ({
    ...first,
    name: `Larkhill ${number}.${index}`,
    role: index === 0 ? 'lead' : 'joint',
    'contact-url': address,
    'privacy-rights-url': address,
  }));
  Object.assign(arrangement, { 'arrangement-type': 'joint', 'art26-reference': 'ART26-1', controllers });
  return record;
}

const accessesOf = ({ html }: VisitedPage) => [...html.matchAll(/data-access="([^"]+)"/g)].map(([, id]) => id);
const nextOf = ({ html }: VisitedPage) => /<a [^>]*href="([^"]+)" rel="next"/.exec(html)?.[1];

/** Reads a list by the links to its next pages. */
async function pagesOf(path: string): Promise<[VisitedPage, ...VisitedPage[]]> {
  const pages: [VisitedPage, ...VisitedPage[]] = [await visitor.get(path)];
  for (let next = nextOf(pages[0]); next !== undefined; next = nextOf(pages.at(-1) as VisitedPage))
    pages.push(await visitor.get(next));
  return pages;
}

/** Expects a list of two pages, each with a link to the other one. */
function expectTwoPages(pages: readonly VisitedPage[], path: string, count: number): void {
  expect(pages.map(({ status }) => status)).toEqual([200, 200]);
  const ids = pages.flatMap(accessesOf);
  expect([ids.length, new Set(ids).size]).toEqual([count, count]);
  const [first, last] = pages as [VisitedPage, VisitedPage];
  expect(first.text).toContain('The list has more than one page. This is the first.');
  expect(last.text).toContain('This is a later page of the list.');
  expect(last.html).toContain(`<a class="govuk-link" href="${path}">First page</a>`);
  expect(first.html).not.toContain('First page');
}

describe('A customer for whose home a Data User registers many large records', () => {
  it('reads who has access page by page, first what is not registered', async () => {
    const pages = await pagesOf('/access');
    expectTwoPages(pages, '/access', LARGE_RECORDS + 2);
    expect(pages.map(({ text }) => text.includes('Quillmoor Analytics Ltd'))).toEqual([true, false]);
    expect(pages[0].text).toMatch(/This is the first\. It shows 1\d organisations\./);
    expect(pages.flatMap(({ html }) => html.match(/data-count/g) ?? [])).toEqual([]); // a page cannot count the whole list
  });

  it('reads a later page in the other language', async () => {
    const next = nextOf(await visitor.get('/access')) as string;
    const { html } = await visitor.get(next);
    const [, other = ''] = /<a [^>]*href="([^"]+)" lang="cy"/.exec(html) ?? [];
    const welsh = await visitor.get(other.replaceAll('&amp;', '&'));
    expect(accessesOf(welsh)).toEqual(accessesOf(await visitor.get(`${next}&lang=en`)));
    expect(welsh.text).toContain('Tudalen ddiweddarach');
  });

  it('reads an empty page where nothing follows, and an error page for a link that the register did not make', async () => {
    const last = Buffer.from('0001-01-01T00:00:00.000000Z 00000000-0000-0000-0000-000000000000').toString('base64url');
    const { status, text } = await visitor.get(`/access?after=0${last}`);
    expect([status, text.includes('It shows no more organisations.')]).toEqual([200, true]);
    expect((await visitor.get('/access?after=nonsense')).status).toBe(400);
  });

  it('downloads all of them', async () => {
    const { headers, html } = await visitor.get('/history.json');
    expect(headers.get('content-disposition')).toBe('attachment; filename="energy-data-access.json"');
    const purposes = JSON.parse(html)['access-records'].map(({ purpose }: { purpose: string }) => purpose);
    const large = Array.from({ length: LARGE_RECORDS }, (_, index) => `Purpose ${LARGE_RECORDS - index}`);
    expect(purposes.slice(1, -1)).toEqual(large);
    const table = (await visitor.get('/history.csv')).html;
    expect(table.match(/Purpose \d+/g)).toEqual(large);
    expect((await visitor.head('/history.csv')).status).toBe(200);
  });

  it('reads the history page by page once they have ended', async () => {
    for (const key of keys) good(await dataUser.rest('DELETE', `/v1/access-records/${key}`));
    expectTwoPages(await pagesOf('/history'), '/history', LARGE_RECORDS);
    const { html, text } = await visitor.get('/access');
    expect(text).toContain('1 organisation is registered as having access');
    expect(html.match(/data-count="[^"]+"/g)).toEqual(['data-count="byConsent"', 'data-count="discovered"']);
  });
});
