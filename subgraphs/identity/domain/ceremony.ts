/**
 * What a customer does on the register's own pages. `confirm-link` confirms a re-identification, `confirm-proof` proves who somebody
 * is before a passkey is added.
 */
export type CeremonyKind = 'confirm-link' | 'confirm-proof' | 'assert-passkey' | 'register-passkey';

/** What can be given first, one of them, before a passkey is added (2-decisions-a-b.md, section 4). */
export type CeremonyProof = 'passkey' | 'mail';

/** Which of the two WebAuthn ceremonies a challenge is for. */
export type ChallengeKind = 'assertion' | 'registration';

/** How a ceremony begins. */
export interface CeremonyStart {
  readonly kind: CeremonyKind;
  /** Proofs of which one is due before anything else; empty when none is. */
  readonly proofs: readonly CeremonyProof[];
  /** Whether the record's own Data User vouches for the customer: good only while the record has no passkey. */
  readonly vouched: boolean;
}

/** What a step came to: the way back, or the secret with which the same browser goes on. */
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

/** A ceremony without a proof to be given. */
export function ceremonyStart(kind: CeremonyKind): CeremonyStart {
  return { kind, proofs: [], vouched: false };
}

/** The WebAuthn ceremony that is next, undefined when there is none: a proof, if one is due, comes before the registration. */
export function nextPasskeyCeremony({
  kind,
  proofs,
}: Pick<CeremonyStart, 'kind' | 'proofs'>): ChallengeKind | undefined {
  if (kind === 'assert-passkey') return 'assertion';
  if (kind !== 'register-passkey') return undefined;
  if (proofs.length === 0) return 'registration';
  return proofs.includes('passkey') ? 'assertion' : undefined;
}
