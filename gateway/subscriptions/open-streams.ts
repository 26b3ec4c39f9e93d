import { type ConnectionEnd, SLOW_CLIENT_TIMEOUT_MS } from './connection-end';
import type { EventStream } from './event-stream';

/** Open streams, with the function that ends each together with its connection. */
export class OpenStreams extends Map<EventStream, (reason: ConnectionEnd) => void> {
  private isClosed = false;

  /** Adds a stream. After the close it ends at once: it started before. */
  add(stream: EventStream, end: (reason: ConnectionEnd) => void): void {
    this.set(stream, end);
    if (this.isClosed) end('closing');
  }

  /** Ends all streams. */
  close(): void {
    this.isClosed = true;
    for (const end of this.values()) end('closing');
  }
}

/** Ends the streams whose clients leave a result unread for too long. */
export function endStalled(open: OpenStreams): void {
  for (const [stream, end] of open) {
    if (stream.stalledMs() > SLOW_CLIENT_TIMEOUT_MS) end('too-slow');
  }
}
