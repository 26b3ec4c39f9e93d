import type { ReidentificationMethod } from './reidentification-methods';

/** What starting a re-identification answers, also when it is answered again for the same idempotency key: instants are ISO texts. */
export interface StartedReidentification {
  readonly method: ReidentificationMethod;
  readonly magicLink: {
    readonly dispatchedTo: string;
    readonly expiresAt: string;
    readonly tokenRef: string;
    readonly redirectUrl: string | null;
  } | null;
  readonly passkey: {
    readonly redirectUrl: string;
    readonly tokenRef: string;
    readonly expiresAt: string;
    readonly returnUrl: string | null;
  } | null;
}

/** The same, and whether it is the answer to an earlier request. */
export type ReidentificationAnswer = StartedReidentification & { readonly replayed: boolean };
