import type { SignInHint } from '../request/sign-in-hint';
import { type PageContext, portal } from '../page';
import { hasErrorCode } from '../../shared/operation-error';
import { challenge } from './challenge';
import { passkeyProof, passkeyStart } from './credential';
import { rejectedHintView } from './entry';
import { signedIn } from './signed-in';

/** Starts a passkey sign-in for the page's script. */
export const passkeyOptions = passkeyStart('/sign-in/passkey/options', '/sign-in');

/**
 * Signs in with the authenticator's response; the passkey determines the property. The entry only states where the customer came from, so
 * that it needs no identifier.
 */
export const passkeyForm = portal.postFrom('/sign-in', '/sign-in/passkey', async (context) => {
  const proof = passkeyProof(context);
  if (proof === undefined) return rejectedView(context);
  const hint = context.encryptedCookies.read<SignInHint>('entry') ?? {};
  const { ir, returnUrl } = hint;
  try {
    const { signIn } = await context.execute('SignInWithPasskey', { ...proof, entry: { ir, returnUrl } });
    return await signedIn(context, signIn.token);
  } catch (error) {
    return hasErrorCode(error, 'AUT001', 'NTF001') ? rejectedView(context) : rejectedHintView(context, hint, error);
  }
});

function rejectedView(context: PageContext) {
  return challenge(context, { text: context.translate('signIn.passkeyRefused'), href: '#passkey', status: 401 });
}
