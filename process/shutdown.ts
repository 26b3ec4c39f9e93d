import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/** Milliseconds for answers under way before connections are cut. */
const GRACE = 5_000;
/** Milliseconds after which the process ends, whatever is still open; the embedded PostgreSQL ends with it. */
const LONGEST_STOP = 9_000;
/** Milliseconds in which a signal that comes again is the same wish: npm passes on what the terminal sent to its whole group. */
const ONE_WISH = 500;
const CUT_EVERY = 50;

/** The wish of an operator that the process ends. */
export interface EndWish {
  /** Aborts at the first signal. */
  readonly wished: AbortSignal;
  /** Aborts when answers under way are no longer waited for: after five seconds, or at a second signal. */
  readonly hurry: AbortSignal;
}

/** Listens to SIGINT and SIGTERM, also while the register starts. */
export function endWish(): EndWish {
  const [wished, hurry] = [new AbortController(), new AbortController()];
  let since: number | undefined;
  const wish = () => {
    if (since === undefined) {
      since = performance.now();
      wished.abort();
      setTimeout(() => hurry.abort(), GRACE).unref();
      setTimeout(() => process.exit(1), LONGEST_STOP).unref();
    } else if (performance.now() - since > ONE_WISH) hurry.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, wish);
  return { wished: wished.signal, hurry: hurry.signal };
}

/** What a process has started, to be ended in the reverse order. */
export interface StartedParts {
  add(close: () => Promise<unknown>): void;
  /** A server takes no more connections and ends its answers, in the time that the wish leaves. */
  addServer(server: { readonly app: FastifyInstance; close(): Promise<unknown> }): void;
  /** Ends everything; a second call waits for the first. */
  close(): Promise<void>;
}

/** Nothing is started yet. Where no signal is listened to, answers under way have the same time. */
export function startedParts(logger: Logger, end: EndWish | undefined): StartedParts {
  const closers: ((hurry: AbortSignal) => Promise<unknown>)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    const hurry = end?.wished.aborted === true ? end.hurry : AbortSignal.timeout(GRACE);
    for (const close of closers.toReversed()) {
      await close(hurry).catch((error: unknown) =>
        logger.error({ kind: (error as Error).name }, 'a part did not close'),
      );
    }
  };
  return {
    add: (close) => void closers.push(close),
    addServer: ({ app, close }) => void closers.push((hurry) => closeServer(app, close, hurry)),
    close: () => (closing ??= closeAll()),
  };
}

/** Closes a server: it takes no more connections and ends its answers, until `hurry` cuts the connections that are left. */
async function closeServer(
  { server }: FastifyInstance,
  close: () => Promise<unknown>,
  hurry: AbortSignal,
): Promise<void> {
  const cutting = setInterval(() => {
    if (hurry.aborted) server.closeAllConnections();
  }, CUT_EVERY);
  try {
    await close();
  } finally {
    clearInterval(cutting);
  }
}
