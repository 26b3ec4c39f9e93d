import type { Page } from '../page';
import { isRefusal } from '../../web/register-refusal';

/** Ends the session in the register first, then in the browser, which drops what it kept of personal pages. */
export const signOutForm: Page = {
  method: 'POST',
  path: '/sign-out',
  place: 'portal',
  formOn: '/access',
  async answer({ askAsCustomer, cookies }) {
    try {
      await askAsCustomer('EndCustomerSession');
    } catch (error) {
      if (!isRefusal(error, 'AUT001', 'AUT002')) throw error; // it has ended already
    }
    cookies.forget('session', 'form', 'entry', 'passkey', 'supplier', 'ceremony');
    return { seeOther: '/signed-out', headers: { 'clear-site-data': '"cache"' } };
  },
};

/** Says that it is done. */
export const signedOutPage: Page = {
  method: 'GET',
  path: '/signed-out',
  place: 'portal',
  answer: () => ({ view: 'signed-out' }),
};
