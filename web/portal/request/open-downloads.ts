import type { IncomingMessage, ServerResponse } from 'node:http';
import { ReadableStream } from 'node:stream/web';
import { DRAIN_TIMEOUT_MS, type DrainTimeout, drainTimeout } from '../../shared/drain-timeout';
import { OperationError } from '../../shared/operation-error';

/** Limits the cost of browsers that do not read: an open download holds a page of access records. */
export interface DownloadLimits {
  /** Time after which a connection is destroyed whose browser does not read what was sent. */
  readonly drainTimeoutMs: number;
  /** Maximum number of concurrent downloads of a session. */
  readonly maxPerSession: number;
}

const DEFAULT_LIMITS: DownloadLimits = { drainTimeoutMs: DRAIN_TIMEOUT_MS, maxPerSession: 3 };

/** Bytes that are sent at once, so that the time limits how long a browser reads nothing, not how long it reads a large record. */
const CHUNK_BYTES = 64 * 1024;

/** The open downloads. */
export interface OpenDownloads {
  /** Returns the body of a response; LIM002 if its session already has the maximum number of downloads. */
  open(file: AsyncIterable<string>, exchange: DownloadExchange, sessionId: string): ReadableStream;
}

/** A request for a download, and its response. */
interface DownloadExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Returns the downloads of a portal. */
export function openDownloads(limits = DEFAULT_LIMITS): OpenDownloads {
  const open = new Map<ServerResponse, string>();
  const countOf = (sessionId: string) => [...open.values()].filter((id) => id === sessionId).length;
  return {
    open(file, { request: { socket }, response }, sessionId) {
      if (countOf(sessionId) >= limits.maxPerSession) {
        throw new OperationError('LIM002', limits.drainTimeoutMs / 1_000);
      }
      const close = () => {
        open.delete(response);
        socket.off('close', close);
      };
      if (!socket.destroyed) {
        open.set(response, sessionId);
        response.once('close', close);
        socket.once('close', close); // a response that waits for an earlier one of its connection does not close with it
      }
      return ReadableStream.from(chunksOf(file, drainTimeout(response, limits.drainTimeoutMs)));
    },
  };
}

/** Returns the bytes of a file. The timer runs while the browser reads a chunk, not while the register reads records. */
async function* chunksOf(file: AsyncIterable<string>, timeout: DrainTimeout): AsyncGenerator<Buffer> {
  for await (const part of file) {
    const bytes = Buffer.from(part);
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      timeout.start();
      yield bytes.subarray(at, at + CHUNK_BYTES);
      timeout.stop();
    }
  }
  timeout.start(); // until the browser has received the end
}
