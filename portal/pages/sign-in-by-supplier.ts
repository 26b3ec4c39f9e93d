import type { Entry } from '../request/entry';
import type { Page, Visit } from '../page';
import { isRefusal } from '../../web/register-refusal';
import { challenge } from './challenge';
import { refusedEntry } from './entry';
import { type SignInAnswer, signedIn } from './signed-in';

interface Started {
  readonly started: { readonly secret: string; readonly url: string };
}

/** Sends somebody to their supplier, to sign in there. */
export const supplierForm: Page = {
  method: 'POST',
  path: '/sign-in/supplier',
  place: 'portal',
  formOn: '/sign-in',
  async answer(visit) {
    const { ask, form, sealed, wording } = visit;
    const mpid = form['supplier'] ?? '';
    if (mpid === '')
      return challenge(visit, { text: wording('signIn.supplierMissing'), href: '#supplier', status: 400 });
    const entry = sealed.read<Entry>('entry') ?? {};
    try {
      const { started } = await ask<Started>('StartSupplierSignIn', { mpid, entry });
      sealed.write('supplier', started.secret);
      return { seeOther: started.url };
    } catch (error) {
      return isRefusal(error, 'AUT001', 'NTF001', 'VAL002') ? refused(visit) : refusedEntry(visit, entry, error);
    }
  },
};

/** Where the supplier sends the person back; only the browser that was sent there can go on. */
export const supplierCallback: Page = {
  method: 'GET',
  path: '/sign-in/supplier/callback',
  place: 'portal',
  async answer(visit) {
    const { ask, sealed, cookies, places, address } = visit;
    const secret = sealed.read<string>('supplier');
    cookies.forget('supplier');
    if (secret === undefined) return refused(visit);
    try {
      const callbackUrl = `${places.portalUrl}${address}`;
      const { signIn } = await ask<SignInAnswer>('FinishSupplierSignIn', { secret, callbackUrl });
      return await signedIn(visit, signIn.token);
    } catch (error) {
      if (isRefusal(error, 'AUT001', 'NTF001')) return refused(visit);
      throw error;
    }
  },
};

function refused(visit: Visit) {
  return challenge(visit, { text: visit.wording('signIn.supplierRefused'), href: '#supplier', status: 401 });
}
