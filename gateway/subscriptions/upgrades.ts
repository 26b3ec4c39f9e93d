import { type IncomingMessage, STATUS_CODES, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerOf } from '../http-answer';

/** A request that wants to become a WebSocket. */
export interface Upgrade {
  readonly raw: IncomingMessage;
  readonly socket: Socket;
  /** What the client sent after the head of the request. */
  readonly head: Buffer;
}

/**
 * Takes requests that want to become WebSockets at one path through the server's own steps, so that the client's address is found as
 * for every other request. Elsewhere they are answered like requests without that wish, and so is a wish for another protocol.
 */
export function acceptUpgrades(
  app: FastifyInstance,
  path: string,
  accept: (upgrade: Upgrade, request: FastifyRequest) => void,
): void {
  const upgrades = new WeakMap<IncomingMessage, Upgrade & { readonly response: ServerResponse }>();
  app.server.on('upgrade', (raw, socket: Socket, head) => {
    socket.on('error', () => socket.destroy());
    if (raw.headers.upgrade?.toLowerCase() !== 'websocket') return withoutUpgrade(app, raw, socket, head);
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

/** Refuses an upgrade as every other request is refused. */
export function refuseUpgrade({ socket }: Upgrade, error: unknown, transactionId: string): void {
  const { status, headers, body } = answerOf(undefined, { errors: [error] }, transactionId, true);
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

const OF_THE_UPGRADE = /^(connection|upgrade|http2-settings)$/i;

/** Gives the connection back to the server as if the client had not asked: some ask for HTTP/2 with every first request. */
function withoutUpgrade(app: FastifyInstance, raw: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${raw.method} ${raw.url} HTTP/1.1`];
  for (let at = 0; at < raw.rawHeaders.length; at += 2) {
    const name = String(raw.rawHeaders[at]);
    if (!OF_THE_UPGRADE.test(name)) lines.push(`${name}: ${raw.rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  app.server.emit('connection', socket);
}
