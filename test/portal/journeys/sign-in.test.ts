import { encryptedCookies } from '../../../web/shared/encrypted-cookies';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import type { CapturedMail } from '../../../sandbox/mailbox';
import { logLines, mailedPath, mailedPaths } from '../../support/portal-sign-in';
import { PortalVisitor, type VisitedPage } from '../../support/portal-visitor';
import { type TestRegister, startTestRegister } from '../../support/register';
import { accountOf } from '../../support/rest-client';
import { signInAtSupplier } from '../../support/supplier-browser';
import { until } from '../../support/until';
import { readSettings } from '../../../process/settings/read-settings';

type Customer = TestRegister['sandbox']['customers'][number];

let register: TestRegister;
let customers: readonly Customer[];

beforeAll(async () => {
  // Not the shared register: the mailbox must contain no other mails, and demo customers sign in.
  register = await startTestRegister('one process');
  customers = register.sandbox.customers;
});

afterAll(() => register?.close());

const visitor = () => new PortalVisitor(register.portal);
const customer = (index: number) => customers[index] as Customer;

/** Returns what an observer can distinguish in a response: of random values only the length. */
function traits({ status, headers }: VisitedPage) {
  const shape = (value: string) => value.replace(/(?<==)[\w%.+-]{20,}/g, (random) => `(${random.length})`);
  const kept = [...headers].filter(([name]) => !['date', 'transaction-id'].includes(name));
  return { status, headers: Object.fromEntries(kept.map(([name, value]) => [name, shape(value)])) };
}

/** Returns a challenge page without values that differ between browsers. */
async function challengeFor(entry: string): Promise<{ text: string; html: string }> {
  const newVisitor = visitor();
  await newVisitor.get(`/?${entry}`);
  const { text, html } = await newVisitor.get('/sign-in');
  return { text, html: html.replace(/value="[\w-]{43}"/g, '') };
}

/** Returns the encrypted cookies of a browser, as the portal reads and writes them. */
async function encryptedCookiesOf({ cookies }: PortalVisitor) {
  const { keys } = readSettings({ ...sandboxKeyVariables(register.dataDir), RATE_LIMITS: 'off' });
  return encryptedCookies(keys.portalKey as Buffer)<'entry' | 'supplier'>({
    read: (name) => cookies.get(`register-${name}`),
    write: (name, value) => void cookies.set(`register-${name}`, value),
    delete: () => undefined,
  });
}

