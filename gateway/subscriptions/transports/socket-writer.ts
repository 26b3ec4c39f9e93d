import type { WebSocket } from 'ws';

/** Sends texts over a WebSocket. */
export interface SocketWriter {
  /** Resolves when the text has left this process or the socket is closed, so that a slow client delays only itself. */
  send(text: string | Uint8Array): Promise<void>;
  /** Sends a short text before those that wait. */
  sendFirst(text: string): Promise<void>;
  /** Hands the texts that wait to the socket, so that a close frame follows them. */
  flush(): void;
  /** Drops the texts that wait, because the client does not read. */
  drop(): void;
  /** Milliseconds since data was last sent while more is waiting; 0 when nothing is waiting. */
  stalledMs(): number;
}

/** Unsent bytes of all clients of a server. */
export interface UnsentBytes {
  ofAll: number;
}

/** Unsent bytes that each client may have, whatever the others do: several responses of the largest size. */
const MAX_UNSENT_BYTES_OF_CLIENT = 4 * 1024 * 1024;
/**
 * Above this number of unsent bytes of all clients, those with more than their own maximum are ended. A client that reads at
 * full speed may exceed its maximum for a moment, when many of its operations end at once.
 */
const MAX_UNSENT_BYTES_OF_ALL = 64 * 1024 * 1024;
/** Bytes that a socket buffers before further texts wait. It counts a text until the system has taken all of it. */
const MAX_BUFFERED_BYTES = 256 * 1024;

/** Creates the writer of a socket. Instead of a text that exceeds both maxima of unsent bytes, calls `onOverflow`. */
export function socketWriter(socket: WebSocket, unsentBytes: UnsentBytes, onOverflow: () => void): SocketWriter {
  return new Writer(socket, unsentBytes, onOverflow);
}

interface UnsentText {
  readonly text: string | Uint8Array;
  readonly bytes: number;
  resolve(): void;
  reject(error: Error): void;
}

class Writer implements SocketWriter {
  private readonly waiting: UnsentText[] = [];
  /** Number of texts that the socket buffers. */
  private buffered = 0;
  /** Bytes that wait or that the socket buffers. */
  private bytes = 0;
  private lastSentAt = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly unsentBytes: UnsentBytes,
    private readonly onOverflow: () => void,
  ) {}

  send(text: string | Uint8Array): Promise<void> {
    if (this.bytes > MAX_UNSENT_BYTES_OF_CLIENT && this.unsentBytes.ofAll > MAX_UNSENT_BYTES_OF_ALL) {
      this.onOverflow();
      return Promise.resolve();
    }
    return this.unsent(text, (unsent) => {
      this.waiting.push(unsent);
      this.sendWaiting();
    });
  }

  sendFirst(text: string): Promise<void> {
    return this.unsent(text, (unsent) => this.write(unsent));
  }

  flush(): void {
    for (const unsent of this.waiting.splice(0)) this.write(unsent);
  }

  drop(): void {
    for (const unsent of this.waiting.splice(0)) {
      this.count(-unsent.bytes);
      unsent.resolve();
    }
  }

  stalledMs(): number {
    return this.bytes === 0 ? 0 : performance.now() - this.lastSentAt;
  }

  private unsent(text: string | Uint8Array, begin: (unsent: UnsentText) => void): Promise<void> {
    if (this.socket.readyState !== this.socket.OPEN) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (this.bytes === 0) this.lastSentAt = performance.now();
      const bytes = Buffer.byteLength(text);
      this.count(bytes);
      begin({ text, bytes, resolve, reject });
    });
  }

  private sendWaiting(): void {
    while (this.buffered === 0 || this.socket.bufferedAmount < MAX_BUFFERED_BYTES) {
      const next = this.waiting.shift();
      if (!next) return;
      this.write(next);
    }
  }

  private write({ text, bytes, resolve, reject }: UnsentText): void {
    const { socket } = this;
    this.buffered += 1;
    socket.send(text, { binary: false }, (error) => {
      this.buffered -= 1;
      this.count(-bytes);
      this.lastSentAt = performance.now();
      if (error && socket.readyState === socket.OPEN) reject(error);
      else resolve();
      this.sendWaiting();
    });
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    this.unsentBytes.ofAll += bytes;
  }
}
