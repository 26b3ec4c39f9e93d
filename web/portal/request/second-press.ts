import { createHash } from 'node:crypto';
import type { PageContext } from '../page';

/**
 * Returns a value that only this browser has, for the register: a second press of the button of a mailed link has the result of the first. It is a
 * hash of the form cookie, which the server has just checked and no script can read.
 */
export function browserOf({ cookies }: PageContext): string | null {
  const form = cookies.read('form');
  return form === undefined ? null : digest('browser', form);
}

/**
 * Stores in the browser that the link of this page has started this session. The cookie is bound to both, so that it means nothing to a later
 * session.
 */
export function keepLink({ cookies, params }: PageContext, token: string): void {
  cookies.write('link', digest(params['secret'] ?? '', token));
}

/**
 * Returns whether the link of this page has started the session of this browser: the customer presses its button again after the sign-in has
 * deleted the form cookie.
 */
export function isLinkOfSession({ cookies, params }: PageContext): boolean {
  const token = cookies.read('session');
  return token !== undefined && cookies.read('link') === digest(params['secret'] ?? '', token);
}

/** Returns a hash that discloses none of the secrets in it, because they have 256 bits. */
function digest(first: string, second: string): string {
  return createHash('sha256').update(`${first} ${second}`).digest('base64url');
}
