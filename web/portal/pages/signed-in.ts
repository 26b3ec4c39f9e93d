import type { PageResponse, PageContext } from '../page';

/**
 * Stores the new session in the browser, ends a previous one, and deletes the form cookie. The proof has just created
 * the token, so that an attacker cannot have planted it (session fixation).
 */
export async function signedIn({ cookies, executeAsCustomer }: PageContext, token: string): Promise<PageResponse> {
  // it may already have ended
  if (cookies.read('session') !== undefined) await executeAsCustomer('EndCustomerSession').catch(() => undefined);
  cookies.write('session', token);
  cookies.delete('form', 'entry', 'passkey', 'supplier', 'withdrawn');
  return { seeOther: '/access' };
}
