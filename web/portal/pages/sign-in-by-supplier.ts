import type { StartedSupplierSignIn } from '../request/cookies';
import type { SignInHint } from '../request/sign-in-hint';
import type { View } from '../../shared/page-response';
import { type PageContext, type PageResponse, portal } from '../page';
import { hasErrorCode } from '../../shared/operation-error';
import { challenge, entryError } from './challenge';
import { contactsView } from './contacts';
import { rejectedHintView } from './entry';
import { signedIn } from './signed-in';

/** Redirects the customer to their supplier, to sign in there. */
export const supplierForm = portal.postFrom('/sign-in', '/sign-in/supplier', async (context) => {
  const { execute, form, encryptedCookies, translate } = context;
  const hint = encryptedCookies.read<SignInHint>('entry') ?? {};
  const invalidEntry = entryError(context, '#supplier');
  if (invalidEntry) return challenge(context, invalidEntry);
  const mpid = form['supplier'] ?? '';
  if (mpid === '')
    return challenge(context, { text: translate('signIn.supplierMissing'), href: '#supplier', status: 400 });
  try {
    const { started } = await execute('StartSupplierSignIn', { mpid, entry: hint });
    encryptedCookies.write('supplier', { secret: started.secret, isProof: false } satisfies StartedSupplierSignIn);
    return { seeOther: started.url };
  } catch (error) {
    return hasErrorCode(error, 'AUT001', 'NTF001', 'VAL002')
      ? rejectedView(context)
      : rejectedHintView(context, hint, error);
  }
});

/**
 * Completes the sign-in after the supplier has redirected back. Only the browser that was redirected to the supplier
 * has the secret. A customer who started on the page of contacts, and was rejected, returns to that page.
 */
export const supplierCallback = portal.get('/sign-in/supplier/callback', async (context) => {
  const { execute, encryptedCookies, publicUrls, translate, url } = context;
  const stored = encryptedCookies.read<StartedSupplierSignIn | string>('supplier');
  if (stored === undefined) return expiredView(context);
  // the previous release stored the secret only
  const { secret, isProof } = typeof stored === 'string' ? { secret: stored, isProof: false } : stored;
  try {
    const callbackUrl = `${publicUrls.portalUrl}${url}`;
    const { signIn } = await execute('FinishSupplierSignIn', { secret, callbackUrl });
    return await signedIn(context, signIn.token, isProof);
  } catch (error) {
    // the cookie stays, so that the response to a reload is the same
    if (!hasErrorCode(error, 'AUT001', 'NTF001')) throw error;
    if (!isProof) return rejectedView(context);
    return contactsView(context, { text: translate('signIn.supplierRefused'), href: '#supplier' }, 401);
  }
});

/**
 * The page after a sign-in at the supplier that has expired, that another browser started, or that is complete. A customer who is
 * signed in returns to the page of contacts.
 */
async function expiredView(context: PageContext): Promise<PageResponse> {
  const reason = { text: context.translate('signIn.supplierExpired'), href: '#supplier' };
  try {
    const { session } = await context.executeAsCustomer('ReadCustomerContacts');
    return session.mayJudge ? { seeOther: '/contacts' } : await contactsView(context, reason, 401);
  } catch (error) {
    if (!hasErrorCode(error, 'AUT001', 'AUT002')) throw error;
    return challenge(context, { ...reason, status: 401 });
  }
}

function rejectedView(context: PageContext): Promise<View> {
  return challenge(context, { text: context.translate('signIn.supplierRefused'), href: '#supplier', status: 401 });
}
