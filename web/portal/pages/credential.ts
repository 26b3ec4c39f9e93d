import { type Page, type PageContext, portal } from '../page';

/**
 * Returns a page that starts the use of a passkey, for the script of another page. The secret of the challenge stays in
 * a cookie of this browser.
 */
export function passkeyStart(path: string, formPage: string): Page {
  return portal.postFrom(formPage, path, async ({ execute, encryptedCookies }) => {
    const { started } = await execute('StartPasskeySignIn');
    encryptedCookies.write('passkey', started.secret);
    return { json: { options: started.options } };
  });
}

/**
 * Returns the proof of a passkey: the secret of a challenge issued to this browser, and the authenticator's response to it. Undefined if one
 * is missing. The cookie stays after a rejected response, which may belong to an attempt of another tab.
 */
export function passkeyProof({ encryptedCookies, form }: PageContext) {
  const secret = encryptedCookies.read<string>('passkey');
  const response = credentialOf(form['credential']);
  return secret === undefined || response === undefined ? undefined : { secret, response };
}

/**
 * Parses the authenticator's response, which the page's script writes into a field as JSON; undefined if it is no JSON
 * object.
 */
export function credentialOf(field: string | undefined): object | undefined {
  try {
    const credential: unknown = JSON.parse(field ?? '');
    return typeof credential === 'object' && credential !== null && !Array.isArray(credential) ? credential : undefined;
  } catch {
    return undefined;
  }
}