describe('the entry', () => {
  it('moves the parameters of a link from the address bar into an encrypted cookie', async () => {
    const newVisitor = visitor();
    const { mpxn, ir } = customer(0);
    for (const entry of [`mpxn=${mpxn}`, `ir=${ir}&return=https%3A%2F%2Fharbourlight.example%2Freturn&lang=cy`]) {
      const response = await newVisitor.get(`/?${entry}`);
      expect(response).toMatchObject({ status: 303, location: '/sign-in' });
      const cookie = newVisitor.cookies.get('register-entry') ?? '';
      expect(Buffer.from(cookie, 'base64url').toString('latin1')).not.toMatch(new RegExp(`${mpxn}|${ir}|harbourlight`));
    }
    expect((await newVisitor.get('/sign-in')).html).toContain('<html lang="cy"');
  });

  it.each([
    'mpxn=123',
    'ir=ir_1',
    'mpxn=%3Cscript%3E',
    'mpxn=1012345678&mpxn=1012345678',
    'return=javascript:alert(1)',
  ])('treats the malformed link ?%s as one without parameters', async (entry) => {
    const newVisitor = visitor();
    expect(await newVisitor.get(`/?${entry}`)).toMatchObject({ status: 303, location: '/' });
    const plain = await newVisitor.get('/');
    expect(plain.text).toBe((await visitor().get('/')).text);
  });

  it.each([['1012 3456 78'], [' Rowan.Ashdown@customer.example ']])(
    'accepts %j typed as people type',
    async (typed) => {
      const newVisitor = visitor();
      const response = await newVisitor.press(await newVisitor.get('/'), '/', { identifier: typed });
      expect(response).toMatchObject({ status: 303, location: '/sign-in' });
    },
  );

  it('with a number of 13 digits leads to a page that explains what to enter, in both languages', async () => {
    const TEXTS = { en: 'This register does not take 13-digit supply numbers', cy: 'Nid yw’r gofrestr hon yn derbyn' };
    const HINTS = { en: 'has 10 to 12 characters', cy: '10 i 12 nod' }; // not the number on the bill, which has 13 digits
    for (const language of ['en', 'cy'] as const) {
      const newVisitor = visitor();
      await newVisitor.get(`/?lang=${language}`);
      expect(await newVisitor.get('/?mpxn=1200050000000')).toMatchObject({ status: 303, location: '/' });
      expect((await newVisitor.get('/')).text).toContain(TEXTS[language]);
      const start = await newVisitor.get('/');
      expect(start.text).not.toContain(TEXTS[language]);
      expect(start.text).toContain(HINTS[language]);
      const typed = await newVisitor.press(start, '/', { identifier: '12 0005 0000 000' });
      expect([typed.status, typed.text]).toEqual([400, expect.stringContaining(TEXTS[language])]);
    }
  });

  it('shows the error of an input at the top, at the field and in the title', async () => {
    const newVisitor = visitor();
    const page = await newVisitor.press(await newVisitor.get('/'), '/', { identifier: '<b>12' });
    expect(page.status).toBe(400);
    expect(page.html).toMatch(/<title>Error: /);
    expect(page.html).toMatch(/govuk-error-summary[^]*href="#identifier"/);
    expect(page.html).toContain('id="identifier-error"');
    expect(page.html).toContain('value="&lt;b&gt;12"');
  });
});

