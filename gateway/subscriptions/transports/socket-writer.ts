import type { WebSocket } from 'ws';

/** Sends texts over a WebSocket. */
export interface SocketWriter {
  /** Resolves when the text has left this process or the socket is closed, so that a slow client delays only itself. */
  send(text: string | Uint8Array): Promise<void>;
  /** Milliseconds since data was last sent while more is waiting; 0 when nothing is waiting. */
  stalledMs(): number;
}

/** Maximum number of unsent bytes per client: several responses of the largest size. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** Creates the writer of a socket. Above the maximum of unsent bytes, calls `onOverflow` instead of sending. */
export function socketWriter(socket: WebSocket, onOverflow: () => void): SocketWriter {
  let waiting = 0;
  let lastSentAt = 0;
  return {
    send(text) {
      if (socket.readyState !== socket.OPEN) return Promise.resolve();
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) {
        onOverflow();
        return Promise.resolve();
      }
      if (waiting === 0) lastSentAt = performance.now();
      waiting += 1;
      return new Promise((resolve, reject) => {
        socket.send(text, { binary: false }, (error) => {
          waiting -= 1;
          lastSentAt = performance.now();
          if (error && socket.readyState === socket.OPEN) reject(error);
          else resolve();
        });
      });
    },
    stalledMs: () => (waiting === 0 ? 0 : performance.now() - lastSentAt),
  };
}
