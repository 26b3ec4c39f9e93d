import cy from '../../../web/portal/locales/cy.json';
import en from '../../../web/portal/locales/en.json';
import { errorCatalogue } from '../../../schema/error-catalogue';
import { type Customer, newCustomer, newDataUser } from '../../support/customers';
import { signedInVisitor } from '../../support/portal-sign-in';
import { PortalVisitor, type VisitedPage } from '../../support/portal-visitor';
import { type SharedRegister, type TestRegister, sharedRegister, startTestRegister } from '../../support/register';

let register: SharedRegister;
let own: Customer;
/** A register with limits, and pages of its operator: the shared register has neither. */
let operated: TestRegister;
const OPERATED = {
  ...{ SUPPORT_URL: 'https://help.example/?a=1&b=2', PRIVACY_URL: 'https://privacy.example/' },
  ...{ RATE_LIMITS: 'on', LIMIT_SIGN_INS: '2', LIMIT_MAILS: '2' },
};

beforeAll(async () => {
  register = await sharedRegister();
  own = await newCustomer(await newDataUser(register, 'https://larkhill.example/back'));
  operated = await startTestRegister('one process', { environment: OPERATED });
});
afterAll(() => operated?.close());

const visitor = () => new PortalVisitor(register.portal);
const customer = () => own;
const signedIn = () => signedInVisitor(register, `mpxn=${customer().mpxn}`, customer().email);

