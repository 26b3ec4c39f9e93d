import { type Entry, namesSomebody } from '../request/entry';
import type { Page, Visit } from '../page';
import { isRefusal } from '../../web/register-refusal';
import { challenge } from './challenge';
import { credentialOf } from './credential';
import { refusedEntry } from './entry';
import { type SignInAnswer, signedIn } from './signed-in';

interface Started {
  readonly started: { readonly secret: string; readonly options: object };
}

/** Starts a passkey sign-in for the page's script. The secret stays with this browser. */
export const passkeyOptions: Page = {
  method: 'POST',
  path: '/sign-in/passkey/options',
  place: 'portal',
  formOn: '/sign-in',
  async answer({ ask, sealed }) {
    const { started } = await ask<Started>('StartPasskeySignIn');
    sealed.write('passkey', started.secret);
    return { json: { options: started.options } };
  },
};

/** The passkey's answer; which property it opens, the passkey says. */
export const passkeyForm: Page = {
  method: 'POST',
  path: '/sign-in/passkey',
  place: 'portal',
  formOn: '/sign-in',
  async answer(visit) {
    const secret = visit.sealed.read<string>('passkey');
    const response = credentialOf(visit.form['credential']);
    visit.cookies.forget('passkey');
    if (secret === undefined || response === undefined) return refused(visit);
    const entry = visit.sealed.read<Entry>('entry') ?? {};
    try {
      const { signIn } = await visit.ask<SignInAnswer>('SignInWithPasskey', {
        secret,
        response,
        entry: namesSomebody(entry) ? entry : null,
      });
      return await signedIn(visit, signIn.token);
    } catch (error) {
      return isRefusal(error, 'AUT001', 'NTF001') ? refused(visit) : refusedEntry(visit, entry, error);
    }
  },
};

function refused(visit: Visit) {
  return challenge(visit, { text: visit.wording('signIn.passkeyRefused'), href: '#passkey', status: 401 });
}
