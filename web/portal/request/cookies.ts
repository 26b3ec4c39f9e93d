import type { CookieSettings } from '../../shared/cookies';

/** Name of a cookie of the portal. */
export type CookieName =
  'session' | 'entry' | 'form' | 'passkey' | 'supplier' | 'withdrawn' | 'ceremony' | 'proof' | 'link' | 'language';

/** Content of the cookie `supplier`. */
export interface StartedSupplierSignIn {
  readonly secret: string;
  /** Whether a signed-in customer started it on the page of contacts, to confirm or reject contacts. */
  readonly isProof: boolean;
}

/** Content of the cookie `proof`. */
export interface MailedProof {
  /** The secret of the redirect on whose page the customer requested the link. */
  readonly secret: string;
  readonly organisation: string;
}

/** The cookies of the portal and their lifetimes in seconds. */
export const PORTAL_COOKIES: CookieSettings<CookieName> = {
  prefix: 'register',
  lifetimes: {
    /** The customer token. The register decides when the session ends, after 8 hours at the latest. */
    session: 8 * 60 * 60,
    /** The sign-in hint; encrypted. */
    entry: 30 * 60,
    /** The random value to which form tokens are bound. */
    form: undefined,
    /** The secret of a passkey sign-in in progress; encrypted. */
    passkey: 10 * 60,
    /** The supplier sign-in in progress, as long as the register stores it; encrypted. */
    supplier: 10 * 60,
    /** Present after this session withdrew a consent of the organisation that sent the customer: the return link reports it. */
    withdrawn: 8 * 60 * 60,
    /** The outcome of a completed ceremony, for its last page; encrypted. */
    ceremony: 10 * 60,
    /** The request for a mailed proof, as long as its link is valid, which is longer than the redirect; encrypted. */
    proof: 10 * 60,
    /** A digest of the session and the mailed link that started it, as long as the link is valid: its button may be pressed twice. */
    link: 10 * 60,
    language: 365 * 24 * 60 * 60,
  },
};
