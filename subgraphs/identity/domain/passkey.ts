/** What is kept of a passkey so that its assertions can be verified; it lies sealed under the data key of its record. */
export interface PasskeyMaterial {
  /** The WebAuthn credential id, base64url. */
  readonly webauthnId: string;
  /** The COSE public key, base64url. */
  readonly publicKey: string;
}

/** A passkey as a registration ceremony gave it. */
export interface NewPasskey extends PasskeyMaterial {
  /** Signature counter of the authenticator; 0 for one that does not count. */
  readonly signCount: number;
  /** Flag BE: whether the passkey may be synchronised to other devices. It never changes. */
  readonly backupEligible: boolean;
  /** Flag BS: whether it is at present. */
  readonly backedUp: boolean;
  readonly transports: readonly string[] | null;
}

/** What a verified assertion says; whether the counter has gone forward is for the database to decide. */
export interface PasskeyAssertion {
  readonly signCount: number;
  readonly backedUp: boolean;
}

/**
 * How a passkey is named to its owner in the list of an authenticator: no personal data but the last four characters of the meter
 * point number.
 */
export function passkeyLabel(mpxn: string): string {
  return `Meter point …${mpxn.slice(-4)}`;
}
