import type { SignInHint } from '../request/sign-in-hint';
import type { Page, PageContext } from '../page';
import { hasErrorCode } from '../../shared/operation-error';
import { challenge } from './challenge';
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
    const mpid = form['supplier'] ?? '';
    if (mpid === '')
      return challenge(context, { text: translate('signIn.supplierMissing'), href: '#supplier', status: 400 });
    const hint = encryptedCookies.read<SignInHint>('entry') ?? {};
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
 * has the secret.
 */
export const supplierCallback: Page = {
  method: 'GET',
  path: '/sign-in/supplier/callback',
  site: 'portal',
  async respond(context) {
    const { execute, encryptedCookies, cookies, publicUrls, url } = context;
    const secret = encryptedCookies.read<string>('supplier');
    cookies.delete('supplier');
    if (secret === undefined) return rejectedView(context);
    try {
      const callbackUrl = `${publicUrls.portalUrl}${url}`;
      const { signIn } = await execute('FinishSupplierSignIn', { secret, callbackUrl });
      return await signedIn(context, signIn.token);
    } catch (error) {
      if (hasErrorCode(error, 'AUT001', 'NTF001')) return rejectedView(context);
      throw error;
    }
  },
};

function rejectedView(context: PageContext) {
  return challenge(context, { text: context.translate('signIn.supplierRefused'), href: '#supplier', status: 401 });
}
