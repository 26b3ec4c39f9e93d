import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What the portal keeps in a browser, and for how many seconds; `undefined` ends with the browser. */
const LIFETIMES = {
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
} as const;

/** Name of something that the portal keeps in a browser. */
export type CookieName = keyof typeof LIFETIMES;

/** The cookies of one request and its answer. */
export interface Cookies {
  read(name: CookieName): string | undefined;
  write(name: CookieName, value: string): void;
  forget(...names: readonly CookieName[]): void;
}

/**
 * Cookies are for this host alone, unreadable for scripts, sent over TLS only and not with requests from other sites, but with the
 * navigation back from a supplier's sign-in. In production the prefix `__Host-` lets no other host of the domain set them.
 */
export function cookiesOf(request: FastifyRequest, reply: FastifyReply, production: boolean): Cookies {
  const fullName = (name: CookieName) => `${production ? '__Host-' : ''}register-${name}`;
  const kept: Readonly<Record<string, string | undefined>> = request.cookies ?? {}; // none were read of a broken request
  const written = new Map<CookieName, string | undefined>();
  const set = (name: CookieName, value: string, maxAge: number | undefined) => {
    reply.setCookie(fullName(name), value, { ...ATTRIBUTES, ...(maxAge === undefined ? {} : { maxAge }) });
  };
  return {
    read: (name) => (written.has(name) ? written.get(name) : kept[fullName(name)]),
    write(name, value) {
      written.set(name, value);
      set(name, value, LIFETIMES[name]);
    },
    forget(...names) {
      for (const name of names) {
        written.set(name, undefined);
        set(name, '', 0);
      }
    },
  };
}

const ATTRIBUTES: CookieSerializeOptions = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' };
