import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The cookies of one request and its answer, by what a service calls them. */
export interface Cookies<Name extends string> {
  read(name: Name): string | undefined;
  write(name: Name, value: string): void;
  forget(...names: readonly Name[]): void;
}

/** What a service keeps in a browser. Services on other ports of one host share its cookies: each has a prefix of its own. */
export interface KeptCookies<Name extends string> {
  readonly prefix: string;
  /** For how many seconds each is kept; `undefined` ends with the browser. */
  readonly lifetimes: Readonly<Record<Name, number | undefined>>;
}

/**
 * Cookies are for this host alone, unreadable for scripts, sent over TLS only and not with requests from other sites, but with
 * navigation from there. In production the prefix `__Host-` lets no other host of the domain set them.
 */
export function cookiesOf<Name extends string>(
  { prefix, lifetimes }: KeptCookies<Name>,
  request: FastifyRequest,
  reply: FastifyReply,
  production: boolean,
): Cookies<Name> {
  const fullName = (name: Name) => `${production ? '__Host-' : ''}${prefix}-${name}`;
  const kept: Readonly<Record<string, string | undefined>> = request.cookies ?? {}; // none were read of a broken request
  const written = new Map<Name, string | undefined>();
  const set = (name: Name, value: string, maxAge: number | undefined) => {
    reply.setCookie(fullName(name), value, { ...ATTRIBUTES, ...(maxAge === undefined ? {} : { maxAge }) });
  };
  return {
    read: (name) => (written.has(name) ? written.get(name) : kept[fullName(name)]),
    write(name, value) {
      written.set(name, value);
      set(name, value, lifetimes[name]);
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
