/**
 * Steps of a customer on the register's own pages. `confirm-link` confirms a re-identification; `confirm-proof` proves the customer's
 * identity before a passkey is added.
 */
export type CeremonyKind = 'confirm-link' | 'confirm-proof' | 'assert-passkey' | 'register-passkey';

/** Proofs of identity, one of which precedes the registration of a passkey (decisions A/B, 4). */
export type CeremonyProof = 'passkey' | 'mail';

/** WebAuthn ceremony of a challenge. */
export type ChallengeKind = 'assertion' | 'registration';

/** Initial state of a ceremony. */
export interface CeremonyStart {
  readonly kind: CeremonyKind;
  /** The customer gives one of these proofs before a passkey is registered; empty if none is required. */
  readonly proofs: readonly CeremonyProof[];
  /** Whether the record's own Data User vouches for the customer; valid only while the record has no passkey. */
  readonly vouched: boolean;
}

/** Result of a step: the return URL, or the secret with which the same browser continues. */
export interface CeremonyOutcome {
  readonly organisation: string;
  readonly returnUrl: string | null;
  readonly nextSecret: string | null;
}

/** Options of a WebAuthn ceremony for the browser. */
export interface PasskeyCeremonyOptions {
  readonly kind: ChallengeKind;
  readonly options: object;
}

/** A ceremony without proofs. */
export function ceremonyStart(kind: CeremonyKind): CeremonyStart {
  return { kind, proofs: [], vouched: false };
}

/** Returns the next WebAuthn ceremony; undefined if there is none. A required proof precedes the registration. */
export function nextPasskeyCeremony({
  kind,
  proofs,
}: Pick<CeremonyStart, 'kind' | 'proofs'>): ChallengeKind | undefined {
  if (kind === 'assert-passkey') return 'assertion';
  if (kind !== 'register-passkey') return undefined;
  if (proofs.length === 0) return 'registration';
  return proofs.includes('passkey') ? 'assertion' : undefined;
}