describe('the challenge', () => {
  it('is the same for a known and an unknown meter point', async () => {
    const known = await challengeFor(`mpxn=${customer(0).mpxn}`);
    const unknown = await challengeFor('mpxn=1999999999');
    expect(unknown.html.replaceAll('1999999999', customer(0).mpxn)).toBe(known.html);
  });

  it('is the same for a known and an unknown Identity Record', async () => {
    const known = await challengeFor(`ir=${customer(0).ir}`);
    const unknown = await challengeFor(`ir=ir_${'0'.repeat(24)}`);
    expect(unknown.html).toBe(known.html);
  });

  it('responds equally to every request for a link, and mails only to known customers', async () => {
    const responses = [];
    for (const entry of ['mpxn=1999999999', `mpxn=${customer(1).mpxn}`]) {
      const newVisitor = visitor();
      await newVisitor.get(`/?${entry}`);
      const { status, location } = await newVisitor.press(await newVisitor.get('/sign-in'), '/sign-in/link');
      responses.push({ status, location, page: (await newVisitor.get('/sign-in/link-sent')).text });
    }
    expect(responses[0]).toEqual(responses[1]);
    await mailedPath(register, customer(1).email, 'sign-in/link');
    const mails = (await (await fetch(register.mailbox)).json()) as CapturedMail[];
    expect(new Set(mails.map(({ to }) => to))).toEqual(new Set([customer(1).email]));
  });

  it.each(['/sign-in/link', '/sign-in/supplier'])(
    'responds to %s equally for a known and an unknown meter point: status, headers, cookies and location',
    async (action) => {
      const supplier = accountOf(register.sandbox, 'supplier').mpid as string;
      const responses = [];
      for (const mpxn of [customer(1).mpxn, '1999999999', customer(3).mpxn, '1888888888']) {
        const newVisitor = visitor();
        await newVisitor.get(`/?mpxn=${mpxn}`);
        responses.push(traits(await newVisitor.press(await newVisitor.get('/sign-in'), action, { supplier })));
      }
      expect(responses[0]?.status).toBe(303);
      expect(responses[0]?.headers).toHaveProperty('location');
      for (const each of responses) expect(each).toEqual(responses[0]);
    },
  );

  it.each(['/sign-in/link', '/sign-in/supplier', '/sign-in/passkey'])(
    'reports on the entry form what the register does not accept: %s from a browser with another stored entry',
    async (action) => {
      const entries = [{ email: 'é@x.yz', ir: 'ir_1' }, { mpxn: 'none' }];
      // a passkey sign-in sends no number
      for (const entry of action === '/sign-in/passkey' ? entries.slice(0, 1) : entries) {
        const newVisitor = visitor();
        (await encryptedCookiesOf(newVisitor)).write('entry', entry);
        const page = await newVisitor.get('/sign-in');
        await newVisitor.post('/sign-in/passkey/options', page.forms[0]?.fields ?? {}, { accept: 'application/json' });
        const supplier = accountOf(register.sandbox, 'supplier').mpid as string;
        const response = await newVisitor.press(page, action, { supplier, credential: '{"id":"x"}' });
        expect(response.status).toBe(400);
        expect(response.html).toMatch(/govuk-error-summary[^]*href="#identifier"/);
        expect(response.html).toContain('id="identifier-error"');
        expect(response.html).toContain('href="/?lang=cy"');
      }
    },
  );

  it('mails nothing before the customer is identified', async () => {
    const newVisitor = visitor();
    const page = await newVisitor.get('/sign-in');
    expect(page.forms.map(({ action }) => action)).toEqual(['/sign-in/passkey', '/']);
    const { fields = {} } = page.forms[0] ?? {};
    expect(await newVisitor.post('/sign-in/link', fields)).toMatchObject({ status: 400 });
  });

  it.each(['/sign-in/link', '/sign-in/supplier'])(
    'does not send %s for the entry of another tab: it shows that entry, whose form works',
    async (action) => {
      const newVisitor = visitor();
      await newVisitor.get(`/?mpxn=${customer(0).mpxn}`);
      const page = await newVisitor.get('/sign-in');
      await newVisitor.get('/?mpxn=1999999999');
      const supplier = accountOf(register.sandbox, 'supplier').mpid as string;
      const response = await newVisitor.press(page, action, { supplier });
      expect(response.status).toBe(409);
      expect(response.text).toContain('What you entered was replaced in another tab or window');
      expect(response.text).toContain('You entered: 1999999999');
      expect((await newVisitor.press(response, action, { supplier })).status).toBe(303);
    },
  );

  it('states that the entry was replaced if a link without an identifier was followed in another tab', async () => {
    const newVisitor = visitor();
    await newVisitor.get(`/?mpxn=${customer(0).mpxn}`);
    const page = await newVisitor.get('/sign-in');
    await newVisitor.get('/?return=https%3A%2F%2Fharbourlight.example%2Freturn');
    const response = await newVisitor.press(page, '/sign-in/link');
    expect(response.status).toBe(409);
    expect(response.text).toContain('or by a link that you followed');
    expect(response.html).toMatch(/govuk-error-summary[^]*href="#identifier"/);
  });

  it('sends the form of an earlier page if the customer entered the same again, or if the page states no entry', async () => {
    const newVisitor = visitor();
    await newVisitor.get(`/?mpxn=${customer(0).mpxn}&return=https%3A%2F%2Fharbourlight.example%2Freturn`);
    const page = await newVisitor.get('/sign-in');
    await newVisitor.press(await newVisitor.get('/'), '/', { identifier: customer(0).mpxn });
    expect((await newVisitor.press(page, '/sign-in/link')).status).toBe(303);
    const { entry: _, ...fields } = page.forms.find(({ action }) => action === '/sign-in/link')?.fields ?? {};
    expect((await newVisitor.post('/sign-in/link', fields)).status).toBe(303);
  });

  it.each(['/sign-in/link', '/sign-in/supplier'])(
    'states after %s that the entry has expired, and lets the customer enter it again',
    async (action) => {
      const newVisitor = visitor();
      await newVisitor.get(`/?mpxn=${customer(0).mpxn}`);
      const page = await newVisitor.get('/sign-in');
      newVisitor.cookies.delete('register-entry');
      const response = await newVisitor.press(page, action, { supplier: 'ABCD' });
      expect(response.status).toBe(400);
      expect(response.text).toContain('What you entered is no longer stored');
      expect(response.html).toMatch(/govuk-error-summary[^]*href="#identifier"/);
      const again = await newVisitor.press(response, '/', { identifier: customer(0).mpxn });
      expect(again).toMatchObject({ status: 303, location: '/sign-in' });
    },
  );
});

