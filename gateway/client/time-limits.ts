import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A client must send its whole request within this time; uploads of Interface C have their own limit. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Interval at which Node closes connections whose request is late; by default 30 seconds. */
const CONNECTION_CHECK_INTERVAL_MS = 2_000;
/** A client must read something within this time while a response waits for it. */
export const UNREAD_TIMEOUT_MS = 30_000;

/** Options of Fastify that limit the time of a request. Node exchanges both times if that of the headers is longer, by default 60 seconds. */
export const requestTimeouts = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: CONNECTION_CHECK_INTERVAL_MS },
};

/**
 * Closes each connection whose client reads nothing of a response, which the process would keep without limit. Whatever is sent starts the
 * time again: Node emits the timeout of a socket only if nothing was, which takes up to twice the time. A connection without unsent bytes
 * remains open, because its response is not ready. A timeout that is not that of the server is the one of an idle connection, after a response.
 */
export function closeUnreadConnections({ server }: Pick<FastifyInstance, 'server'>): void {
  server.setTimeout(UNREAD_TIMEOUT_MS, (socket: Socket) => {
    if (socket.writableLength > 0 || socket.timeout !== server.timeout) socket.destroy();
  });
}
