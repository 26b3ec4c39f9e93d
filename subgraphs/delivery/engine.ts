import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DatabaseAddress } from '../server/database-login';
import { startWorkers } from '../server/job-workers';
import { type DeliverySessions, openDeliverySessions } from './sessions.repository';
import type { DeliverySource } from './delivery';
import { deliveryMetrics } from './delivery-metrics';
import { outsidePlaces } from './outside';
import { resultTable } from './results.repository';
import type { RetrySchedule } from './schedule';
import type { Sender } from './sender';
import type { TurnKind } from './slot-place';
import { type Turns, slotTurns } from './slot-turn';
import { type Slot, slotTable } from './slots.repository';
import { keepUp } from './upkeep';
import { type Upkeep, upkeepOf } from './upkeep.repository';

/** What the engine is made of. */
export interface DeliveryParts {
  /** Login and schema of the subgraph whose deliveries are made. */
  readonly address: DatabaseAddress;
  /** Schema of its jobs. */
  readonly jobsSchema: string;
  readonly source: DeliverySource;
  readonly schedule: RetrySchedule;
  readonly sender: Sender;
  readonly logger: Logger;
  readonly metrics?: Registry | undefined;
  /** Of the names of the metrics; none unless given. */
  readonly metricPrefix?: string | undefined;
  /** How many ordinary deliveries are made at once; 50 unless given. */
  readonly concurrency?: number | undefined;
  /** Attempts of this process that may last without a worker; 256 unless given. */
  readonly outside?: number | undefined;
}

/** Deliveries of a subgraph, made by this process and any other that runs the engine. */
export interface Deliveries {
  /** Begins no more attempts; resolves when those under way are kept, or after some seconds. */
  stop(): Promise<void>;
}

const CONCURRENCY = 50;
/** Workers that are kept for what is urgent, and for slow endpoints. */
const KEPT_FOR_URGENT = 32;
const KEPT_FOR_SLOW = 32;
/** Milliseconds between looks of kept workers for jobs, while many jobs are added that are none of theirs. */
const KEPT_PAUSE = 20;
/** Milliseconds that attempts under way get when the engine is to stop. */
const GRACE = 5_000;

/**
 * Makes the deliveries of a subgraph (architecture, decision 10). Jobs only wake: the rows say what is due, each slot is worked by
 * one process at a time, and what a dead process had is taken over within seconds.
 */
export async function startDeliveries(parts: DeliveryParts): Promise<Deliveries> {
  const { address, source, schedule, sender, logger } = parts;
  const sessions = await openDeliverySessions(address);
  const { pool, holder } = sessions;
  const [stopping, stopped] = [new AbortController(), new AbortController()];
  const upkeep = upkeepOf(pool);
  const turns = slotTurns({
    source,
    schedule,
    sender,
    logger,
    holder,
    outside: outsidePlaces(parts.outside),
    slots: slotTable(pool),
    results: resultTable(pool, (session, endpointId) => source.undelivered(session, endpointId)),
    metrics: deliveryMetrics(parts.metrics, () => upkeep.pending(), parts.metricPrefix),
    stopping: stopping.signal,
    stopped: stopped.signal,
  });
  const stopTasks = await startTasks(parts, turns, upkeep, sessions);
  return {
    async stop() {
      stopping.abort();
      const over = Promise.all([stopTasks(), turns.over()]);
      await Promise.race([over, wait(GRACE, undefined, { ref: false })]);
      stopped.abort();
      await stopTasks();
      await sessions.close();
    },
  };
}

/**
 * Three groups of workers, so that what is urgent never waits for what is not, and slow endpoints hold up each other only. None waits
 * for long for an answer: what lasts goes on outside.
 */
async function startTasks(
  { address, jobsSchema: schema, logger, concurrency = CONCURRENCY }: DeliveryParts,
  turns: Turns,
  upkeep: Upkeep,
  sessions: DeliverySessions,
): Promise<() => Promise<void>> {
  const workers = (kind: TurnKind, atOnce: number, pauseMs?: number) =>
    startWorkers({
      address,
      schema,
      logger,
      concurrency: atOnce,
      fetchAhead: { pauseMs },
      tasks: { [kind]: (payload) => turns.take(kind, slotOf(payload)) },
    });
  const starting = await Promise.allSettled([
    workers('deliver', concurrency),
    workers('deliver-urgent', KEPT_FOR_URGENT, KEPT_PAUSE),
    workers('deliver-slow', KEPT_FOR_SLOW, KEPT_PAUSE),
  ]);
  const started = starting.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const stopWorkers = async () => void (await Promise.all(started.map((each) => each.stop())));
  const failed = starting.find((each) => each.status === 'rejected');
  if (failed) {
    await stopWorkers();
    await sessions.close();
    throw failed.reason;
  }
  const stopUpkeep = keepUp(upkeep, logger);
  let stopped: Promise<void> | undefined;
  return () => (stopped ??= Promise.all([stopUpkeep(), stopWorkers()]).then(() => undefined));
}

/** The payload is made by `wake_deliveries`. */
function slotOf(payload: unknown): Slot {
  const { endpoint, slot } = payload as { endpoint: string; slot: number };
  return { endpointId: endpoint, slot };
}
