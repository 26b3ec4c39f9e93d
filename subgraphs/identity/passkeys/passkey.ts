import type { Violation } from '../../../schema/register-error';
import type { NewIdentityRecord } from '../records/identity-record';
import { type ReturnUrlPolicy, returnUrlViolation } from '../reidentification/reidentification-rules';

/** Key material that verifies the assertions of a passkey, encrypted under the data key of its record. */
export interface PasskeyMaterial {
  /** The WebAuthn credential id, base64url. */
  readonly webauthnId: string;
  /** The COSE public key, base64url. */
  readonly publicKey: string;
}

/** Maximum passkeys of an Identity Record, removed ones not counted (decisions A/B, 4). */
export const MAX_PASSKEYS_OF_RECORD = 10;

/** A passkey from a registration ceremony. */
export interface NewPasskey extends PasskeyMaterial {
  /** Signature counter of the authenticator; 0 for one without counter. */
  readonly signCount: number;
  /** Flag BE: whether the passkey may be synchronised to other devices. It never changes. */
  readonly backupEligible: boolean;
  /** Flag BS: whether it is synchronised at present. */
  readonly backedUp: boolean;
  readonly transports: readonly string[] | null;
}

/** Result of a verified assertion. The database decides whether the counter is valid. */
export interface PasskeyAssertion {
  readonly signCount: number;
  readonly backedUp: boolean;
}

/** Label of a passkey in the list of an authenticator: no personal data but the last four characters of the MPxN. */
export function passkeyLabel(mpxn: string): string {
  return `Meter point …${mpxn.slice(-4)}`;
}

type PasskeyRequest = Pick<NewIdentityRecord, 'initiatePasskeyRegistration' | 'passkeyReturnUrl'>;

/**
 * Returns the violations of the return URL of a passkey registration: required if a registration is initiated, and, also an unused one,
 * registered for the Data User (VAL008).
 */
export function passkeyReturnUrlViolations(
  { initiatePasskeyRegistration, passkeyReturnUrl }: PasskeyRequest,
  policy: ReturnUrlPolicy,
): Violation[] {
  const path = ['passkeyReturnUrl'];
  if (passkeyReturnUrl === null) {
    return initiatePasskeyRegistration
      ? [{ code: 'VAL002', path, message: 'is required when a passkey registration is initiated' }]
      : [];
  }
  const violation = returnUrlViolation(passkeyReturnUrl, policy);
  return violation === undefined ? [] : [{ code: 'VAL008', path, message: violation }];
}
