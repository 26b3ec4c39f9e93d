import type { Cookies, KeptCookies } from '../../web/cookies';
import type { SealedCookies } from '../../web/sealed-cookies';

/** Name of something that the portal keeps in a browser. */
export type CookieName = 'session' | 'entry' | 'form' | 'passkey' | 'supplier' | 'ceremony' | 'language';

/** The cookies of one visit. */
export type PortalCookies = Cookies<CookieName>;

/** Those of them that the browser can neither read nor make. */
export type SealedPortalCookies = SealedCookies<CookieName>;

/** What the portal keeps in a browser, and for how many seconds. */
export const PORTAL_COOKIES: KeptCookies<CookieName> = {
  prefix: 'register',
  lifetimes: {
    /** The customer token. The register decides when it ends; 8 hours is the longest. */
    session: 8 * 60 * 60,
    /** How the customer came: sealed. */
    entry: 30 * 60,
    /** What the tokens of forms are bound to. */
    form: undefined,
    /** The secret of a passkey sign-in that was started: sealed. */
    passkey: 10 * 60,
    /** The secret of a supplier sign-in that was started: sealed. */
    supplier: 15 * 60,
    /** For whom a ceremony was finished: sealed. */
    ceremony: 10 * 60,
    language: 365 * 24 * 60 * 60,
  },
};
