import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../server/unavailable';
import { errorFields } from '../server/observability/failures';
import { logError } from '../server/observability/error-log';
import type { Results } from './deliveries.repository';
import { type Assembled, type DeliverySource, MAX_DEFERRAL_SECONDS } from './delivery';
import type { DeliveryMetrics } from './delivery-metrics';
import { type LaneDelivery, assemblyFailureOf, outcomeOf } from './lane';
import type { LeasedEndpoint, RunningLane } from './leased-endpoint';
import type { RetrySchedule } from './schedule';
import type { CurrentDispatch, SendResult, Sender } from './requests/sender';

/** Dependencies of attempts. */
interface AttemptDependencies {
  readonly source: DeliverySource;
  readonly schedule: RetrySchedule;
  readonly sender: Sender;
  readonly results: Results;
  readonly metrics: DeliveryMetrics;
  readonly logger: Logger;
  /** Aborts when the engine stops waiting: an attempt whose result is not recorded by then will be repeated. */
  readonly stopped: AbortSignal;
}

/** Lease and lane of an attempt. */
interface AttemptContext {
  readonly endpoint: LeasedEndpoint;
  readonly lane: RunningLane;
  /** Returns whether this process still has the lease. */
  isLeased(): boolean;
}

const DATABASE_UNAVAILABLE = { kind: 'wait', seconds: 3 } as const;
/** Age above which an assembled delivery is assembled again: the event may have become obsolete. */
const MAX_ASSEMBLY_AGE_MS = 5;
const RETRY_RECORD_MS = 250;
/** Number of events whose assembly failure is not logged again. */
const LOGGED_EVENTS_CACHE_SIZE = 10_000;

/** Makes one attempt and records its result; false if the rest of the lane must wait. */
export type Attempt = (delivery: LaneDelivery, context: AttemptContext) => Promise<boolean>;

type Assembly = Assembled | { readonly kind: 'failed' };

/** Returns the function that attempts deliveries: assembles, sends and records. */
export function attempts(dependencies: AttemptDependencies): Attempt {
  const assemble = assembler(dependencies);
  return async (delivery, context) => {
    const { endpoint, lane, isLeased } = context;
    const { generation } = endpoint;
    const current = upToDate(() => assemble(delivery));
    let assembly = await current();
    if (assembly.kind === 'send') {
      endpoint.owner = assembly.owner;
      if (!(await endpoint.acquireRequest(lane.urgent))) return false;
      const dispatch: CurrentDispatch = async () => {
        const latest = await current();
        return latest.kind === 'send' && isLeased() ? latest.dispatch : undefined;
      };
      let sent: SendResult | undefined;
      try {
        // Repeats if the delivery is obsolete or has another URL when the connection is established: then nothing was sent.
        for (assembly = await current(); assembly.kind === 'send'; assembly = await current()) {
          if (!isLeased()) return false;
          sent = await endpoint.requests.track(send(dependencies, delivery, assembly, dispatch), lane.countAsSlow);
          if (sent !== undefined) break;
        }
      } finally {
        endpoint.requests.release(lane.urgent);
      }
      if (sent !== undefined) return record(dependencies, delivery, sent);
    }
    return withhold(dependencies, delivery, context, generation, assembly);
  };
}

/** Returns a function that assembles a delivery, again if the last assembly is too old. */
function upToDate(assemble: () => Promise<Assembly>): () => Promise<Assembly> {
  let assembly: Assembly | undefined;
  let assembledAt = 0;
  return async () => {
    if (assembly === undefined || performance.now() - assembledAt > MAX_ASSEMBLY_AGE_MS) {
      assembly = await assemble();
      assembledAt = performance.now();
    }
    return assembly;
  };
}

/** Returns the function that assembles deliveries. It logs the first failure of each event. */
function assembler({ source, logger }: AttemptDependencies): (delivery: LaneDelivery) => Promise<Assembly> {
  const logged = new LRUCache<string, true>({ max: LOGGED_EVENTS_CACHE_SIZE });
  return async (delivery) => {
    try {
      return await source.assemble(delivery);
    } catch (error) {
      const { eventId: event, assemblyFailures } = delivery;
      const fields = { event, failure: errorFields(error) };
      if (isDatabaseUnavailable(error)) {
        logError(logger, 'warn', error, fields, 'delivery deferred: database unavailable');
        return DATABASE_UNAVAILABLE;
      }
      if (assemblyFailures === 0 && !logged.has(event)) logger.warn(fields, 'delivery body failed to assemble');
      logged.set(event, true);
      return { kind: 'failed' };
    }
  };
}

async function send(
  { sender, metrics }: AttemptDependencies,
  { isFresh, plannedAt }: LaneDelivery,
  { dispatch, firstAttempt }: Extract<Assembled, { kind: 'send' }>,
  current: CurrentDispatch,
): Promise<SendResult | undefined> {
  const waitedMs = performance.now() - plannedAt;
  const sent = await sender.send(dispatch, current);
  if (sent === undefined) return undefined;
  if (isFresh) metrics.firstAttempt(waitedMs);
  firstAttempt?.();
  metrics.attempted(sent.error);
  return sent;
}

/**
 * Records a result; repeats the statement until it succeeds or `stopped` aborts, because the lane must not overtake it. After a failure the
 * result is recorded alone, so that a result that fails in every statement does not hold up others.
 */
async function record(dependencies: AttemptDependencies, delivery: LaneDelivery, sent: SendResult): Promise<true> {
  const { results, schedule, logger, stopped } = dependencies;
  const sentAt = performance.now() - sent.durationMs;
  const result = { ...sent, delivery, sentAt, outcome: outcomeOf(schedule, delivery, sent) };
  for (let failures = 0; ; failures += 1) {
    try {
      await results.record(result, failures > 0);
      return true;
    } catch (error) {
      const fields = { event: delivery.eventId, failure: errorFields(error) };
      if (failures === 0) logError(logger, 'warn', error, fields, 'recording a delivery result failed');
      if (stopped.aborted) throw error;
      await wait(RETRY_RECORD_MS);
    }
  }
}

/** Ends or defers a delivery that is not sent; false if the rest of its lane waits too. */
async function withhold(
  { results, schedule }: AttemptDependencies,
  delivery: LaneDelivery,
  { endpoint, lane }: AttemptContext,
  generation: string,
  assembly: Assembly,
): Promise<boolean> {
  const defer = (which: 'ordinary' | 'all', seconds: number) => {
    endpoint.defer({ which, seconds, isExternal: true }, generation);
    return false;
  };
  if (assembly.kind === 'wait') return defer('all', assembly.seconds);
  if (assembly.kind === 'suspended') {
    const { laneSeconds } = assembly;
    if (laneSeconds !== undefined) await results.deferLane(delivery, laneSeconds, false);
    return defer(lane.urgent && laneSeconds === undefined ? 'all' : 'ordinary', MAX_DEFERRAL_SECONDS);
  }
  if (assembly.kind === 'drop') {
    await results.drop({ delivery, now: assembly.now });
    return true;
  }
  const failure = assemblyFailureOf(schedule, delivery);
  if (failure.kind === 'lane-waits') await results.deferLane(delivery, failure.seconds, failure.counts);
  else if (failure.kind === 'delivery-waits') await results.assemblyFailed(delivery, failure.seconds);
  else if (failure.kind === 'undelivered') await results.assemblyFailed(delivery, undefined);
  return failure.kind !== 'lane-waits';
}
