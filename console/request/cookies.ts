import type { Cookies, KeptCookies } from '../../web/cookies';
import type { SealedCookies } from '../../web/sealed-cookies';

/** Name of something that the console keeps in a browser. */
export type CookieName = 'session' | 'form';

/** The cookies of one visit. */
export type ConsoleCookies = Cookies<CookieName>;

/** Those of them that the browser can neither read nor make. */
export type SealedConsoleCookies = SealedCookies<CookieName>;

/** Who is signed in: the token of the register never reaches the browser in clear. */
export interface Session {
  /** Made anew by each sign-in: a sign-out ends all that is open by it. */
  readonly id: string;
  readonly token: string;
  readonly accountId: string;
  readonly role: ConsoleRole;
}

/** Roles of the back office (2-decisions-a-b.md, section 2). */
export type ConsoleRole = (typeof CONSOLE_ROLES)[number];

/** Who may use the console. */
export const CONSOLE_ROLES = ['ADMIN', 'ANALYST'] as const;

/** Seconds: a bearer token lives for two hours; the register decides when it ends. */
export const SESSION_LIFETIME = 2 * 60 * 60;

/** What the console keeps in a browser, and for how many seconds. */
export const CONSOLE_COOKIES: KeptCookies<CookieName> = {
  prefix: 'console',
  lifetimes: {
    /** The session: sealed. */
    session: SESSION_LIFETIME,
    /** What the tokens of forms are bound to. */
    form: undefined,
  },
};
