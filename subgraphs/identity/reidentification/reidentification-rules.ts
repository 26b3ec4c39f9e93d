import type { Violation } from '../../../schema/register-error';
import { type WebUrlPolicy, webAddressViolation } from '../../server/web-address';
import type { ReidentificationMethod } from './reidentification';
import { textViolations } from '../records/personal-data-rules';

const MAX_STATE_LENGTH = 255;

/** Request of a re-identification. */
export interface ReidentificationRequest {
  readonly method: ReidentificationMethod;
  /** Return URL of a magic link; null for the register's own page. */
  readonly redirectUrl: string | null;
  /** Return URL of a passkey ceremony; null for the register's own page. */
  readonly passkeyReturnUrl: string | null;
  /** Value of the query parameter `state` of the return URL. */
  readonly state: string | null;
}

/** Returns the return URL of the requested method; that of the other method is ignored. */
export function returnUrlOf({ method, redirectUrl, passkeyReturnUrl }: ReidentificationRequest): string | null {
  return method === 'magic-link' ? redirectUrl : passkeyReturnUrl;
}

/**
 * Returns the violations of a request: both return URLs are optional web addresses, also the ignored one, and `state` has a maximum length.
 */
export function reidentificationViolations(request: ReidentificationRequest, policy: WebUrlPolicy): Violation[] {
  const { redirectUrl, passkeyReturnUrl, state } = request;
  return [
    ...webAddressViolations('redirectUrl', redirectUrl, policy),
    ...webAddressViolations('passkeyReturnUrl', passkeyReturnUrl, policy),
    ...returnStateViolations(state),
  ];
}

/** Returns one violation for each return URL that is not registered for the Data User. */
export function unregisteredReturnUrls(
  { redirectUrl, passkeyReturnUrl }: ReidentificationRequest,
  registered: readonly string[],
): Violation[] {
  return [
    ...unregisteredReturnUrl(['redirectUrl'], redirectUrl, registered),
    ...unregisteredReturnUrl(['passkeyReturnUrl'], passkeyReturnUrl, registered),
  ];
}

/** A return URL must equal one registered for the Data User (decisions A/B, 4; VAL008). */
export function unregisteredReturnUrl(
  path: Violation['path'],
  returnUrl: string | null,
  registered: readonly string[],
): Violation[] {
  if (returnUrl === null || registered.includes(returnUrl)) return [];
  return [{ code: 'VAL008', path, message: 'is not a return URL registered for the account' }];
}

/** Returns the violations of the `state` of a return URL. */
export function returnStateViolations(state: string | null): Violation[] {
  return textViolations(['state'], state, { max: MAX_STATE_LENGTH });
}

function webAddressViolations(field: string, value: string | null, policy: WebUrlPolicy): Violation[] {
  const violation = value === null ? undefined : webAddressViolation(value, policy);
  return violation === undefined ? [] : [{ code: 'VAL008', path: [field], message: violation }];
}
