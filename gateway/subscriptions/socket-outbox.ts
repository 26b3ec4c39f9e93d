import type { WebSocket } from 'ws';

/** What is to be sent over a WebSocket. */
export interface Outbox {
  /** Resolves when the text has left this process, or the socket is closed: so slow clients hold up themselves. */
  send(text: string): Promise<void>;
  /** Milliseconds since something went out last, while more waits; 0 when nothing does. */
  stalledFor(): number;
}

/** Bytes that may wait for a client: several of the largest answers. */
const UNREAD_LIMIT = 4 * 1024 * 1024;

/** The outbox of a socket. `overflowed` is called when more is to be sent although too much waits already: that is not sent. */
export function socketOutbox(socket: WebSocket, overflowed: () => void): Outbox {
  let waiting = 0;
  let since = 0;
  return {
    send(text) {
      if (socket.readyState !== socket.OPEN) return Promise.resolve();
      if (socket.bufferedAmount > UNREAD_LIMIT) {
        overflowed();
        return Promise.resolve();
      }
      if (waiting === 0) since = performance.now();
      waiting += 1;
      return new Promise((resolve, reject) => {
        socket.send(text, (error) => {
          waiting -= 1;
          since = performance.now();
          if (error && socket.readyState === socket.OPEN) reject(error);
          else resolve();
        });
      });
    },
    stalledFor: () => (waiting === 0 ? 0 : performance.now() - since),
  };
}
