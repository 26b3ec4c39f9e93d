import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Whose `X-Forwarded-For` is believed: nobody's, everybody's, that of so many proxies, or of those addresses and networks. */
export type TrustedProxies = boolean | number | string[];

/** The option `trustProxy` of every web server: gateway, adapter and pages see the same address. */
export function proxyTrust(trusted: TrustedProxies): boolean | string[] | ((address: string, hop: number) => boolean) {
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : trusted;
}

/** The address that the trusted proxies vouch for; whatever is none is the socket's. */
export function clientAddress({ ip, socket }: FastifyRequest): string {
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
}
