import { type IncomingMessage, STATUS_CODES, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { httpResponse } from '../../requests/http-response';

/** An HTTP request to upgrade to WebSocket (RFC 6455 section 4.1). */
export interface Upgrade {
  readonly raw: IncomingMessage;
  readonly socket: Socket;
  /** Bytes that the client sent after the request headers. */
  readonly head: Buffer;
}

/**
 * Accepts WebSocket upgrades at one path. The requests pass through Fastify's routing, which determines the client
 * address as for every other request. Upgrades at other paths, or to other protocols, are handled as plain requests.
 */
export function acceptUpgrades(
  app: FastifyInstance,
  path: string,
  accept: (upgrade: Upgrade, request: FastifyRequest) => void,
): void {
  const upgrades = new WeakMap<IncomingMessage, Upgrade & { readonly response: ServerResponse }>();
  app.server.on('upgrade', (raw, socket: Socket, head) => {
    socket.on('error', () => socket.destroy());
    if (raw.headers.upgrade?.toLowerCase() !== 'websocket') return handleWithoutUpgrade(app, raw, socket, head);
    const response = new ServerResponse(raw);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    upgrades.set(raw, { raw, socket, head, response });
    app.routing(raw, response);
  });
  app.addHook('onRequest', (request, reply, next) => {
    const upgrade = upgrades.get(request.raw);
    if (!upgrade || request.url.split('?')[0] !== path) return next();
    reply.hijack();
    upgrade.response.detachSocket(upgrade.socket);
    accept(upgrade, request);
  });
}

/** Rejects an upgrade like any other request. */
export function rejectUpgrade({ socket }: Upgrade, error: unknown, transactionId: string): void {
  const { status, headers, body } = httpResponse(undefined, { errors: [error] }, transactionId, true);
  const fields = {
    ...headers,
    'transaction-id': transactionId,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.once('finish', () => socket.destroy());
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}

const UPGRADE_HEADERS = /^(connection|upgrade|http2-settings)$/i;

/**
 * Hands the connection back to the HTTP server without the upgrade headers: some clients offer HTTP/2 in every first
 * request.
 */
function handleWithoutUpgrade(app: FastifyInstance, raw: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${raw.method} ${raw.url} HTTP/1.1`];
  for (let at = 0; at < raw.rawHeaders.length; at += 2) {
    const name = String(raw.rawHeaders[at]);
    if (!UPGRADE_HEADERS.test(name)) lines.push(`${name}: ${raw.rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  app.server.emit('connection', socket);
}
