import type { PageResponse, PageContext } from '../page';

/**
 * Stores the new session in the browser, ends a previous one, and deletes the form cookie. The proof has just created
 * the token, so that an attacker cannot have planted it (session fixation). `isProof`: the customer was signed in and proved more, so
 * that the return link still reports a withdrawal.
 */
export async function signedIn(
  { cookies, executeAsCustomer }: PageContext,
  token: string,
  isProof = false,
): Promise<PageResponse> {
  const previous = cookies.read('session');
  // it may already have ended
  if (previous !== undefined && previous !== token)
    await executeAsCustomer('EndCustomerSession').catch(() => undefined);
  cookies.write('session', token);
  cookies.delete('form', 'entry', 'passkey', 'supplier');
  if (!isProof) cookies.delete('withdrawn');
  return { seeOther: '/access' };
}
