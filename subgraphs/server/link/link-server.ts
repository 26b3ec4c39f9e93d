import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ServiceName } from '../callers/caller';
import type { LinkDocument } from './link-connection';
import { withinTrace } from '../observability/tracing';
import {
  Heartbeat,
  LINK_PATH,
  LINK_PROTOCOL,
  type LinkRequest,
  MAX_NUMBERED_DOCUMENTS,
  MAX_UNANSWERED,
  FrameBatcher,
  PING_INTERVAL_MS,
  SOCKET_OPTIONS,
  STOPPING,
  messagesOf,
} from './link-messages';

/** Executes a request of another service. Throws {@link LinkBreach} for one that the service must not send. */
export type LinkHandler = (from: ServiceName, payload: unknown, document: LinkDocument | undefined) => Promise<unknown>;

/** Thrown for a message that its sender may not send or that is malformed: ends the connection. */
export class LinkBreach extends Error {}

/** Server of links. */
export interface LinkServer {
  /** Accepts a request to upgrade, or rejects it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Announces the stop, after which a caller sends no request and closes when all have a response. Ends at `forced`. */
  close(forced: AbortSignal): Promise<void>;
}

/** Identification and execution of requests, and the log of a link server. */
interface LinkServerOptions {
  /** Returns the service at the other end of a connection if it may call this one. */
  readonly callerAt: (socket: TLSSocket) => ServiceName | undefined;
  readonly handle: LinkHandler;
  readonly logger: Logger;
}

/** Unsent bytes of a connection above which no more requests are read from it. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
const CLOSING_INTERVAL_MS = 20;
/** WebSocket close code: the caller broke a rule. */
const POLICY_VIOLATION = 1008;

/** Serves links on WebSocket upgrades of an HTTPS server. */
export function serveLinks(options: LinkServerOptions): LinkServer {
  const { callerAt, logger } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has(LINK_PROTOCOL) ? LINK_PROTOCOL : false),
    ...SOCKET_OPTIONS,
  });
  const open = new Set<ServedConnection>();
  let closing = false;
  const upgrade: LinkServer['upgrade'] = (request, socket, head) => {
    socket.on('error', () => socket.destroy()); // the HTTP server no longer listens to this socket
    if (closing) return reject(socket, '503 Service Unavailable');
    const from = callerAt(socket as TLSSocket);
    const offered = String(request.headers['sec-websocket-protocol'] ?? '').split(/, */);
    const isLink = request.url === LINK_PATH && offered.includes(LINK_PROTOCOL);
    if (from === undefined || !isLink) {
      logger.warn({ from, version: offered[0] }, 'link rejected');
      return reject(socket, from === undefined ? '403 Forbidden' : '400 Bad Request');
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      const connection = new ServedConnection(accepted, from, options);
      open.add(connection);
      accepted.on('close', () => open.delete(connection));
    });
  };
  const beating = setInterval(() => open.forEach(({ heartbeat }) => heartbeat.beat()), PING_INTERVAL_MS).unref();
  return {
    upgrade,
    async close(forced) {
      closing = true;
      clearInterval(beating);
      for (const connection of open) connection.announceStop();
      while (open.size > 0 && !forced.aborted) await new Promise((resolve) => setTimeout(resolve, CLOSING_INTERVAL_MS));
      for (const connection of open) connection.socket.terminate();
      sockets.close();
    },
  };
}

/** Rejects an upgrade. Destroys the connection once the response is sent: a client must not hold its other half open. */
function reject(socket: Duplex, status: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
}

/** A connection of another service to this one. */
class ServedConnection {
  readonly heartbeat: Heartbeat;
  private readonly frames: FrameBatcher;
  private readonly documents: LinkDocument[] = [];
  private unanswered = 0;

  constructor(
    readonly socket: WebSocket,
    private readonly from: ServiceName,
    private readonly options: LinkServerOptions,
  ) {
    this.frames = new FrameBatcher(socket, () => this.resumeReading());
    this.heartbeat = new Heartbeat(socket);
    socket.on('error', () => undefined); // `close` follows
    socket.on('message', (frame, isBinary) => this.read(isBinary ? '' : String(frame)));
  }

  announceStop(): void {
    this.socket.send(STOPPING, () => undefined);
  }

  /** Executes the requests of a frame; after a breach nothing more, although frames arrive until the caller has closed, too. */
  private read(frame: string): void {
    if (!this.isOpen()) return;
    const requests = messagesOf<LinkRequest>(frame);
    if (requests === undefined) return this.end('malformed frame');
    for (const request of requests) if (this.isOpen()) void this.respond(request);
    if (this.isOverloaded()) this.socket.pause();
  }

  private async respond([id, payload, reference, trace]: LinkRequest): Promise<void> {
    this.unanswered += 1;
    try {
      const document = this.documentOf(reference);
      const handled = () => this.options.handle(this.from, payload, document);
      const result = await (trace ? withinTrace(trace, handled) : handled());
      const bytes = this.frames.send([id, result]);
      if (bytes === undefined) return;
      this.options.logger.warn({ from: this.from, bytes }, 'response too large to be sent');
      this.frames.send([id]);
    } catch (error) {
      if (error instanceof LinkBreach) return this.end(error.message);
      const { name, code } = error as { name?: string; code?: string };
      this.options.logger.error({ from: this.from, failure: code ?? name }, 'request of a service failed');
      this.frames.send([id]);
    } finally {
      this.unanswered -= 1;
      this.resumeReading();
    }
  }

  private documentOf(reference: LinkRequest[2]): LinkDocument | undefined {
    if (reference === undefined || reference === null) return undefined;
    if (typeof reference === 'string') return { text: reference, fixed: false };
    if (typeof reference === 'number') {
      const known = this.documents[reference];
      if (known === undefined) throw new LinkBreach('unknown document');
      return known;
    }
    const [number, text] = reference;
    const isNext = number === this.documents.length && number < MAX_NUMBERED_DOCUMENTS && typeof text === 'string';
    if (!isNext) throw new LinkBreach('wrong number of a document');
    const document = { text, fixed: true };
    this.documents.push(document);
    return document;
  }

  private resumeReading(): void {
    if (this.socket.isPaused && !this.isOverloaded()) this.socket.resume();
  }

  private isOverloaded(): boolean {
    return this.unanswered >= MAX_UNANSWERED || this.socket.bufferedAmount > MAX_BUFFERED_BYTES;
  }

  private isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  private end(reason: string): void {
    if (!this.isOpen()) return;
    this.options.logger.error({ from: this.from, reason }, 'link breached');
    this.socket.close(POLICY_VIOLATION);
  }
}