describe('a mailed link', () => {
  let path: string;
  const asker = () => visitor();
  let phishing: PortalVisitor;

  beforeAll(async () => {
    phishing = asker();
    const before = new Set(await mailedPaths(register.mailbox, customer(0).email, 'sign-in/link'));
    await phishing.get(`/?mpxn=${customer(0).mpxn}`);
    await phishing.press(await phishing.get('/sign-in'), '/sign-in/link');
    path = await mailedPath(register, customer(0).email, 'sign-in/link', before);
  });

  it('opens a page with exactly one form and one button, and has no effect before it is pressed', async () => {
    for (const each of ['', '?lang=cy', '?lang=en']) {
      const page = await visitor().get(`${path}${each}`);
      expect(page.forms).toMatchObject([{ action: path, buttons: 1 }]);
      expect(page.html.match(/<button/g)).toHaveLength(1);
    }
    for (const method of ['HEAD', 'GET', 'GET']) {
      expect((await fetch(new URL(path, register.portal), { method })).status).toBe(200);
    }
  });

  it('signs in only the browser in which the button is pressed, never the one that requested the link', async () => {
    const owner = visitor();
    owner.cookies.set('register-session', `cst_${'A'.repeat(43)}`); // an attacker has set session cookies
    owner.cookies.set('register-form', 'planted-by-an-attacker');
    owner.cookies.set('register-withdrawn', 'yes'); // of an earlier session
    const page = await owner.get(path);
    expect(await owner.press(page, path)).toMatchObject({ status: 303, location: '/access' });
    expect(owner.cookies.get('register-session')).toMatch(/^cst_[\w-]{43}$/);
    expect(owner.cookies.get('register-session')).not.toBe(`cst_${'A'.repeat(43)}`);
    expect(owner.cookies.get('register-form')).toBeUndefined();
    expect(owner.cookies.get('register-withdrawn')).toBeUndefined();
    expect((await owner.get('/access')).status).toBe(200);

    expect(phishing.cookies.has('register-session')).toBe(false);
    expect((await phishing.get('/access')).status).toBe(401);
  });

  it('works once; used, wrong and malformed links have the same response', async () => {
    const seen = new Set<string>();
    for (const each of [path, `/sign-in/link/${'A'.repeat(43)}`, '/sign-in/link/short']) {
      const page = await visitor().get(each);
      expect(page.status).toBe(404);
      expect(page.text).toContain('This link no longer works');
      seen.add(page.text.replace(/tid_[0-9a-f]{24}/, ''));
    }
    expect(seen.size).toBe(1);
  });

  it('ends an earlier session of the browser', async () => {
    const newVisitor = visitor();
    const sessions: string[] = [];
    for (const index of [1, 2]) {
      const { mpxn, email } = customer(index);
      const before = new Set(await mailedPaths(register.mailbox, email, 'sign-in/link'));
      await newVisitor.get(`/?mpxn=${mpxn}`);
      await newVisitor.press(await newVisitor.get('/sign-in'), '/sign-in/link');
      const link = await mailedPath(register, email, 'sign-in/link', before);
      await newVisitor.press(await newVisitor.get(link), link);
      sessions.push(newVisitor.cookies.get('register-session') ?? '');
      expect((await newVisitor.get('/access')).text).toContain(mpxn);
    }
    const [ended, live] = sessions as [string, string];
    const browser = visitor();
    browser.cookies.set('register-session', ended);
    expect((await browser.get('/')).text).not.toContain('You are signed in');
    const lateResponse = browser.get('/access');
    browser.cookies.set('register-session', live); // another tab signs in before the response arrives
    expect((await lateResponse).status).toBe(401);
    expect((await browser.get('/access')).status).toBe(200);
    expect((await browser.get('/')).text).toContain('You are signed in');
  });
});

