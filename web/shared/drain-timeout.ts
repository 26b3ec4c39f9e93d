import type { ServerResponse } from 'node:http';

/** Time in which a browser reads what was sent; after it, its connection is destroyed. */
export const DRAIN_TIMEOUT_MS = 30_000;

/** A timer that destroys the connection of a browser that does not read. */
export interface DrainTimeout {
  /** Starts the timer, unless it runs or the connection is closed. */
  start(): void;
  /** Stops the timer, as a drained write buffer and the end of the connection do. */
  stop(): void;
}

/** Returns a timer that destroys the connection of a response after `milliseconds`. It is not started yet. */
export function drainTimeout(raw: ServerResponse, milliseconds: number): DrainTimeout {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  raw.on('drain', stop);
  raw.once('close', stop);
  return {
    start() {
      if (!raw.destroyed) timer ??= setTimeout(() => raw.destroy(), milliseconds);
    },
    stop,
  };
}
