import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { openPool, writingSession } from '../server/database/database';
import type { DatabaseAddress } from '../server/database/database-login';
import { endsBefore, graceful } from '../server/graceful-stop';
import { repeat } from '../server/jobs/repeat';
import { purgePeriodically } from '../server/retention';
import { type Attempt, attempts } from './attempt';
import { clockSetBack } from './clock-set-back.repository';
import { countPending, deleteExpired, resultTable } from './deliveries.repository';
import type { DeliverySource } from './delivery';
import { deliveryMetrics } from './delivery-metrics';
import { Dispatcher } from './dispatcher';
import { endpointTable } from './endpoints.repository';
import { type FanOut, fanOut } from './fan-out.repository';
import { type LaneClass, laneLimits } from './limits';
import type { RetrySchedule } from './schedule';
import type { Sender } from './requests/sender';
import { deliveryWorker, takeOver } from './worker.repository';

/** Dependencies of the engine. */
export interface DeliveryDependencies {
  /** Login and schema of the subgraph. */
  readonly address: DatabaseAddress;
  /** First statement of every session; for a subgraph whose fan-out writes events. */
  readonly atConnect?: string | undefined;
  readonly source: DeliverySource;
  readonly schedule: RetrySchedule;
  readonly sender: Sender;
  readonly logger: Logger;
  readonly metrics?: Registry | undefined;
  /** Prefix of the names of the metrics; empty by default. */
  readonly metricPrefix?: string | undefined;
  /** Maximum running lanes of this process; `MAX_LANES` by default. */
  readonly maxLanes?: Readonly<Record<LaneClass, number>> | undefined;
}

/** The running engine. */
export interface Deliveries {
  /** Starts no more attempts; resolves when the running ones are recorded, or when `forced` aborts. A second call returns the first promise. */
  stop(forced?: AbortSignal): Promise<void>;
}

const POOL_SIZE = 6;
const RETENTION_INTERVAL_SECONDS = 600;
const CLOCK_INTERVAL_SECONDS = 10;

/**
 * Statements find few rows of large tables by key. Most are planned once per connection, perhaps while the tables are
 * empty: the options keep that plan from scanning them.
 */
const PLAN_OPTIONS = [
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
  'plan_cache_mode=force_generic_plan',
].map((option) => `-c ${option}`);

/** Opens the connections of the engine. */
export const deliveryPool = ({ address, atConnect }: Pick<DeliveryDependencies, 'address' | 'atConnect'>) =>
  openPool({
    ...writingSession(address, atConnect, ...PLAN_OPTIONS),
    max: address.connections.reserve(POOL_SIZE),
  });

/**
 * READ FIRST. Starts the engine, which makes the deliveries of a subgraph; any number of processes may run it. The path
 * of an event (docs/deliveries.md): the change writes a row to the outbox (`tables.sql.ts`); after the commit, the
 * fan-out plans one delivery per endpoint and wakes the endpoints (`fan-out.repository.ts`); the dispatcher of one
 * process leases an endpoint and runs its lanes (`dispatcher.ts`, `leased-endpoint.ts`, `lane.ts`); each attempt
 * assembles, sends and records (`attempt.ts`). Notifications only save time: every process polls the rows once a second.
 */
export async function startDeliveries(dependencies: DeliveryDependencies): Promise<Deliveries> {
  const { address, logger, maxLanes } = dependencies;
  const pool = deliveryPool(dependencies);
  address.connections.reserve(2); // the sessions of the worker
  const stopped = new AbortController();
  const endpoints = endpointTable(pool);
  const planner = fanOut(pool, logger);
  const worker = deliveryWorker(address);
  const attempt = attemptOf(dependencies, pool, stopped.signal);
  const limits = laneLimits(maxLanes);
  const dispatcher = new Dispatcher({ endpoints, workerId: worker.id, attempt, limits, logger });
  await worker.start(notificationHandler(planner, dispatcher)).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const stopTimers = startTimers(pool, planner, dispatcher, dependencies);
  const stop = async (forced = graceful()) => {
    const ended = Promise.all([dispatcher.stop(), planner.stop(), ...stopTimers.map((stopTimer) => stopTimer())]);
    await endsBefore(forced, ended);
    stopped.abort();
    const id = worker.id();
    if (id !== undefined) await endpoints.releaseAll(id).catch(() => undefined);
    await worker.end();
    await pool.end();
  };
  let stopping: Promise<void> | undefined;
  return { stop: (forced) => (stopping ??= stop(forced)) };
}

type Pool = ReturnType<typeof deliveryPool>;

function attemptOf(dependencies: DeliveryDependencies, pool: Pool, stopped: AbortSignal): Attempt {
  const { source, metrics, metricPrefix } = dependencies;
  return attempts({
    ...dependencies,
    stopped,
    results: resultTable(pool, (session, endpointId) => source.undelivered(session, endpointId)),
    metrics: deliveryMetrics(metrics, () => countPending(pool), metricPrefix),
  });
}

/** Payloads: empty if the outbox has rows, else `due` or `urgent` and ids of endpoints; without ids, any endpoint. */
const notificationHandler = (planner: FanOut, dispatcher: Dispatcher) => (payload: string) => {
  if (payload === '') return planner.wake();
  const [kind, ...ids] = payload.split(' ');
  dispatcher.wake(ids, kind === 'urgent');
};

function startTimers(pool: Pool, planner: FanOut, dispatcher: Dispatcher, dependencies: DeliveryDependencies) {
  const { logger, schedule } = dependencies;
  const poll = async () => {
    planner.wake();
    dispatcher.tick();
  };
  const takeOverLeases = async () => {
    if ((await takeOver(pool)) > 0) dispatcher.wake([], false);
  };
  return [
    repeat(1, poll, logger, 'polling deliveries failed'),
    repeat(1, takeOverLeases, logger, 'taking over leases of ended processes failed'),
    repeat(
      CLOCK_INTERVAL_SECONDS,
      clockSetBack(pool, schedule),
      logger,
      'correcting deliveries after a change of the clock failed',
    ),
    purgePeriodically(pool, [() => deleteExpired(pool)], RETENTION_INTERVAL_SECONDS, logger),
  ];
}
