import type { CookieSettings } from '../../shared/cookies';

/** Name of a cookie of the console. */
export type CookieName = 'session' | 'form' | 'page';

/** A session of the console. The browser stores it encrypted, so that it never reveals the bearer token. */
export interface Session {
  /** New for each sign-in; a sign-out, or the next sign-in, ends all streams with this id. */
  readonly id: string;
  readonly token: string;
  readonly accountId: string;
  readonly role: ConsoleRole;
}

/** Content of the cookie `page`. */
export interface RequiredPage {
  /** Path and query. */
  readonly path: string;
  /** Account of the session that had ended; absent if there was none. */
  readonly accountId?: string;
}

/** A role of the back office (decisions A/B, 2). */
export type ConsoleRole = (typeof CONSOLE_ROLES)[number];

/** Roles that may use the console. */
export const CONSOLE_ROLES = ['ADMIN', 'ANALYST'] as const;

/** Lifetime of the session cookie: that of a bearer token. The register decides when the token ends. */
export const SESSION_LIFETIME_SECONDS = 2 * 60 * 60;

/** The cookies of the console and their lifetimes in seconds. */
export const CONSOLE_COOKIES: CookieSettings<CookieName> = {
  prefix: 'console',
  lifetimes: {
    /** The session; encrypted. */
    session: SESSION_LIFETIME_SECONDS,
    /** The random value to which form tokens are bound. */
    form: undefined,
    /** The page that required the sign-in; encrypted. */
    page: 10 * 60,
  },
};
