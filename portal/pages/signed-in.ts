import type { Answer, Visit } from '../page';

/**
 * The browser gets its new session, with a new cookie for forms; a session that it had ends. Nobody can have known the new one
 * before: it was made by the proof.
 */
export async function signedIn({ cookies, askAsCustomer }: Visit, token: string): Promise<Answer> {
  if (cookies.read('session') !== undefined) await askAsCustomer('EndCustomerSession').catch(() => undefined); // it may have ended
  cookies.write('session', token);
  cookies.forget('form', 'entry', 'passkey', 'supplier');
  return { seeOther: '/access' };
}

/** The answer of the register to a proof. */
export interface SignInAnswer {
  readonly signIn: { readonly token: string };
}
