import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RegisterRefusal } from '../../web/register-refusal';
import type { Outlet } from '../page';

/** The streams that are open, so that they can be ended with their session, or with the console. */
export interface OpenStreams {
  /** Answers a request by a stream; LIM002 when its session has as many as it may have. */
  open(request: FastifyRequest, reply: FastifyReply, sessionId: string | undefined): Outlet;
  /** Those of a session. */
  ofSession(sessionId: string): readonly Outlet[];
  endAll(): void;
}

/** What a browser that takes nothing, or a session that opens ever more, may cost. */
export interface StreamBounds {
  /** Milliseconds after which something is sent even if there is nothing to say: proxies close silent connections. */
  readonly heartbeat: number;
  /** Milliseconds after which a browser is cut off that does not take what was sent. */
  readonly cutAfter: number;
  /** Streams of one session at a time: a page that nobody sees has none. */
  readonly ofSession: number;
}

const BOUNDS: StreamBounds = { heartbeat: 15_000, cutAfter: 30_000, ofSession: 12 };

/** Milliseconds after which a browser tries again when a stream broke. */
const RETRY = 2_000;

/** A stream is the last answer on its connection, so that nobody waits for another when the console ends; proxies pass it on at once. */
const STREAM_HEADERS = { 'content-type': 'text/event-stream', connection: 'close', 'x-accel-buffering': 'no' };

/** Server-Sent Events (HTML standard, 9.2). */
export function openStreams(bounds = BOUNDS): OpenStreams {
  const open = new Map<Outlet, string | undefined>();
  const ofSession = (sessionId: string) => [...open].flatMap(([outlet, id]) => (id === sessionId ? [outlet] : []));
  return {
    ofSession,
    open({ raw: request }, reply, sessionId) {
      if (sessionId !== undefined && ofSession(sessionId).length >= bounds.ofSession)
        throw new RegisterRefusal('LIM002', RETRY / 1_000);
      const headers = { ...headersOf(reply), ...STREAM_HEADERS };
      const outlet = outletOf(request, reply.hijack().raw, headers, bounds);
      open.set(outlet, sessionId);
      outlet.gone.addEventListener('abort', () => open.delete(outlet));
      return outlet;
    },
    endAll() {
      for (const outlet of open.keys()) outlet.end();
    },
  };
}

function outletOf(
  request: IncomingMessage,
  raw: ServerResponse,
  headers: Record<string, string>,
  bounds: StreamBounds,
): Outlet {
  const gone = new AbortController();
  const isBehind = () => raw.writableNeedDrain;
  const cutUnlessTaken = deadline(raw, bounds.cutAfter);
  const write = (text: string) => {
    if (!gone.signal.aborted && !raw.write(text)) cutUnlessTaken();
  };
  raw.writeHead(200, headers);
  write(`retry: ${RETRY}\n\n`);
  const heartbeat = setInterval(() => isBehind() || write(':\n\n'), bounds.heartbeat);
  gone.signal.addEventListener('abort', () => {
    clearInterval(heartbeat);
    raw.end();
  });
  request.socket.once('close', () => gone.abort());
  raw.once('close', () => gone.abort());
  return {
    send: ({ event, data, id }) => {
      const idLine = id === undefined ? '' : `id: ${id}\n`;
      write(`event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`);
    },
    isBehind,
    gone: gone.signal,
    end: () => gone.abort(),
  };
}

/** Cuts a connection, so many milliseconds after it was asked to, unless its other end has taken everything by then. */
function deadline(raw: ServerResponse, milliseconds: number): () => void {
  let running: NodeJS.Timeout | undefined;
  const met = () => {
    clearTimeout(running);
    running = undefined;
  };
  raw.on('drain', met);
  raw.once('close', met);
  return () => {
    running ??= setTimeout(() => raw.destroy(), milliseconds);
  };
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const entries = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(entries) as Record<string, string>;
}
