import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/** Time that open responses have to finish before their connections are destroyed. */
const GRACE_PERIOD_MS = 5_000;
/**
 * Time after which the process exits even if a service has not closed. The embedded PostgreSQL stops with the process.
 */
const MAX_SHUTDOWN_MS = 9_000;
/**
 * A second signal within this time counts as the first: npm forwards a signal that the terminal has already sent to the
 * whole group.
 */
const DUPLICATE_SIGNAL_MS = 500;
const DESTROY_INTERVAL_MS = 50;

/** The operator's request to shut the process down. */
export interface ShutdownSignal {
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly requested: AbortSignal;
  /** Aborts when open responses must no longer be waited for: 5 s after the first signal, or at a second signal. */
  readonly forced: AbortSignal;
}

/** Listens for SIGINT and SIGTERM, also during start-up. */
export function shutdownSignal(): ShutdownSignal {
  const [requested, forced] = [new AbortController(), new AbortController()];
  let requestedAt: number | undefined;
  const onSignal = () => {
    if (requestedAt === undefined) {
      requestedAt = performance.now();
      requested.abort();
      setTimeout(() => forced.abort(), GRACE_PERIOD_MS).unref();
      setTimeout(() => process.exit(1), MAX_SHUTDOWN_MS).unref();
    } else if (performance.now() - requestedAt > DUPLICATE_SIGNAL_MS) forced.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  return { requested: requested.signal, forced: forced.signal };
}

/** The running components of a process, closed in reverse order of their start. */
export interface StartedServices {
  add(close: () => Promise<unknown>): void;
  /** Adds a server. On close it accepts no new connections and finishes open responses until the shutdown is forced. */
  addServer(server: { readonly app: FastifyInstance; close(): Promise<unknown> }): void;
  /** Closes all components; a second call returns the promise of the first. */
  close(): Promise<void>;
}

/**
 * Returns an empty list of components. If `close` is called without a signal, because a start step failed, it forces
 * open connections after the same 5 s.
 */
export function startedServices(logger: Logger, shutdown: ShutdownSignal): StartedServices {
  const closers: ((forced: AbortSignal) => Promise<unknown>)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    const forced = shutdown.requested.aborted ? shutdown.forced : AbortSignal.timeout(GRACE_PERIOD_MS);
    for (const close of closers.toReversed()) {
      await close(forced).catch((error: unknown) =>
        logger.error({ kind: (error as Error).name }, 'a component did not close'),
      );
    }
  };
  return {
    add: (close) => void closers.push(close),
    addServer: ({ app, close }) => void closers.push((forced) => closeServer(app, close, forced)),
    close: () => (closing ??= closeAll()),
  };
}

/** Closes a server gracefully; once `forced` aborts, destroys its open connections every 50 ms until it has closed. */
async function closeServer(
  { server }: FastifyInstance,
  close: () => Promise<unknown>,
  forced: AbortSignal,
): Promise<void> {
  const destroying = setInterval(() => {
    if (forced.aborted) server.closeAllConnections();
  }, DESTROY_INTERVAL_MS);
  try {
    await close();
  } finally {
    clearInterval(destroying);
  }
}
