import type { Violation } from '../../../schema/register-error';
import { type WebUrlPolicy, webAddressViolation } from '../../server/web-address';
import type { ReidentificationMethod } from './reidentification';
import { textViolations } from '../../../schema/text-limits';

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

/** Return URLs that are accepted. */
export interface ReturnUrlPolicy extends WebUrlPolicy {
  /** URLs that are registered for the Data User. */
  readonly returnUrls: readonly string[];
}

/**
 * Returns the violations of a request: both return URLs are optional and, also the ignored one, registered web addresses; `state` has a
 * maximum length.
 */
export function reidentificationViolations(request: ReidentificationRequest, policy: ReturnUrlPolicy): Violation[] {
  const { redirectUrl, passkeyReturnUrl, state } = request;
  return [
    ...returnUrlViolations('redirectUrl', redirectUrl, policy),
    ...returnUrlViolations('passkeyReturnUrl', passkeyReturnUrl, policy),
    ...returnStateViolations(state),
  ];
}

/** Returns why a URL is not a web address that equals one registered for the Data User (decisions A/B, 4; VAL008). */
export function returnUrlViolation(url: string, policy: ReturnUrlPolicy): string | undefined {
  const unregistered = policy.returnUrls.includes(url) ? undefined : 'is not a return URL registered for the account';
  return webAddressViolation(url, policy) ?? unregistered;
}

/** Returns the violations of the `state` of a return URL. */
export function returnStateViolations(state: string | null): Violation[] {
  return textViolations(['state'], state, { max: MAX_STATE_LENGTH });
}

function returnUrlViolations(field: string, url: string | null, policy: ReturnUrlPolicy): Violation[] {
  const message = url === null ? undefined : returnUrlViolation(url, policy);
  return message === undefined ? [] : [{ code: 'VAL008', path: [field], message }];
}
