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

/** This register has no passkey ceremony yet, so none can be initiated: better refused than silently not done. */
export function passkeyInitiationViolations({ initiatePasskeyRegistration }: PasskeyRequest): Violation[] {
  if (!initiatePasskeyRegistration) return [];
  return [
    {
      code: 'VAL003',
      path: ['initiatePasskeyRegistration'],
      message: 'must be false: passkeys cannot be registered yet',
    },
  ];
}
