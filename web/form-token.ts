import { randomBytes, timingSafeEqual } from 'node:crypto';
import { keyedHash } from '../subgraphs/server/keyed-hash';
import type { Cookies } from './cookies';

/** Name of the field of every form that carries its token. */
export const FORM_TOKEN_FIELD = 'form-token';

const COOKIE_BYTES = 32;

/** The cookie that the tokens of forms are bound to. */
type FormCookie = Cookies<'form'>;

/** The tokens of forms: a form counts only when this browser got it from the service. */
export interface FormTokens {
  /** The token for the forms of a page; gives the browser what it is bound to, if it has nothing yet. */
  issue(cookies: FormCookie): string;
  isGenuine(cookies: FormCookie, token: string | undefined): boolean;
}

/** Tokens are keyed hashes of a cookie: another site can neither read the cookie nor make the token. */
export function formTokens(key: Buffer): FormTokens {
  const tokenOf = keyedHash(key, 'web-form');
  return {
    issue(cookies) {
      const known = cookies.read('form');
      const bound = known ?? randomBytes(COOKIE_BYTES).toString('base64url');
      if (known === undefined) cookies.write('form', bound);
      return tokenOf(bound).toString('base64url');
    },
    isGenuine(cookies, token) {
      const bound = cookies.read('form');
      if (bound === undefined || token === undefined) return false;
      const expected = tokenOf(bound);
      const given = Buffer.from(token, 'base64url');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
