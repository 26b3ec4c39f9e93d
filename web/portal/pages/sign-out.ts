import { portal } from '../page';
import { hasErrorCode } from '../../shared/operation-error';

/**
 * Ends the session, first in the register and then in the browser, whatever the register responds, and clears the browser's
 * cache of personal pages. If the register did not confirm the end, the next page states it. Keeps the form cookie until the
 * next sign-in, so that a form in another tab states that the session has ended.
 */
export const signOutForm = portal.postFrom('/access', '/sign-out', async ({ executeAsCustomer, cookies }) => {
  const hasEnded = await executeAsCustomer('EndCustomerSession').then(
    () => true,
    (error: unknown) => hasErrorCode(error, 'AUT001', 'AUT002'), // it had already ended
  );
  cookies.delete('session', 'entry', 'passkey', 'supplier', 'withdrawn', 'ceremony', 'proof', 'link');
  return {
    seeOther: hasEnded ? '/signed-out' : '/signed-out?unconfirmed',
    headers: { 'clear-site-data': '"cache"' },
  };
});

/** Confirms the sign-out; with `unconfirmed` only that of the browser. */
export const signedOutPage = portal.get('/signed-out', ({ query }) => {
  const isUnconfirmed = query['unconfirmed'] !== undefined;
  return { view: 'signed-out', model: { isUnconfirmed, pathQuery: isUnconfirmed ? '&unconfirmed' : '' } };
});
