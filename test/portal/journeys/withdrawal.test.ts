import { randomUUID } from 'node:crypto';
import { identityRecord, newCustomer, newDataUser } from '../../support/customers';
import { logLines, signedInVisitor } from '../../support/portal-sign-in';
import type { PortalVisitor } from '../../support/portal-visitor';
import { consentRecord } from '../../support/records';
import { type TestRegister, startTestRegister } from '../../support/register';
import { type RestClient, accountOf, anonymousClient, good, signedInClient } from '../../support/rest-client';
import { until } from '../../support/until';

let register: TestRegister;
let dataUser: RestClient;
let customer: PortalVisitor;
let key: string;
let returnUrl: string;
let session: string;

beforeAll(async () => {
  // Not the shared register: a demo customer's accesses are withdrawn.
  register = await startTestRegister('one process');
  dataUser = await signedInClient(register, 'data_user');
  const [{ ir, email }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
  const record = consentRecord(ir, { purpose: 'Heating advice that is to be withdrawn' });
  const { body } = await dataUser('POST', '/v1/access-records', record);
  key = String(body['access-token'].key);
  returnUrl = accountOf(register.sandbox, 'data_user').return_urls?.[0] ?? '';
  customer = await signedInVisitor(register, `ir=${ir}&return=${encodeURIComponent(returnUrl)}`, email);
  session = customer.cookies.get('register-session') ?? '';
});

afterAll(() => register?.close());

/** Returns the internal ids of those accesses on a page whose section contains a text. */
function accessWith(html: string, text: string): string {
  const parts = html.split('data-access="').slice(1);
  return /^[^"]+/.exec(parts.find((part) => part.includes(text)) ?? '')?.[0] ?? '';
}

/** Registers a consent with this purpose; returns the path of the page that withdraws it. */
async function withdrawPathOf(purpose: string): Promise<string> {
  const [{ ir }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
  good(await dataUser('POST', '/v1/access-records', consentRecord(ir, { purpose })));
  return `/access/${accessWith((await customer.get('/access')).html, purpose)}/withdraw`;
}

/** Returns the return links of the pages of a signed-in customer that have one. */
async function returnLinksOf(browser: PortalVisitor): Promise<Set<string | undefined>> {
  const pages = ['/access', '/history', '/who-looked', '/contacts'].map((path) => browser.get(path));
  return new Set((await Promise.all(pages)).map(({ html }) => /href="([^"]*)" data-return/.exec(html)?.[1]));
}

describe('a customer who followed a link of a Data User', () => {
  it('reads the property and who has access, in plain words, with terms and all contacts', async () => {
    const { status, text, html } = await customer.get('/access');
    expect(status).toBe(200);
    expect(text).toContain(register.sandbox.samples.mpxn);
    expect(text).toContain('1 April 2021');
    expect(text).toContain('Heating advice that is to be withdrawn');
    expect(text).toContain('Consent. This access is based on consent');
    expect(text).toContain('Energy you use, every half hour');
    expect(html).toContain('href="https://harbourlight.example/contact"');
    expect(html).toContain('href="https://harbourlight.example/your-rights"');
    expect(html).toContain('href="https://harbourlight.example/terms"');
    expect(text).not.toMatch(/\bak_[0-9a-f]{24}|\bir_[0-9a-f]{24}/);
  });

  it('reads every access at the meter point, by any Data User', async () => {
    const { text } = await customer.get('/access');
    expect(text).toContain('Moorland Flexibility Services Ltd');
  });

  it('reads how a Data User changed an access', async () => {
    const [{ ir }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
    const { body } = await dataUser('POST', '/v1/access-records', consentRecord(ir, { purpose: 'A narrow purpose' }));
    const recipients = ['Fernhill Analytics', 'Elmbrook Advice'].map((name) => ({ name, role: 'processor' }));
    const changed = consentRecord(ir, {
      purpose: 'A wide purpose',
      recipients,
    });
    changed.processing['data-types'] = ['HH-CONSUMPTION', 'HH-EXPORT'];
    changed.notice['shared-notice']['notice-version'] = '2026-02';
    changed['record-metadata']['controller-arrangement'].controllers[0]!.name = 'Thornfield Energy Ltd';
    good(await dataUser('PUT', `/v1/access-records/${body['access-token'].key}`, changed));
    recipients.reverse();
    good(await dataUser('PUT', `/v1/access-records/${body['access-token'].key}`, changed));
    const { text } = await customer.get('/access');
    expect(text).toMatch(
      /Changed on \d+ \w+ \d{4}\. Before that:\s+Responsible: Harbourlight Energy Insight Ltd\s+What for: A narrow purpose\s+Data they used:\s+Energy you use, every half hour\s+Also changed:\s+who is responsible, their contacts, or where and how long they store the data\s+the terms\s+who may receive the data\s/,
    );
    const download = JSON.parse((await customer.get('/history.json')).html);
    const record = download['access-records'].find(({ purpose }: { purpose: string }) => purpose === 'A wide purpose');
    expect(record.versions).toMatchObject([
      { purpose: 'A wide purpose', 'replaced-sections': [] },
      {
        ...{ purpose: 'A wide purpose', 'data-types': ['HH-CONSUMPTION', 'HH-EXPORT'] },
        ...{
          'lead-controller-name': 'Thornfield Energy Ltd',
          'replaced-sections': ['controllers', 'notice', 'recipients'],
        },
      },
      {
        ...{ purpose: 'A narrow purpose', 'data-types': ['HH-CONSUMPTION'] },
        ...{ 'lead-controller-name': 'Harbourlight Energy Insight Ltd', 'replaced-sections': [] },
      },
    ]);
  });

  it('reads the same in Welsh, and later pages stay in Welsh', async () => {
    const welsh = await customer.get('/access?lang=cy');
    expect(welsh.html).toContain('<html lang="cy"');
    expect(welsh.text).toContain('Cydsyniad. Mae’r mynediad hwn yn seiliedig ar gydsyniad');
    expect((await customer.get('/history')).html).toContain('<html lang="cy"');
    await customer.get('/access?lang=en');
  });

  it('reads the effect of a withdrawal on a page with one form and one button', async () => {
    const id = accessWith((await customer.get('/access')).html, 'that is to be withdrawn');
    const page = await customer.get(`/access/${id}/withdraw`);
    expect(page.forms).toMatchObject([{ action: `/access/${id}/withdraw`, buttons: 1 }]);
    expect(page.html.match(/<button/g)).toHaveLength(1);
    expect(page.text).toContain('If you withdraw consent:');
    expect(page.text).toContain(
      'other access of Harbourlight Energy Insight Ltd to your meter data, if there is any, goes on',
    );
    expect(page.html).not.toMatch(/<textarea|<select|type="(text|radio)"/);
  });

  it('reads names and purposes without the control characters that reverse the text after them', async () => {
    const [{ ir }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
    const record = consentRecord(ir, { purpose: 'Advice\u2067 on a boiler' });
    record['record-metadata']['controller-arrangement'].controllers[0]!.name = 'Larkhill\u202E Energy\u200F';
    good(await dataUser('POST', '/v1/access-records', record));
    const path = `/access/${accessWith((await customer.get('/access')).html, 'on a boiler')}/withdraw`;
    const { html, text } = await customer.get(path);
    expect(html).not.toMatch(/\p{Bidi_Control}/u);
    expect(text).toContain('from this moment on, Larkhill Energy may no longer collect data of your meter');
    expect(text).toContain('Advice on a boiler');
    const { location = '' } = await customer.press(await customer.get(path), path);
    expect((await customer.get(location)).html).not.toMatch(/\p{Bidi_Control}/u);
  });

  it('withdraws: the record is REVOKED before the response, and the return link reports the withdrawal', async () => {
    const id = accessWith((await customer.get('/access')).html, 'that is to be withdrawn');
    const path = `/access/${id}/withdraw`;
    const response = await customer.press(await customer.get(path), path);
    const { body } = await anonymousClient(register.rest)('GET', `/v1/access-records/${key}`);
    expect(body['access-record']['access-event'].state).toBe('REVOKED');

    expect(response).toMatchObject({ status: 303, location: `/access/${id}/withdrawn` });
    const done = await customer.get(`/access/${id}/withdrawn`);
    expect(done.status).toBe(200);
    expect(done.text).toContain('Other access of Harbourlight Energy Insight Ltd, if there is any, goes on.');
    expect(done.html).toContain(`href="${returnUrl}?dar-action=withdrawn"`);
    expect((await customer.get('/access')).text).not.toContain('that is to be withdrawn');
  });

  it('reports the withdrawal by the return link of every page, until the next sign-in', async () => {
    const [{ ir, email }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
    expect(await returnLinksOf(customer)).toEqual(new Set([`${returnUrl}?dar-action=withdrawn`]));
    const browser = await signedInVisitor(register, `ir=${ir}&return=${encodeURIComponent(returnUrl)}`, email);
    expect(await returnLinksOf(browser)).toEqual(new Set([returnUrl]));
    const path = await withdrawPathOf('Withdrawn before a sign-out');
    const { location = '' } = await browser.press(await browser.get(path), path);
    await browser.get(location);
    expect(browser.cookies.has('register-withdrawn')).toBe(true);
    await browser.press(await browser.get('/access'), '/sign-out');
    expect(browser.cookies.has('register-withdrawn')).toBe(false);
  });

  it('reads that an access has already ended', async () => {
    const id = accessWith((await customer.get('/history')).html, 'that is to be withdrawn');
    const page = await customer.get(`/access/${id}/withdraw`);
    expect(page).toMatchObject({ status: 200 });
    expect(page.text).toContain('This access has already ended');
    expect(page.html).not.toContain('class="govuk-button govuk-button--warning"');
  });

  it('reads in another tab with an outdated list and button that the consent is withdrawn', async () => {
    const [{ ir, email }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
    const { body } = await dataUser('POST', '/v1/access-records', consentRecord(ir, { purpose: 'Open in two tabs' }));
    const other = await signedInVisitor(register, `ir=${ir}`, email);
    const id = accessWith((await customer.get('/access')).html, 'Open in two tabs');
    const path = `/access/${id}/withdraw`;
    const [one, two] = [await customer.get(path), await other.get(path)];
    expect(await customer.press(one, path)).toMatchObject({ status: 303, location: `/access/${id}/withdrawn` });

    const ended = await customer.get(path); // follows a link of the outdated list
    expect(ended.text).toContain('This access has already ended');
    expect(ended.text).toContain('Consent was withdrawn');
    expect(ended.forms.map(({ action }) => action)).toEqual(['/sign-out']);
    for (const [tab, page] of [[customer, one] as const, [other, two] as const]) {
      const again = await tab.press(page, path);
      expect(again).toMatchObject({ status: 303, location: `/access/${id}/withdrawn` });
      const tabPage = await tab.get(`/access/${id}/withdrawn`);
      expect(tabPage.status).toBe(200);
      expect(tabPage.text).toContain('Consent withdrawn');
    }
    const { body: verified } = await anonymousClient(register.rest)(
      'GET',
      `/v1/access-records/${String(body['access-token'].key)}`,
    );
    expect(verified['access-record']['access-event'].state).toBe('REVOKED');
  });

  it.each([
    ['en', 'You are not signed in', 'Nothing was changed.'],
    ['cy', 'Nid ydych wedi mewngofnodi', 'Ni newidiwyd dim.'],
  ])('reads in %s that nothing was changed if the session cookie has expired', async (language, title, unchanged) => {
    const path = await withdrawPathOf(`Kept after 8 hours, ${language}`);
    const page = await customer.get(`${path}?lang=${language}`);
    customer.cookies.delete('register-session');
    for (const response of [await customer.press(page, path), await customer.get(path)]) {
      expect(response.status).toBe(401);
      expect(response.text).toContain(title);
      expect(response.text).toContain(unchanged);
    }
    customer.cookies.set('register-session', session);
    expect((await customer.get(`${path}?lang=en`)).text).toContain('If you withdraw consent:');
  });

  it.each([
    ['en', 'Nothing was withdrawn', 'nothing was withdrawn just now'],
    ['cy', 'Ni thynnwyd dim yn ôl', 'felly ni thynnwyd dim yn ôl nawr'],
  ])('reads in %s that nothing was withdrawn if the access has left the list', async (language, title, text) => {
    const page = await customer.get(`${await withdrawPathOf(`Left the list, ${language}`)}?lang=${language}`);
    const form = page.forms.find(({ action }) => action.endsWith('/withdraw'));
    const response = await customer.post(`/access/${randomUUID()}/withdraw`, form?.fields ?? {});
    expect([response.status, response.text]).toEqual([404, expect.stringContaining(title)]);
    expect(response.text).toContain(text);
    expect(response.html).toMatch(/<main[^]*<a class="govuk-link" href="\/access">/);
    expect((await customer.get('/access?lang=en')).status).toBe(200);
  });

  it('reads that the session has ended if another tab has signed out', async () => {
    const [{ ir, email }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
    const path = await withdrawPathOf('Kept by the sign-out of another tab');
    const browser = await signedInVisitor(register, `ir=${ir}`, email);
    const page = await browser.get(path);
    await browser.press(await browser.get('/access'), '/sign-out');
    const response = await browser.press(page, path);
    expect(response.status).toBe(401);
    expect(response.text).toContain('your session has ended');
  });

  it('reads that the organisation ended an access which the page still offers to withdraw', async () => {
    const [{ ir }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
    const { body } = await dataUser('POST', '/v1/access-records', consentRecord(ir, { purpose: 'Ended by its owner' }));
    const path = `/access/${accessWith((await customer.get('/access')).html, 'Ended by its owner')}/withdraw`;
    const page = await customer.get(path);
    good(await dataUser('DELETE', `/v1/access-records/${String(body['access-token'].key)}`));
    const { location = '' } = await customer.press(page, path);
    expect(await customer.get(location)).toMatchObject({ status: 303, location: path });
    expect((await customer.get(path)).text).toContain('The organisation ended its access.');
  });

  it('finds the access in the history, and who ended it', async () => {
    const { text } = await customer.get('/history');
    expect(text).toContain('Heating advice that is to be withdrawn');
    expect(text).toContain('Consent was withdrawn');
    expect(text).not.toContain('You can withdraw the consent'); // an ended access cannot be withdrawn
  });

  it.each([
    ['en', ['Data they used', 'Why they were allowed to use it', 'Who was responsible'], ['Data they use ', 'Who is']],
    ['cy', ['Data a ddefnyddiwyd', 'Pam y caent eu defnyddio', 'Pwy oedd yn gyfrifol'], ['ddefnyddir', 'Pwy sy’n gyf']],
  ])('reads in the past tense, in %s, what an ended access was for', async (language, past, present) => {
    const { text } = await customer.get(`/history?lang=${language}`);
    await customer.get('/history?lang=en');
    for (const label of past) expect(text).toContain(label);
    for (const label of present) expect(text).not.toContain(label);
    expect((await customer.get('/access')).text).toContain('Data they use ');
  });

  it('cannot withdraw an access that is not based on consent, but reads how to object', async () => {
    const { html, text } = await customer.get('/access');
    const id = accessWith(html, 'Public task');
    expect(text).toContain('You have the right to object.');
    const page = await customer.get(`/access/${id}/withdraw`);
    expect(page.text).toContain('This access does not depend on consent');
    const forced = await customer.post(`/access/${id}/withdraw`, page.forms[0]?.fields ?? {});
    expect(forced).toMatchObject({ status: 303, location: `/access/${id}/withdrawn` });
    expect(await customer.get(`/access/${id}/withdrawn`)).toMatchObject({
      status: 303,
      location: `/access/${id}/withdraw`,
    });
  });

  it('finds nothing at another meter point', async () => {
    const [, other] = register.sandbox.customers as [unknown, (typeof register.sandbox.customers)[number]];
    const stranger = await signedInVisitor(register, `mpxn=${other.mpxn}`, other.email);
    const id = accessWith((await customer.get('/access')).html, 'data-row');
    const page = await stranger.get(`/access/${id}/withdraw`);
    expect(page.status).toBe(404);
    const own = await stranger.get('/access');
    const forced = await stranger.post(`/access/${id}/withdraw`, own.forms[0]?.fields ?? {});
    expect(forced.status).toBe(404);
    expect((await stranger.get('/access/no-such-id/withdraw')).status).toBe(404);
  });

  it('downloads current and ended accesses, as a table and as data', async () => {
    const csv = await customer.get('/history.csv');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="energy-data-access.csv"');
    expect(csv.html).toContain('Consent was withdrawn');
    const json = await customer.get('/history.json');
    const { property, 'access-records': records } = JSON.parse(json.html) as {
      property: { mpxn: string };
      'access-records': { state: string }[];
    };
    expect(property.mpxn).toBe(register.sandbox.samples.mpxn);
    expect(new Set(records.map(({ state }) => state))).toEqual(new Set(['ACTIVE', 'DISCOVERED', 'REVOKED']));
    expect(json.html).not.toMatch(/\b(ak|ir|duid)_[0-9a-f]{24}/);
  });

  it('reads who looked up the meter point', async () => {
    const provider = await signedInClient(register, 'data_provider');
    await provider('GET', `/v1/access-records/${register.sandbox.samples.access_keys.active}`);
    await dataUser('GET', `/v1/identity-records/exists?mpxn=${register.sandbox.samples.mpxn}`);
    await expect(pageWith('/who-looked', 'Brackenfield Meter Data Ltd')).resolves.toContain('Checked an access');
    await expect(pageWith('/who-looked', 'Harbourlight')).resolves.toContain('Asked whether your meter point is known');
  });

  it('signs out: the session ends in the register, and the browser clears its cache', async () => {
    const token = new Map(customer.cookies);
    const page = await customer.get('/access');
    const response = await customer.press(page, '/sign-out');
    expect(response).toMatchObject({ status: 303, location: '/signed-out' });
    expect(response.headers.get('clear-site-data')).toBe('"cache"');
    expect((await customer.get('/access')).status).toBe(401);

    for (const [name, value] of token) customer.cookies.set(name, value); // an attacker replays the cookies
    const ended = await customer.get('/access');
    expect(ended.status).toBe(401);
    expect(ended.text).toContain('You are not signed in');
  });

  it('writes only route templates to the log', () => {
    const log = logLines(register);
    const [{ ir, mpxn, email }] = register.sandbox.customers as [(typeof register.sandbox.customers)[number]];
    const secrets = [ir, mpxn, email, key, session, encodeURIComponent(returnUrl)];
    for (const secret of secrets) expect(log.includes(secret)).toBe(false);
    expect(log).toContain('"/sign-in/link/:secret"');
    expect(log).not.toMatch(/sign-in\/link\/[\w-]{43}/);
  });
});

describe('a customer who moved in after another one', () => {
  it('reads neither on the pages nor in the table that they consented or withdrew, where the former customer did', async () => {
    const owner = await newDataUser(register, 'https://larkhill.example/return');
    const present = await newCustomer(owner);
    const leaver = `leaver-${present.email}`;
    const { body } = await owner.rest('POST', '/v1/identity-records', {
      ...identityRecord(present.mpxn, leaver),
      'pii-principal': { mpxn: present.mpxn, 'move-in-date': '2015-02-01' },
    });
    const consents = ['Advice to the leaver', 'Tariffs for the leaver'].map((purpose) =>
      consentRecord(String(body['ir']), { purpose }),
    );
    for (const consent of consents) good(await owner.rest('POST', '/v1/access-records', consent));
    const change = { mpxn: present.mpxn, 'effective-date': '2021-04-01', 'source-reference': 'COT-2021' };
    good(await (await signedInClient(register, 'communications_operator'))('POST', '/v1/cot-events', change));

    const former = await signedInVisitor(register, `ir=${String(body['ir'])}`, leaver);
    const path = `/access/${accessWith((await former.get('/access')).html, 'Advice to the leaver')}/withdraw`;
    expect((await former.press(await former.get(path), path)).location).toBe(path.replace('/withdraw', '/withdrawn'));

    const newcomer = await signedInVisitor(register, `ir=${present.ir}`, present.email);
    const OWN_ACT =
      /You (withdrew|gave|agreed)|you (agreed|asked)|your consent|Fe dynnoch|Rhoesoch|Fe gytunoch|y cytunoch|eich cydsyniad/;
    for (const language of ['en', 'cy']) {
      const access = await newcomer.get(`/access?lang=${language}`);
      expect(access.text).toContain('Tariffs for the leaver');
      const withdrawal = await newcomer.get(
        `/access/${accessWith(access.html, 'Tariffs for the leaver')}/withdraw?lang=${language}`,
      );
      expect(withdrawal.text).toContain('Tariffs for the leaver');
      const [history, table] = [await newcomer.get('/history'), await newcomer.get('/history.csv')];
      for (const { html } of [history, table]) expect(html).toContain('Advice to the leaver');
      for (const { text } of [access, history, table]) expect(text).not.toMatch(OWN_ACT);
    }
  });
});

describe('the return link of a customer whose meter data two Data Users use with consent', () => {
  const reported = (url: string) => `${url}?dar-action=withdrawn`;

  it('reports a withdrawal only to the Data User whose consent was withdrawn, also after a repeated form', async () => {
    const sender = await newDataUser(register, 'https://larkhill.example/return');
    const other = await newDataUser(register, 'https://wheatley.example/return');
    const { mpxn, email, ir } = await newCustomer(sender);
    const { body } = await other.rest('POST', '/v1/identity-records', identityRecord(mpxn, email));
    good(
      await other.rest('POST', '/v1/access-records', consentRecord(String(body['ir']), { purpose: 'Other advice' })),
    );
    const browser = await signedInVisitor(register, `ir=${ir}&return=${encodeURIComponent(sender.returnUrl)}`, email);
    const withdraw = async (path: string) => (await browser.press(await browser.get(path), path)).location ?? '';

    const ofOther = `/access/${accessWith((await browser.get('/access')).html, 'Other advice')}/withdraw`;
    const { html } = await browser.get(await withdraw(ofOther));
    expect(html).toContain('Consent withdrawn');
    expect(html).toContain(`href="${sender.returnUrl}"`);
    expect(html).not.toContain('dar-action');
    expect(await returnLinksOf(browser)).toEqual(new Set([sender.returnUrl]));

    const ofSender = `/access/${accessWith((await browser.get('/access')).html, 'data-row')}/withdraw`;
    const form = await browser.get(ofSender);
    const { location = '' } = await browser.press(form, ofSender);
    expect((await browser.get(location)).html).toContain(`href="${reported(sender.returnUrl)}"`);
    browser.cookies.delete('register-withdrawn'); // the browser did not receive the response
    expect(await browser.press(form, ofSender)).toMatchObject({ status: 303, location });
    expect(await returnLinksOf(browser)).toEqual(new Set([reported(sender.returnUrl)]));
    expect((await browser.get(ofOther.replace('/withdraw', '/withdrawn'))).text).toContain('Consent withdrawn');
  });
});

/** Lookups are stored within a second: polls until the page contains the text. */
async function pageWith(path: string, text: string): Promise<string> {
  return until(async () => {
    const page = await customer.get(path);
    return page.text.includes(text) ? page.text : undefined;
  });
}
