import type { Violation } from '../../../schema/register-error';
import { type WebAddressRealm, webAddressFault } from '../../server/web-address';
import type { ReidentificationMethod } from './reidentification-methods';
import { textViolations } from './text';

const LONGEST_STATE = 255;

/** What is asked for when a re-identification is started. */
export interface ReidentificationRequest {
  readonly method: ReidentificationMethod;
  /** Where a confirmed magic link leads; null for the register's own page. */
  readonly redirectUrl: string | null;
  /** Where a passkey ceremony leads; null for the register's own page. */
  readonly passkeyReturnUrl: string | null;
  /** What the return URL carries back as `state=`. */
  readonly state: string | null;
}

/** The address to which the customer returns by the method asked for; that of the other method is ignored. */
export function returnUrlOf({ method, redirectUrl, passkeyReturnUrl }: ReidentificationRequest): string | null {
  return method === 'magic-link' ? redirectUrl : passkeyReturnUrl;
}

/** Both return URLs may be absent; each that is given must be a web address, also the one that the method ignores. `state` is bounded. */
export function reidentificationViolations(request: ReidentificationRequest, realm: WebAddressRealm): Violation[] {
  const { redirectUrl, passkeyReturnUrl, state } = request;
  return [
    ...webAddressViolations('redirectUrl', redirectUrl, realm),
    ...webAddressViolations('passkeyReturnUrl', passkeyReturnUrl, realm),
    ...returnStateViolations(state),
  ];
}

/** The return URLs of a request that are not registered for its Data User, one violation for each. */
export function unregisteredReturnUrls(
  { redirectUrl, passkeyReturnUrl }: ReidentificationRequest,
  registered: readonly string[],
): Violation[] {
  return [
    ...unregisteredReturnUrl(['redirectUrl'], redirectUrl, registered),
    ...unregisteredReturnUrl(['passkeyReturnUrl'], passkeyReturnUrl, registered),
  ];
}

/** Return URLs must equal one registered for the Data User (2-decisions-a-b.md, section 4; VAL008). */
export function unregisteredReturnUrl(
  path: Violation['path'],
  returnUrl: string | null,
  registered: readonly string[],
): Violation[] {
  if (returnUrl === null || registered.includes(returnUrl)) return [];
  return [{ code: 'VAL008', path, message: 'is not a return URL registered for the account' }];
}

/** The limit of the `state` of a return URL. */
export function returnStateViolations(state: string | null): Violation[] {
  return textViolations(['state'], state, { longest: LONGEST_STATE });
}

function webAddressViolations(field: string, value: string | null, realm: WebAddressRealm): Violation[] {
  const fault = value === null ? undefined : webAddressFault(value, realm);
  return fault === undefined ? [] : [{ code: 'VAL008', path: [field], message: fault }];
}
