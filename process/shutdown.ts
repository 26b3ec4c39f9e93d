import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { GRACE_PERIOD_MS, graceful } from '../subgraphs/server/graceful-stop';

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
  /** Aborts when work under way must no longer be waited for: 5 s after the first signal, or at a second signal. */
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

/** Closes a component, which ends its work under way unless `forced` aborts before. */
type Close = (forced: AbortSignal) => Promise<unknown>;

/** A subgraph. `endWork` takes no more jobs and deliveries, and ends those under way, while requests are still executed. */
interface ClosingSubgraph {
  readonly endWork?: Close;
  readonly close: Close;
}

/**
 * The running components of a process. First its servers close at the same time, while all subgraphs end their work; then all subgraphs
 * close at the same time, then the rest in reverse order of their start.
 */
export interface StartedServices {
  add(close: Close): void;
  addSubgraph(subgraph: ClosingSubgraph): void;
  /** Adds a server. On close it accepts no new connections and finishes open responses until the shutdown is forced. */
  addServer(server: { readonly app: FastifyInstance; readonly close: Close }): void;
  /** Closes all components; a second call returns the promise of the first. */
  close(): Promise<void>;
}

/**
 * Returns an empty list of components. If `close` is called without a signal, because a start step failed, it forces
 * open connections after the same 5 s.
 */
export function startedServices(logger: Logger, shutdown: ShutdownSignal): StartedServices {
  const [servers, others]: [Close[], Close[]] = [[], []];
  const subgraphs: ClosingSubgraph[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    const forced = shutdown.requested.aborted ? shutdown.forced : graceful();
    const logged = (close: Close) =>
      close(forced).catch((error: unknown) =>
        logger.error({ kind: (error as Error).name }, 'a component did not close'),
      );
    const endingWork = subgraphs.map((subgraph) => logged(async () => subgraph.endWork?.(forced)));
    // Each server has the whole grace period: a client that reads slowly from one must not take it from the others. The console, which
    // started last, closes first: it ends its streams before the gateway ends their subscriptions.
    await Promise.all([...endingWork, ...servers.toReversed().map(logged)]);
    await Promise.all(subgraphs.map(({ close }) => logged(close)));
    for (const close of others.toReversed()) await logged(close);
  };
  return {
    add: (close) => void others.push(close),
    addSubgraph: (subgraph) => void subgraphs.push(subgraph),
    addServer: ({ app, close }) => void servers.push((forced) => closeServer(app, close, forced)),
    close: () => (closing ??= closeAll()),
  };
}

/** Closes a server gracefully; once `forced` aborts, destroys its open connections every 50 ms until it has closed. */
async function closeServer({ server }: FastifyInstance, close: Close, forced: AbortSignal): Promise<void> {
  const destroying = setInterval(() => {
    if (forced.aborted) server.closeAllConnections();
  }, DESTROY_INTERVAL_MS);
  try {
    await close(forced);
  } finally {
    clearInterval(destroying);
  }
}