describe('a second press of the button of a mailed link', () => {
  /** Lets a customer open a new link in this browser; returns its page. */
  async function opened(index: number, owner: PortalVisitor): Promise<{ path: string; page: VisitedPage }> {
    const { mpxn, email } = customer(index);
    const before = new Set(await mailedPaths(register.mailbox, email, 'sign-in/link'));
    const other = visitor();
    await other.get(`/?mpxn=${mpxn}`);
    await other.press(await other.get('/sign-in'), '/sign-in/link');
    const path = await mailedPath(register, email, 'sign-in/link', before);
    return { path, page: await owner.get(path) };
  }

  /** Returns the same browser as it is now: a response that another request receives does not change its cookies. */
  function asNow({ cookies }: PortalVisitor): PortalVisitor {
    const copy = visitor();
    for (const [name, value] of cookies) copy.cookies.set(name, value);
    return copy;
  }

  const sessionOf = ({ cookies }: PortalVisitor) => cookies.get('register-session');

  it('that the browser sends before it has the first response signs in with the same session', async () => {
    const first = visitor();
    const { path, page } = await opened(0, first);
    const second = asNow(first);
    const [one, other] = await Promise.all([first.press(page, path), second.press(page, path)]);
    for (const each of [one, other]) expect(each).toMatchObject({ status: 303, location: '/access' });
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect((await second.get('/access')).text).toContain(customer(0).mpxn);
  });

  it('that the browser sends after the first response leads to the list of the session', async () => {
    const owner = visitor();
    const { path, page } = await opened(0, owner);
    await owner.press(page, path);
    const session = sessionOf(owner);
    expect(await owner.press(page, path)).toMatchObject({ status: 303, location: '/access' });
    expect(sessionOf(owner)).toBe(session);
    await owner.get('/access'); // another page has set a new form cookie
    expect(await owner.press(page, path)).toMatchObject({ status: 303, location: '/access' });
    expect((await owner.get('/access')).text).toContain(customer(0).mpxn);
  });

  it('leads to the home of the link although the browser was signed in to another one', async () => {
    const owner = visitor();
    const former = await opened(1, owner);
    await owner.press(former.page, former.path);
    const { path, page } = await opened(0, owner);
    const second = asNow(owner);
    await owner.press(page, path);
    expect((await second.press(page, path)).location).toBe('/access');
    for (const each of [owner, second]) expect((await each.get('/access')).text).toContain(customer(0).mpxn);
    expect((await owner.press(former.page, former.path)).status).toBe(403); // that session has ended
  });

  it('does not end the session that it returns', async () => {
    const owner = visitor();
    const { path, page } = await opened(0, owner);
    const form = owner.cookies.get('register-form') ?? '';
    await owner.press(page, path);
    owner.cookies.set('register-form', form);
    expect((await owner.press(page, path)).location).toBe('/access');
    expect((await owner.get('/access')).status).toBe(200);
  });

  it('of another link leaves that link unused, and does not lead to this session', async () => {
    const owner = visitor();
    const other = await opened(1, owner);
    const { path, page } = await opened(0, owner);
    await owner.press(page, path);
    expect((await owner.press(other.page, other.path)).status).toBe(403);
    expect((await owner.get(other.path)).status).toBe(200);
  });

  it('signs in no other browser', async () => {
    const owner = visitor();
    const { path, page } = await opened(0, owner);
    await owner.press(page, path);
    const other = visitor();
    const [form] = (await other.get('/')).forms;
    expect((await other.post(path, form?.fields ?? {})).status).toBe(404);
    expect(sessionOf(other)).toBeUndefined();
  });

  it('does not sign in again after the sign-out', async () => {
    const owner = visitor();
    const { path, page } = await opened(0, owner);
    const early = asNow(owner);
    await owner.press(page, path);
    const late = asNow(owner);
    await owner.press(await owner.get('/access'), '/sign-out');
    expect((await owner.press(page, path)).status).toBe(403);
    expect((await early.press(page, path)).status).toBe(404);
    expect(sessionOf(early)).toBeUndefined();
    expect((await late.get('/access')).status).toBe(401);
  });
});

