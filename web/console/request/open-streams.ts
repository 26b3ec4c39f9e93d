import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DRAIN_TIMEOUT_MS, drainTimeout } from '../../shared/drain-timeout';
import { OperationError } from '../../shared/operation-error';
import type { EventStream } from '../page';

/** The open streams. They end with their session or with the console. */
export interface OpenStreams {
  /** Responds to a request with a stream; LIM002 if its session already has the maximum number of streams, MET001 for HEAD. */
  open(request: FastifyRequest, reply: FastifyReply, sessionId: string | undefined): EventStream;
  /** Returns the streams of a session. */
  ofSession(sessionId: string): readonly EventStream[];
  endAll(): void;
}

/** Limits the cost of browsers that do not read, and of sessions with many streams. */
export interface StreamLimits {
  /** Interval of heartbeats: proxies close silent connections, and pages replace them. */
  readonly heartbeatMs: number;
  /** Time after which a connection is destroyed whose browser does not read what was sent. */
  readonly drainTimeoutMs: number;
  /** Maximum number of concurrent streams of a session; hidden pages have no stream. */
  readonly maxPerSession: number;
}

const DEFAULT_LIMITS: StreamLimits = { heartbeatMs: 15_000, drainTimeoutMs: DRAIN_TIMEOUT_MS, maxPerSession: 12 };

/** Time after which a browser reconnects a broken stream. */
const RETRY_MS = 2_000;

/** A message, not a comment: scripts do not receive comments. */
const HEARTBEAT = 'event: heartbeat\ndata: 0\n\n';

/**
 * `connection: close`, so that no browser expects another response on the connection while the console shuts down;
 * `x-accel-buffering: no`, so that proxies forward messages at once.
 */
const STREAM_HEADERS = { 'content-type': 'text/event-stream', connection: 'close', 'x-accel-buffering': 'no' };

/** Streams of Server-Sent Events (HTML standard, section 9.2). */
export function openStreams(limits = DEFAULT_LIMITS): OpenStreams {
  const open = new Map<EventStream, string | undefined>();
  const ofSession = (sessionId: string) => [...open].flatMap(([stream, id]) => (id === sessionId ? [stream] : []));
  return {
    ofSession,
    open({ raw: request }, reply, sessionId) {
      if (request.method === 'HEAD') throw new OperationError('MET001');
      if (sessionId !== undefined && ofSession(sessionId).length >= limits.maxPerSession)
        throw new OperationError('LIM002', RETRY_MS / 1_000);
      const headers = { ...headersOf(reply), ...STREAM_HEADERS };
      const stream = streamOn(request, reply.hijack().raw, headers, limits);
      open.set(stream, sessionId);
      stream.closed.addEventListener('abort', () => open.delete(stream));
      return stream;
    },
    endAll() {
      for (const stream of open.keys()) stream.end();
    },
  };
}

function streamOn(
  request: IncomingMessage,
  raw: ServerResponse,
  headers: Record<string, string>,
  limits: StreamLimits,
): EventStream {
  const closed = new AbortController();
  const isBehind = () => raw.writableNeedDrain;
  const timeout = drainTimeout(raw, limits.drainTimeoutMs);
  const write = (text: string) => {
    if (!closed.signal.aborted && !raw.write(text)) timeout.start();
  };
  raw.writeHead(200, headers);
  write(`retry: ${RETRY_MS}\n\n`);
  const heartbeat = setInterval(() => isBehind() || write(HEARTBEAT), limits.heartbeatMs);
  closed.signal.addEventListener('abort', () => {
    clearInterval(heartbeat);
    raw.end();
  });
  request.socket.once('close', () => closed.abort());
  raw.once('close', () => closed.abort());
  return {
    send: ({ event, data, id }) => {
      const idLine = id === undefined ? '' : `id: ${id}\n`;
      write(`event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`);
    },
    isBehind,
    closed: closed.signal,
    end: () => closed.abort(),
  };
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const entries = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(entries) as Record<string, string>;
}