describe('every page', () => {
  it.each([
    '/',
    '/sign-in',
    '/sign-in/link-sent',
    '/signed-out',
    '/no-such-page',
    '/access',
    '/history.csv',
    '/identify/link/x',
    `/sign-in/link/${'A'.repeat(43)}`,
    `/identify/passkey/${'A'.repeat(43)}`,
  ])('%s is not cached, not framed, and runs nothing inline or from other sites', async (path) => {
    const { headers, html } = await visitor().get(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('permissions-policy')).toContain('publickey-credentials-get=(self)');
    expect(headers.get('transaction-id')).toMatch(/^tid_[0-9a-f]{24}$/);
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\sstyle="|\son\w+="/);
  });

  it('of a signed-in customer is not cached, either', async () => {
    const newVisitor = await signedIn();
    for (const path of ['/access', '/history', '/who-looked', '/history.csv', '/history.json']) {
      const { status, headers } = await newVisitor.get(path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
    }
  });

  it('sets cookies for this host only, over TLS only, not readable by scripts and not sent by other sites', async () => {
    const response = await fetch(`${register.portal}/?mpxn=${customer().mpxn}`, { redirect: 'manual' });
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^register-entry=[\w-]+; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  it.each([
    ['stores no language', '/signed-out?lang=cy', 'register-language'],
    ['stores no hint of a link', '/?mpxn=1999999999', 'register-entry'],
    ['issues no form token', '/', 'register-form'],
  ])('%s when it is requested by HEAD', async (_, path, cookie) => {
    const [got, head] = [visitor(), visitor()];
    const statuses = [(await got.get(path)).status, (await head.head(path)).status];
    expect(statuses[1]).toBe(statuses[0]);
    expect([got.cookies.has(cookie), head.cookies.size]).toEqual([true, 0]);
  });

  it('that does not exist is an error page in both languages, with a transaction id', async () => {
    for (const [language, text] of [
      ['en', 'Page not found'],
      ['cy', 'Heb ddod o hyd i’r dudalen'],
    ]) {
      const page = await visitor().get(`/no-such-page?lang=${language}`);
      expect(page.status).toBe(404);
      expect(page.text).toContain(text);
      expect(page.text).toContain(page.headers.get('transaction-id'));
    }
  });

  it('with a malformed path is an error page, too', async () => {
    const response = await fetch(`${register.portal}/%zz?mpxn=1`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('We could not read what was sent');
  });

  it('does not link to another host, whatever its own path', async () => {
    const response = await fetch(`${register.portal}//elsewhere.example/x`);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('elsewhere.example');
  });
});

describe('a form', () => {
  /** Headers of forms that other sites submit. */
  const FOREIGN: [string, Record<string, string>][] = [
    ['from another site', { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }],
    ['from another origin of the same site', { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' }],
    ['from a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['from nowhere', { origin: 'null', 'sec-fetch-site': 'none' }],
  ];

  it.each(FOREIGN)('is rejected %s, even with valid token and cookies', async (_, headers) => {
    const newVisitor = await signedIn();
    const [form] = (await newVisitor.get('/access')).forms;
    const response = await newVisitor.post('/sign-out', form?.fields ?? {}, headers);
    expect(response.status).toBe(403);
    expect(response.text).toContain('This page has expired');
    expect((await newVisitor.get('/access')).status).toBe(200);
  });

  it('is accepted by its token if the browser sends neither `Origin` nor `Sec-Fetch-Site`, as old browsers do', async () => {
    const newVisitor = visitor();
    const { forms } = await newVisitor.get('/');
    const body = new URLSearchParams({ ...forms[0]?.fields, identifier: customer().mpxn });
    const cookie = [...newVisitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const send = async (sent: URLSearchParams) =>
      (await fetch(`${register.portal}/`, { method: 'POST', body: sent, headers: { cookie }, redirect: 'manual' }))
        .status;
    expect(await send(body)).toBe(303);
    body.set('form-token', 'A'.repeat(43));
    expect(await send(body)).toBe(403);
  });

  it('is accepted from pages of the portal, which send no origin', async () => {
    const newVisitor = visitor();
    const { forms } = await newVisitor.get('/');
    const fields = { ...forms[0]?.fields, identifier: customer().mpxn };
    const response = await newVisitor.post('/', fields, { origin: 'null', 'sec-fetch-site': 'same-origin' });
    expect(response.status).toBe(303);
  });

  it('is rejected without token, with the token of another browser, and with a wrong token', async () => {
    const newVisitor = visitor();
    await newVisitor.get('/');
    const [other] = (await visitor().get('/')).forms;
    for (const token of [undefined, '', 'A'.repeat(43), other?.fields['form-token']]) {
      const fields: Record<string, string> = { identifier: customer().mpxn };
      if (token !== undefined) fields['form-token'] = token;
      const response = await newVisitor.post('/', fields);
      expect(response.status).toBe(403);
    }
  });

  it('that was issued before the sign-in is rejected after it', async () => {
    const newVisitor = visitor();
    const [form] = (await newVisitor.get('/')).forms;
    const after = await signedIn();
    const response = await after.post('/sign-out', form?.fields ?? {});
    expect(response.status).toBe(403);
  });

  it.each([
    ['application/json', '{}', errorCatalogue.VAL011.status],
    ['text/plain', 'x', errorCatalogue.VAL011.status],
    ['application/x-www-form-urlencoded', `x=${'y'.repeat(70_000)}`, errorCatalogue.LIM001.status],
  ])('of type %s, or too large, leads to an error page', async (type, body, status) => {
    const response = await fetch(`${register.portal}/`, { method: 'POST', body, headers: { 'content-type': type } });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain('We could not read what was sent');
  });
});

describe('the language switch of a page that responds to a form', () => {
  const SECRET = 'A'.repeat(43);

  it.each([
    ['/sign-in/link', '/sign-in'],
    ['/sign-in/passkey', '/sign-in'],
    ['/sign-in/supplier', '/sign-in'],
    ['/sign-out', '/access'],
    [`/identify/passkey/${SECRET}/mail-proof`, `/identify/passkey/${SECRET}`],
    [`/sign-in/link/${SECRET}`, `/sign-in/link/${SECRET}`],
    ['/', '/'],
    ['/nowhere', '/', 404],
    ['//elsewhere.example/x', '/', 404],
  ] as const)('posted to %s leads to %s', async (path, page, unknown: number | undefined = undefined) => {
    for (const [type, status] of [
      ['application/x-www-form-urlencoded', unknown ?? 403],
      ['text/plain', unknown ?? errorCatalogue.VAL011.status],
    ] as const) {
      const response = await fetch(`${register.portal}${path}`, { method: 'POST', headers: { 'content-type': type } });
      const text = await response.text();
      const switches = [...text.matchAll(/href="([^"]*)\?lang=cy"/g)].map(([, address]) => address);
      expect([switches, response.status]).toEqual([[page], status]);
    }
  });
});

describe('the language switch of the page after a sign-out', () => {
  it('keeps the warning that the register did not confirm the end of the session', async () => {
    const newVisitor = visitor();
    const { html, text } = await newVisitor.get('/signed-out?unconfirmed');
    expect(text).toContain(en.signedOut.unconfirmed);
    const [, switched = ''] = /href="(\/signed-out\?lang=cy[^"]*)"/.exec(html) ?? [];
    const welsh = await newVisitor.get(switched.replaceAll('&amp;', '&'));
    expect(welsh.text).toContain(cy.signedOut.unconfirmed);
  });
});

describe('styles and scripts', () => {
  it('are served by the portal, cached under a path with a digest, and contain neither crest nor typeface', async () => {
    const { html } = await visitor().get('/sign-in');
    const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.map((path) => path.split('/').at(-1))).toEqual([
      'icon.svg',
      'components.css',
      'portal.css',
      'page.js',
      'webauthn.js',
      'passkey.js',
    ]);
    for (const path of paths) {
      const { status, headers, html: content } = await visitor().get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(content).not.toMatch(/GDS Transport|@font-face|crest|GOV\.UK</i);
    }
  });
});

describe('the help and the privacy notice of the operator', () => {
  it('are linked on every page in both languages, and the help beside the reference of an error', async () => {
    const newVisitor = new PortalVisitor(operated.portal);
    const hrefs = ({ html }: VisitedPage) =>
      [...html.matchAll(/href="(https:[^"]*)">([^<]*)</g)].map(([, ...link]) => link);
    const [help, privacy] = ['https://help.example/?a=1&amp;b=2', 'https://privacy.example/'];
    const { support, privacy: notice } = en.frame;
    expect(hrefs(await newVisitor.get('/'))).toEqual([
      [help, support],
      [privacy, notice],
    ]);
    const missing = await newVisitor.get('/no-such-page');
    expect(hrefs(missing)).toEqual([
      [help, support],
      [help, support],
      [privacy, notice],
    ]);
    expect(missing.text).toMatch(/Reference for enquiries: tid_[0-9a-f]{24} ?\( ?Help and contact ?\)/);
    const welsh = await newVisitor.get('/no-such-page?lang=cy');
    expect(hrefs(welsh)).toEqual([
      [help, cy.frame.support],
      [help, cy.frame.support],
      [privacy, cy.frame.privacy],
    ]);
  });

  it('are linked nowhere if the operator has none', async () => {
    for (const path of ['/', '/no-such-page']) {
      const { html } = await visitor().get(path);
      expect(html).not.toMatch(/href="https:|portal-footer-links|Help and contact/);
    }
  });
});

describe('too many attempts', () => {
  it('to sign in lead to an error that states the time to wait, in both languages', async () => {
    const newVisitor = new PortalVisitor(operated.portal);
    const responses = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      await newVisitor.get('/?mpxn=1999999999');
      responses.push(await newVisitor.press(await newVisitor.get('/sign-in'), '/sign-in/link'));
    }
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 429]);
    expect(Number(responses[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(responses[2]?.text).toContain('Too many attempts');
    expect(responses[2]?.text).toContain('Wait a minute');
    const welsh = await newVisitor.press(await newVisitor.get('/sign-in?lang=cy'), '/sign-in/link');
    expect([welsh.status, welsh.html.includes('<html lang="cy"')]).toEqual([429, true]);
    expect(welsh.text).toContain(cy.problem.tooMany.title);
  });

  it('to request a link lead to a page that states the limit, in both languages', async () => {
    const newVisitor = new PortalVisitor(operated.portal);
    const english = await newVisitor.get('/sign-in/link-sent');
    expect(english.text).toContain('The number of links is limited to 2 in 15 minutes');
    const welsh = await newVisitor.get('/sign-in/link-sent?lang=cy');
    expect(welsh.text).toContain('Cyfyngir nifer y dolenni i 2 mewn 15 munud');
  });

  it('to request the mail of a proof lead to an error', async () => {
    const dataUser = await newDataUser(operated, 'https://larkhill.example/back');
    const { ir } = await newCustomer(dataUser);
    const { body } = await dataUser.rest('POST', `/v1/identity-records/${ir}/re-identify`, {
      method: 'passkey-register',
      'passkey-return-url': dataUser.returnUrl,
    });
    const path = new URL(body['passkey']['redirect-url']).pathname;
    const newVisitor = new PortalVisitor(operated.portal);
    const responses = [];
    for (let mails = 0; mails < 3; mails++) {
      responses.push(await newVisitor.press(await newVisitor.get(path), `${path}/mail-proof`));
    }
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 429]);
    expect(responses[2]?.text).toContain('Too many attempts');
  });
});

it('is live and ready', async () => {
  expect(await (await fetch(`${register.portal}/health/live`)).json()).toEqual({ status: 'live' });
  for (const path of ['/health', '/health/ready'])
    expect(await (await fetch(`${register.portal}${path}`)).json()).toEqual({ status: 'ready' });
});
