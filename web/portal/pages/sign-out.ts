import type { Page } from '../page';
import { hasErrorCode } from '../../shared/operation-error';

/**
 * Ends the session, first in the register and then in the browser, and clears the browser's cache of personal pages. Keeps
 * the form cookie until the next sign-in, so that a form in another tab states that the session has ended.
 */
export const signOutForm: Page = {
  method: 'POST',
  path: '/sign-out',
  site: 'portal',
  formPage: '/access',
  async respond({ executeAsCustomer, cookies }) {
    try {
      await executeAsCustomer('EndCustomerSession');
    } catch (error) {
      // the session has already ended
      if (!hasErrorCode(error, 'AUT001', 'AUT002')) throw error;
    }
    cookies.delete('session', 'entry', 'passkey', 'supplier', 'withdrawn', 'ceremony', 'proof');
    return { seeOther: '/signed-out', headers: { 'clear-site-data': '"cache"' } };
  },
};

/** Confirms the sign-out. */
export const signedOutPage: Page = {
  method: 'GET',
  path: '/signed-out',
  site: 'portal',
  respond: () => ({ view: 'signed-out' }),
};
