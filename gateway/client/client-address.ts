import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

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
