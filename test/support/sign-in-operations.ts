import type { CallContext } from '../../subgraphs/server/callers/caller';
import { isLinkMail, mailsNow, secretIn } from './sign-in-mails';
import type { SignInFixture } from './sign-in-fixture';
import { until } from './until';

export const REQUEST_LINK =
  'mutation ($entry: SignInEntry!, $language: Language!) { requestSignInLink(entry: $entry, language: $language) }';
export const SIGN_IN_WITH_LINK = `mutation ($secret: String!, $browser: String) {
  signInWithLink(secret: $secret, browser: $browser) { token expiresAt } }`;
export const SIGN_IN_LINK = 'query ($secret: String!) { signInLink(secret: $secret) { expiresAt } }';
export const START_PASSKEY = 'mutation { startPasskeySignIn { secret options } }';
export const SIGN_IN_WITH_PASSKEY = `mutation ($secret: String!, $response: JSONObject!, $entry: SignInEntry) {
  signInWithPasskey(secret: $secret, response: $response, entry: $entry) { token expiresAt } }`;
export const START_SUPPLIER =
  'mutation ($mpid: String!, $entry: SignInEntry!) { startSupplierSignIn(mpid: $mpid, entry: $entry) { secret url } }';
export const FINISH_SUPPLIER = `mutation ($secret: String!, $callbackUrl: String!) {
  finishSupplierSignIn(secret: $secret, callbackUrl: $callbackUrl) { token expiresAt } }`;
export const SESSION = `{ customerSession {
  mpxn address { addressLine1 addressLine2 townCity county postcode } moveInDate isCurrent signedInBy signedInAt expiresAt returnUrl } }`;
export const SCOPE = `query ($token: String!) { customerScope(token: $token) {
  sessionId identityRecordId meterPointId isCurrent isContested ownRecordIds since beganAt endedAt } }`;
export const END_SESSION = 'mutation { endCustomerSession }';

/** A new session, as the browser receives it. */
export interface NewSession {
  readonly token: string;
  readonly expiresAt: string;
}

/** Returns the context of a customer's request, as the gateway creates it. */
export function asCustomer(token: string): Partial<CallContext> {
  return { caller: { accountId: 'session', role: 'customer', duid: null, mpid: null }, bearer: token };
}

/** The context of a service's request. */
export const asService: Partial<CallContext> = { service: 'access' };

/** Requests sign-in links. */
export function requestLink(
  fixture: SignInFixture,
  entry: object,
  language = 'EN',
  context: Partial<CallContext> = {},
) {
  return fixture.execute(REQUEST_LINK, { entry, language }, context);
}

/** Requests a link, reads the mail and confirms the sign-in; `context` can name another network. */
export async function signedInByLink(
  fixture: SignInFixture,
  entry: object,
  email: string,
  context: Partial<CallContext> = {},
): Promise<NewSession> {
  const links = async () => (await mailsNow(fixture, email)).filter(isLinkMail);
  const before = (await links()).length;
  const { codes: rejected } = await requestLink(fixture, entry, 'EN', context);
  if (rejected.length > 0) throw new Error(rejected.join());
  const mails = await until(async () => ((await links()).length > before ? links() : undefined));
  const { data, codes } = await fixture.execute(SIGN_IN_WITH_LINK, { secret: secretIn(mails) }, context);
  if (codes.length > 0) throw new Error(codes.join());
  return data.signInWithLink;
}

/** Returns the scope of a token's session; null if there is none. */
export async function scopeOf(fixture: SignInFixture, token: string, replica = 0) {
  const { data, codes } = await fixture.execute(SCOPE, { token }, asService, replica);
  if (codes.length > 0) throw new Error(codes.join());
  return data.customerScope;
}
