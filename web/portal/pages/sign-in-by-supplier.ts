import { type SignInHint, identifiesCustomer } from '../request/sign-in-hint';
import type { View } from '../../shared/page-response';
import type { Page, PageContext } from '../page';
import { hasErrorCode } from '../../shared/operation-error';
import { challenge, entryError } from './challenge';
import { contactsView } from './contacts';
import { rejectedHintView } from './entry';
import { signedIn } from './signed-in';

/** Redirects the customer to their supplier, to sign in there. */
export const supplierForm: Page = {
  method: 'POST',
  path: '/sign-in/supplier',
  site: 'portal',
  formPage: '/sign-in',
  async respond(context) {
    const { execute, form, encryptedCookies, translate } = context;
    const hint = encryptedCookies.read<SignInHint>('entry') ?? {};
    const entryFault = entryError(context, hint, '#supplier');
    if (entryFault) return challenge(context, entryFault);
    const mpid = form['supplier'] ?? '';
    if (mpid === '')
      return challenge(context, { text: translate('signIn.supplierMissing'), href: '#supplier', status: 400 });
    try {
      const { started } = await execute('StartSupplierSignIn', { mpid, entry: hint });
      encryptedCookies.write('supplier', started.secret);
      return { seeOther: started.url };
    } catch (error) {
      return hasErrorCode(error, 'AUT001', 'NTF001', 'VAL002')
        ? rejectedView(context)
        : rejectedHintView(context, hint, error);
    }
  },
};

/**
 * Completes the sign-in after the supplier has redirected back. Only the browser that was redirected to the supplier
 * has the secret. A signed-in customer who wanted the supplier to decide about contacts, and was rejected, returns to their page.
 */
export const supplierCallback: Page = {
  method: 'GET',
  path: '/sign-in/supplier/callback',
  site: 'portal',
  async respond(context) {
    const { execute, encryptedCookies, cookies, publicUrls, url } = context;
    const secret = encryptedCookies.read<string>('supplier');
    cookies.delete('supplier');
    if (secret === undefined) return rejectedReturnView(context);
    try {
      const callbackUrl = `${publicUrls.portalUrl}${url}`;
      const { signIn } = await execute('FinishSupplierSignIn', { secret, callbackUrl });
      return await signedIn(context, signIn.token);
    } catch (error) {
      if (hasErrorCode(error, 'AUT001', 'NTF001')) return rejectedReturnView(context);
      throw error;
    }
  },
};

/** A customer whom a sign-in form sent to the supplier has an entry: a sign-in deletes it. */
function rejectedReturnView(context: PageContext): Promise<View> {
  const { encryptedCookies, cookies, translate } = context;
  const isSigningIn = identifiesCustomer(encryptedCookies.read<SignInHint>('entry') ?? {});
  if (isSigningIn || cookies.read('session') === undefined) return rejectedView(context);
  return contactsView(context, { text: translate('signIn.supplierRefused'), href: '#supplier' }, 401);
}

function rejectedView(context: PageContext): Promise<View> {
  return challenge(context, { text: context.translate('signIn.supplierRefused'), href: '#supplier', status: 401 });
}
