import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Cookies of one request and its response, by their names without prefix. Reads return what was written before. */
export interface Cookies<Name extends string> {
  read(name: Name): string | undefined;
  write(name: Name, value: string): void;
  delete(...names: readonly Name[]): void;
}

/**
 * Names and lifetimes of the cookies of a service. Browsers share cookies among the ports of a host, so that each
 * service has its own prefix.
 */
export interface CookieSettings<Name extends string> {
  readonly prefix: string;
  /** Seconds until each cookie expires; undefined for a session cookie. */
  readonly lifetimes: Readonly<Record<Name, number | undefined>>;
}

/**
 * Returns the cookies of a request. Browsers send them to this host only, over TLS only, never to scripts, and with
 * requests from other sites only on navigation. In production the prefix `__Host-` prevents other hosts of the domain
 * from setting them.
 */
export function cookiesOf<Name extends string>(
  { prefix, lifetimes }: CookieSettings<Name>,
  request: FastifyRequest,
  reply: FastifyReply,
  production: boolean,
): Cookies<Name> {
  const fullName = (name: Name) => `${production ? '__Host-' : ''}${prefix}-${name}`;
  // undefined if the request could not be parsed
  const received: Readonly<Record<string, string | undefined>> = request.cookies ?? {};
  const written = new Map<Name, string | undefined>();
  const set = (name: Name, value: string, maxAge: number | undefined) => {
    reply.setCookie(fullName(name), value, { ...ATTRIBUTES, ...(maxAge === undefined ? {} : { maxAge }) });
  };
  return {
    read: (name) => (written.has(name) ? written.get(name) : received[fullName(name)]),
    write(name, value) {
      written.set(name, value);
      set(name, value, lifetimes[name]);
    },
    delete(...names) {
      for (const name of names) {
        written.set(name, undefined);
        set(name, '', 0);
      }
    },
  };
}

const ATTRIBUTES: CookieSerializeOptions = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' };
