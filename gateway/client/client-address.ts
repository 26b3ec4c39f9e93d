import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/**
 * Proxies whose `X-Forwarded-For` is trusted: none (`false`), all (`true`), the nearest n, or the listed addresses and
 * networks.
 */
export type TrustedProxies = boolean | number | string[];

/** The Fastify option `trustProxy`, shared by all web servers so that they derive the same client address. */
export function proxyTrust(trusted: TrustedProxies): boolean | string[] | ((address: string, hop: number) => boolean) {
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : trusted;
}

/** Returns the client address that the trusted proxies report, or the socket's address if they report no IP address. */
export function clientAddress({ ip, socket }: FastifyRequest): string {
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
}

/** Logs of processes that have warned. */
const warned = new WeakSet<Logger>();

/**
 * Warns once in a process if `X-Forwarded-For` arrives although no proxy is trusted: all clients of the proxy then have its
 * address, and share the limits of one client. Hooks apply only to routes that are added after them.
 */
export function warnOfUntrustedProxy(app: FastifyInstance, trusted: TrustedProxies, logger: Logger): void {
  if (trusted !== false) return;
  app.addHook('onRequest', ({ headers }, _reply, next) => {
    if (headers['x-forwarded-for'] !== undefined && !warned.has(logger)) {
      warned.add(logger);
      logger.warn('X-Forwarded-For ignored: TRUST_PROXY is false, so all clients of a proxy share the limits of one');
    }
    next();
  });
}
