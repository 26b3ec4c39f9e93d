import { randomBytes, timingSafeEqual } from 'node:crypto';
import { keyedHash } from '../../subgraphs/server/keyed-hash';
import type { Cookies } from './cookies';

/** Name of the hidden field that contains the token of a form. */
export const FORM_TOKEN_FIELD = 'form-token';

const COOKIE_BYTES = 32;

/** The cookie to which the tokens of forms are bound. */
type FormCookie = Cookies<'form'>;

/** Tokens that prove that a page of the service issued a form to this browser. */
export interface FormTokens {
  /** Returns the token for the forms of a page, and sets the cookie if the browser has none. */
  issue(cookies: FormCookie): string;
  isGenuine(cookies: FormCookie, token: string | undefined): boolean;
}

/** A token is a keyed hash of a random cookie: another site can neither read the cookie nor compute the token. */
export function formTokens(key: Buffer): FormTokens {
  const tokenOf = keyedHash(key, 'web-form');
  return {
    issue(cookies) {
      const existing = cookies.read('form');
      const cookie = existing ?? randomBytes(COOKIE_BYTES).toString('base64url');
      if (existing === undefined) cookies.write('form', cookie);
      return tokenOf(cookie).toString('base64url');
    },
    isGenuine(cookies, token) {
      const cookie = cookies.read('form');
      if (cookie === undefined || token === undefined) return false;
      const expected = tokenOf(cookie);
      const received = Buffer.from(token, 'base64url');
      return received.length === expected.length && timingSafeEqual(received, expected);
    },
  };
}
