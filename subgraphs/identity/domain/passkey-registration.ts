import type { Violation } from '../../../schema/register-error';
import { type WebAddressRealm, webAddressFault } from '../../server/web-address';
import type { NewIdentityRecord } from './identity-record';

type PasskeyRequest = Pick<NewIdentityRecord, 'initiatePasskeyRegistration' | 'passkeyReturnUrl'>;

/** Where the customer returns to after the ceremony: required when one is initiated, and a web address (VAL008). */
export function passkeyReturnUrlViolations(
  { initiatePasskeyRegistration, passkeyReturnUrl }: PasskeyRequest,
  realm: WebAddressRealm,
): Violation[] {
  const path = ['passkeyReturnUrl'];
  if (passkeyReturnUrl === null) {
    return initiatePasskeyRegistration
      ? [{ code: 'VAL002', path, message: 'is required when a passkey registration is initiated' }]
      : [];
  }
  const fault = webAddressFault(passkeyReturnUrl, realm);
  return fault === undefined ? [] : [{ code: 'VAL008', path, message: fault }];
}
