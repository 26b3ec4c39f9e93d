import cookie from '@fastify/cookie';
import fastify from 'fastify';
import { PAGES } from '../../../web/portal/page-list';
import { type CookieName, PORTAL_COOKIES } from '../../../web/portal/request/cookies';
import type { Cookies } from '../../../web/shared/cookies';
import { hintFromQuery, hintFromInput } from '../../../web/portal/request/sign-in-hint';
import { cookiesOf } from '../../../web/shared/cookies';
import { formTokens } from '../../../web/shared/form-token';
import { isSameOrigin } from '../../../web/shared/same-origin';
import { encryptedCookies } from '../../../web/shared/encrypted-cookies';
import { securityHeaders } from '../../../web/shared/security-headers';

const OWN_ORIGIN = 'https://portal.example';
const KEY = Buffer.alloc(32, 7);

describe('whether a form comes from the same origin', () => {
  it.each([
    [true, 'the browser says same-origin', { origin: OWN_ORIGIN, 'sec-fetch-site': 'same-origin' }],
    [true, 'a page without referrer names no origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    [true, 'an older browser sends the own origin', { origin: OWN_ORIGIN }],
    [false, 'another site', { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }],
    [false, 'another host of the domain', { origin: 'https://other.portal.example', 'sec-fetch-site': 'same-site' }],
    [false, 'an origin that has the own one as prefix', { origin: `${OWN_ORIGIN}.elsewhere.example` }],
    [true, 'a sandboxed frame in an older browser', { origin: 'null' }],
    [true, 'an old browser sends neither header: the token decides', {}],
    [false, 'the address bar', { 'sec-fetch-site': 'none' }],
    [
      false,
      'headers that contradict each other',
      { origin: 'https://elsewhere.example', 'sec-fetch-site': 'same-origin' },
    ],
  ])('is %s when this sends it: %s', (expected, _, headers) => {
    expect(isSameOrigin(headers, OWN_ORIGIN)).toBe(expected);
  });
});

/** Returns the cookies of a simulated browser. */
function jar(): Cookies<CookieName> {
  const stored = new Map<string, string>();
  return {
    read: (name) => stored.get(name),
    write: (name, value) => void stored.set(name, value),
    delete: (...names) => names.forEach((name) => stored.delete(name)),
  };
}

describe('the token of a form', () => {
  const tokens = formTokens(KEY);

  it('is valid in the browser to which it was issued, on every page', () => {
    const browser = jar();
    const token = tokens.issue(browser);
    expect(tokens.issue(browser)).toBe(token);
    expect(tokens.isGenuine(browser, token)).toBe(true);
  });

  it('is invalid in another browser, without the cookie, under another key, truncated, or missing', () => {
    const browser = jar();
    const token = tokens.issue(browser);
    const other = jar();
    expect(tokens.isGenuine(other, token)).toBe(false);
    tokens.issue(other);
    expect(tokens.isGenuine(other, token)).toBe(false);
    expect(formTokens(Buffer.alloc(32, 8)).isGenuine(browser, token)).toBe(false);
    expect(tokens.isGenuine(browser, token.slice(0, -2))).toBe(false);
    expect(tokens.isGenuine(browser, undefined)).toBe(false);
  });
});

describe('an encrypted cookie', () => {
  it('is unreadable for the browser, and decrypts only with this key and under its own name', () => {
    const browser = jar();
    encryptedCookies(KEY)(browser).write('entry', { mpxn: '1012345678' });
    const value = browser.read('entry') ?? '';
    expect(Buffer.from(value, 'base64url').toString('latin1')).not.toContain('1012345678');
    expect(encryptedCookies(KEY)(browser).read('entry')).toEqual({ mpxn: '1012345678' });

    browser.write('passkey', value);
    expect(encryptedCookies(KEY)(browser).read('passkey')).toBeUndefined();
    expect(encryptedCookies(Buffer.alloc(32, 8))(browser).read('entry')).toBeUndefined();
    browser.write('entry', 'made up');
    expect(encryptedCookies(KEY)(browser).read('entry')).toBeUndefined();
  });

  it.each([
    ['a return URL of maximum length', 'x'.repeat(2048)],
    ['a return URL that is not a URI', 'é'.repeat(1900)],
    ['a return URL of quotes, which take two bytes each', '"'.repeat(1900)],
    ['a return URL of control characters, which take six bytes each', '\u0001'.repeat(1900)],
  ])('stays below the size limit of browsers for any link, and still contains the ir: %s', (_, rest) => {
    const ir = `ir_${'a1'.repeat(12)}`;
    const entry = hintFromQuery({ ir, return: `https://larkhill.example/${rest}`.slice(0, 2048) });
    const browser = jar();
    const email = `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(3)}sample`;
    expect(hintFromInput(email)).toEqual({ email });
    encryptedCookies(KEY)(browser).write('entry', { ...entry, email });
    expect(browser.read('entry')?.length).toBeLessThan(4_000 - 150); // its name and attributes
    expect(encryptedCookies(KEY)(browser).read('entry')).toMatchObject({ ir });
  });
});

describe('every form', () => {
  const hasPage = (site: string, path: string) =>
    PAGES.some((page) => page.method === 'GET' && page.site === site && page.path === path);

  it('is on a page with a GET route: at its own path, or at its `formPage`', () => {
    const forms = PAGES.filter(({ method }) => method === 'POST');
    expect(forms.length).toBeGreaterThan(10);
    expect(forms.filter(({ site, path, formPage }) => !hasPage(site, formPage ?? path))).toEqual([]);
  });
});

describe('in production', () => {
  it('cookies have the prefix `__Host-`', async () => {
    const app = fastify();
    await app.register(cookie);
    app.get('/', (request, reply) => {
      cookiesOf(PORTAL_COOKIES, request, reply, true).write('session', 'x');
      return reply.send();
    });
    const { headers } = await app.inject('/');
    expect(headers['set-cookie']).toBe(
      '__Host-register-session=x; Max-Age=28800; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
  });

  it('pages require TLS, and forms lead to TLS only', () => {
    const headers = securityHeaders(true, true, 'elsewhere');
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    expect(headers['content-security-policy']).toContain("form-action 'self' https:;");
    expect(securityHeaders(false, true, 'self')).not.toHaveProperty('strict-transport-security');
  });
});
