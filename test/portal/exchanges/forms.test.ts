import cookie from '@fastify/cookie';
import fastify from 'fastify';
import { PAGES } from '../../../portal/page-list';
import { PORTAL_COOKIES, type PortalCookies } from '../../../portal/request/cookies';
import { entryOfQuery, entryOfTyping } from '../../../portal/request/entry';
import { cookiesOf } from '../../../web/cookies';
import { formTokens } from '../../../web/form-token';
import { isSameOrigin } from '../../../web/same-origin';
import { sealedCookies } from '../../../web/sealed-cookies';
import { securityHeaders } from '../../../web/security-headers';

const OURS = 'https://portal.example';
const KEY = Buffer.alloc(32, 7);

describe('a form comes from a page of ours', () => {
  it.each([
    [true, 'the browser says same-origin', { origin: OURS, 'sec-fetch-site': 'same-origin' }],
    [true, 'a page without referrer names no origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    [true, 'an older browser names our origin', { origin: OURS }],
    [false, 'another site', { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }],
    [false, 'a host beside ours', { origin: 'https://other.portal.example', 'sec-fetch-site': 'same-site' }],
    [false, 'an origin that only begins like ours', { origin: `${OURS}.elsewhere.example` }],
    [true, 'a sandboxed frame in an older browser', { origin: 'null' }],
    [true, 'nobody says where from, as old browsers do: the token decides alone', {}],
    [false, 'the address bar', { 'sec-fetch-site': 'none' }],
    [
      false,
      'headers that contradict each other',
      { origin: 'https://elsewhere.example', 'sec-fetch-site': 'same-origin' },
    ],
  ])('%s: %s', (expected, _, headers) => {
    expect(isSameOrigin(headers, OURS)).toBe(expected);
  });
});

/** A browser's cookies, without a browser. */
function jar(): PortalCookies {
  const kept = new Map<string, string>();
  return {
    read: (name) => kept.get(name),
    write: (name, value) => void kept.set(name, value),
    forget: (...names) => names.forEach((name) => kept.delete(name)),
  };
}

describe('the token of a form', () => {
  const tokens = formTokens(KEY);

  it('is right in the browser that got it, on every page of it', () => {
    const browser = jar();
    const token = tokens.issue(browser);
    expect(tokens.issue(browser)).toBe(token);
    expect(tokens.isGenuine(browser, token)).toBe(true);
  });

  it('is wrong in another browser, without the cookie, under another key, shortened, or missing', () => {
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

describe('a sealed cookie', () => {
  it('tells the browser nothing, and opens here only, under its own name', () => {
    const browser = jar();
    sealedCookies(KEY)(browser).write('entry', { mpxn: '1012345678' });
    const value = browser.read('entry') ?? '';
    expect(Buffer.from(value, 'base64url').toString('latin1')).not.toContain('1012345678');
    expect(sealedCookies(KEY)(browser).read('entry')).toEqual({ mpxn: '1012345678' });

    browser.write('passkey', value);
    expect(sealedCookies(KEY)(browser).read('passkey')).toBeUndefined();
    expect(sealedCookies(Buffer.alloc(32, 8))(browser).read('entry')).toBeUndefined();
    browser.write('entry', 'made up');
    expect(sealedCookies(KEY)(browser).read('entry')).toBeUndefined();
  });

  it.each([
    ['a return address as long as one may be', 'x'.repeat(2048)],
    ['one that is no URI', 'é'.repeat(1900)],
    ['one of quotes, which take two bytes each', '"'.repeat(1900)],
    ['one of control characters, which take six', '\u0001'.repeat(1900)],
  ])('is smaller than what browsers keep, whatever a link carries, and still has the ir: %s', (_, rest) => {
    const ir = `ir_${'a1'.repeat(12)}`;
    const entry = entryOfQuery({ ir, return: `https://larkhill.example/${rest}`.slice(0, 2048) });
    const browser = jar();
    const email = `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(3)}sample`;
    expect(entryOfTyping(email)).toEqual({ email });
    sealedCookies(KEY)(browser).write('entry', { ...entry, email });
    expect(browser.read('entry')?.length).toBeLessThan(4_000 - 150); // its name and attributes
    expect(sealedCookies(KEY)(browser).read('entry')).toMatchObject({ ir });
  });
});

describe('every form', () => {
  const hasPage = (place: string, path: string) =>
    PAGES.some((page) => page.method === 'GET' && page.place === place && page.path === path);

  it('is on a page that can be opened by its address: at its own path, or at the one that it names', () => {
    const forms = PAGES.filter(({ method }) => method === 'POST');
    expect(forms.length).toBeGreaterThan(10);
    expect(forms.filter(({ place, path, formOn }) => !hasPage(place, formOn ?? path))).toEqual([]);
  });
});

describe('in production', () => {
  it('cookies have the prefix that binds them to this host', async () => {
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

  it('pages are asked for over TLS only, and forms lead to no page without it', () => {
    const headers = securityHeaders(true, true, 'elsewhere');
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    expect(headers['content-security-policy']).toContain("form-action 'self' https:;");
    expect(securityHeaders(false, true, 'self')).not.toHaveProperty('strict-transport-security');
  });
});