describe('a return URL', () => {
  it.each([
    [
      'registered for the Data User of the Identity Record is shown as a link',
      'https://harbourlight.example/return',
      true,
    ],
    ['that is not registered is ignored', 'https://elsewhere.example/phish', false],
    ['that only starts like a registered one is ignored', 'https://harbourlight.example/return.evil.example', false],
    ['below a registered one is ignored', 'https://harbourlight.example/return/more', false],
    ['that is a script is ignored', 'javascript:alert(1)', false],
    ['without a scheme is ignored', '//evil.example', false],
  ])('%s', async (_, returnUrl, isShown) => {
    const newVisitor = visitor();
    const { ir, email } = customer(0);
    const before = new Set(await mailedPaths(register.mailbox, email, 'sign-in/link'));
    const entry = await newVisitor.get(`/?ir=${ir}&return=${encodeURIComponent(returnUrl)}`);
    expect(entry.location).toBe('/sign-in'); // the return URL is not used as a redirect
    await newVisitor.press(await newVisitor.get('/sign-in'), '/sign-in/link');
    const link = await mailedPath(register, email, 'sign-in/link', before);
    await newVisitor.press(await newVisitor.get(link), link);
    expect((await newVisitor.get('/access')).html.includes(`href="${returnUrl}"`)).toBe(isShown);
  });
});

describe('a supplier sign-in', () => {
  /** The last demo customer is unverified, so only the supplier can prove who the occupier is. */
  const unverified = () => customer(3);

  async function atSupplier(newVisitor: PortalVisitor, mpxn: string): Promise<string> {
    await newVisitor.get(`/?mpxn=${mpxn}`);
    const page = await newVisitor.get('/sign-in');
    const { mpid = '', name } = accountOf(register.sandbox, 'supplier');
    expect(page.text).toContain(name);
    const response = await newVisitor.press(page, '/sign-in/supplier', { supplier: mpid });
    expect(response.status).toBe(303);
    return response.location ?? '';
  }

  const credentials = ({ oidc_login, oidc_password }: Customer) => ({ login: oidc_login, password: oidc_password });

  it('opens the meter point that the supplier attests', async () => {
    const newVisitor = visitor();
    const url = await atSupplier(newVisitor, unverified().mpxn);
    const callback = await signInAtSupplier(url, credentials(unverified()));
    expect(await newVisitor.get(callback)).toMatchObject({ status: 303, location: '/access' });
    expect((await newVisitor.get('/access')).text).toContain(unverified().mpxn);
    await until(() => register.log().includes('"/sign-in/supplier/callback"') || undefined);
    expect(register.log()).not.toContain(new URL(callback).searchParams.get('code'));
  });

  it.each([
    ['for another meter point than the one entered', 3, 0],
    ['if a verified customer can sign in otherwise', 0, 0],
  ])('is rejected %s', async (_, entered, signedIn) => {
    const newVisitor = visitor();
    const url = await atSupplier(newVisitor, customer(entered).mpxn);
    const page = await newVisitor.get(await signInAtSupplier(url, credentials(customer(signedIn))));
    expect(page.status).toBe(401);
    expect(page.text).toContain('We could not sign you in by way of your supplier');
    expect(page.text).toContain('only if no email address or passkey is held for the meter point');
    expect(newVisitor.cookies.has('register-session')).toBe(false);
  });

  it('has no effect on HEAD of the link back, which still signs in when the browser opens it', async () => {
    const newVisitor = visitor();
    const url = await atSupplier(newVisitor, unverified().mpxn);
    const callback = await signInAtSupplier(url, credentials(unverified()));
    const { status, headers } = await newVisitor.head(callback);
    expect([status, headers.get('allow'), headers.getSetCookie()]).toEqual([405, 'GET', []]);
    expect(await newVisitor.get(callback)).toMatchObject({ status: 303, location: '/access' });
  });

  it('started in two tabs succeeds in the later one, also after the earlier one was rejected', async () => {
    const newVisitor = visitor();
    const urls = [];
    for (let tab = 0; tab < 2; tab++) urls.push(await atSupplier(newVisitor, unverified().mpxn));
    const statuses = [];
    for (const url of urls)
      statuses.push((await newVisitor.get(await signInAtSupplier(url, credentials(unverified())))).status);
    expect(statuses).toEqual([401, 303]);
  });

  it('works only in the browser that was redirected to the supplier', async () => {
    const url = await atSupplier(visitor(), unverified().mpxn);
    const callback = await signInAtSupplier(url, credentials(unverified()));
    const other = visitor();
    expect((await other.get(callback)).status).toBe(401);
    expect(other.cookies.has('register-session')).toBe(false);
  });

  it('that the customer cancels at the supplier after the entry has expired shows the sign-in page, also with an ended session', async () => {
    const newVisitor = visitor();
    await atSupplier(newVisitor, unverified().mpxn);
    newVisitor.cookies.delete('register-entry');
    newVisitor.cookies.set('register-session', 'ended');
    const page = await newVisitor.get('/sign-in/supplier/callback?error=access_denied');
    expect(page.status).toBe(401);
    expect(page.text).toContain('We could not sign you in by way of your supplier');
  });

  it('that has expired leads to the sign-in page with the reason, also with an ended session', async () => {
    const newVisitor = visitor();
    const callback = await signInAtSupplier(await atSupplier(newVisitor, unverified().mpxn), credentials(unverified()));
    newVisitor.cookies.delete('register-supplier');
    newVisitor.cookies.set('register-session', `cst_${'A'.repeat(43)}`);
    const page = await newVisitor.get(callback);
    expect(page.status).toBe(401);
    expect(page.text).toContain('Prove that it is you');
    expect(page.text).toContain('We could not complete this sign-in at your supplier: it took longer than 10 minutes');
  });

  it('that the previous release started signs in', async () => {
    const newVisitor = visitor();
    const callback = await signInAtSupplier(await atSupplier(newVisitor, unverified().mpxn), credentials(unverified()));
    const cookies = await encryptedCookiesOf(newVisitor);
    cookies.write('supplier', cookies.read<{ secret: string }>('supplier')?.secret);
    expect(await newVisitor.get(callback)).toMatchObject({ status: 303, location: '/access' });
  });

  it('requires a choice of supplier', async () => {
    const newVisitor = visitor();
    await newVisitor.get(`/?mpxn=${unverified().mpxn}`);
    const page = await newVisitor.press(await newVisitor.get('/sign-in'), '/sign-in/supplier', { supplier: '' });
    expect(page.status).toBe(400);
    expect(page.html).toContain('href="#supplier"');
  });
});

describe('an invalid passkey', () => {
  it.each([
    ['is empty', ''],
    ['is not an object', '[]'],
    ['lacks its response', '{"id":"x"}'],
  ])('that %s is rejected', async (_, credential) => {
    const newVisitor = visitor();
    const page = await newVisitor.get('/sign-in');
    const { fields = {} } = page.forms[0] ?? {};
    const options = await newVisitor.post('/sign-in/passkey/options', fields, { accept: 'application/json' });
    expect(options.status).toBe(200);
    const response = await newVisitor.press(page, '/sign-in/passkey', { credential });
    expect(response.status).toBe(401);
    expect(response.text).toContain('We could not sign you in with this passkey');
  });
});

it('the log contains no secrets, codes or addresses of sign-ins', async () => {
  const log = logLines(register);
  for (const { email, mpxn, ir } of customers)
    for (const value of [email, mpxn, ir]) expect(log.includes(value)).toBe(false);
  expect(log).not.toMatch(/cst_[\w-]{43}/);
});
