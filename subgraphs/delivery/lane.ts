import type { PendingDelivery } from './delivery';
import { type RetrySchedule, secondsToNext } from './schedule';

/** A pending delivery of a lane. A lane is one endpoint and one subject; its deliveries are numbered from 1. */
export interface LaneDelivery extends PendingDelivery {
  readonly subject: string;
  /** Whether the delivery goes ahead of any backlog. */
  readonly urgent: boolean;
  /** Version of the row at the read. */
  readonly version: string;
  /** Whether `next_attempt_at` has passed. An earlier delivery of the lane is attempted before a due one, due or not. */
  readonly due: boolean;
  /** Number of the last delivery of the lane that was due when its first one was read: the lane runs up to it. */
  readonly lastDue: number;
  /** Number of attempts that count so far. */
  readonly attempt: number;
  /** How often assembling the body failed since the last attempt. */
  readonly assemblyFailures: number;
  /**
   * Whether this is the first attempt: no attempt, redelivery or failed assembly preceded, and no external cause deferred the endpoint
   * since the planning.
   */
  readonly isFresh: boolean;
  /** When the delivery was planned, as `performance.now()` of this process. */
  readonly plannedAt: number;
}

/** The first deliveries of a lane in the order of their numbers, up to the last one that is due. */
export interface Lane {
  readonly subject: string;
  /** Whether one of these deliveries is due and urgent. */
  readonly urgent: boolean;
  readonly deliveries: readonly LaneDelivery[];
}

/** Groups deliveries into lanes, in the order of the first delivery of each. */
function lanesOf(rows: readonly LaneDelivery[]): Lane[] {
  const lanes = new Map<string, LaneDelivery[]>();
  for (const row of rows) {
    const lane = lanes.get(row.subject);
    if (lane) lane.push(row);
    else lanes.set(row.subject, [row]);
  }
  return [...lanes].map(([subject, deliveries]) => ({
    subject,
    urgent: deliveries.some(({ urgent, due }) => urgent && due),
    deliveries,
  }));
}

/**
 * The lanes of one endpoint: ready ones, urgent ones first, and running ones. A lane runs at most once at a time. A read
 * of the table replaces the ready lanes. It leaves out lanes that are running or that ended during the read, because it
 * may be older than their results.
 */
export class LaneQueue {
  private ready: Lane[] = [];
  private readonly busy = new Set<string>();
  private endedDuringRead: Set<string> | undefined;

  get readyCount(): number {
    return this.ready.length;
  }

  get busyCount(): number {
    return this.busy.size;
  }

  get isReading(): boolean {
    return this.endedDuringRead !== undefined;
  }

  startRead(): void {
    this.endedDuringRead = new Set();
  }

  /** Returns the number of lanes that the read found, and how many of them are ready. */
  finishRead(rows: readonly LaneDelivery[]): { readonly found: number; readonly ready: number } {
    const found = lanesOf(rows);
    const ended = this.endedDuringRead;
    this.endedDuringRead = undefined;
    const ready = found.filter(({ subject }) => !this.busy.has(subject) && ended?.has(subject) !== true);
    this.ready = [...ready.filter(({ urgent }) => urgent), ...ready.filter(({ urgent }) => !urgent)];
    return { found: found.length, ready: ready.length };
  }

  /** Returns the next ready lane; undefined if there is none. */
  peek(): Lane | undefined {
    return this.ready[0];
  }

  /** Starts the next ready lane. */
  start(): void {
    const lane = this.ready.shift();
    if (lane !== undefined) this.busy.add(lane.subject);
  }

  end(subject: string): void {
    this.busy.delete(subject);
    this.endedDuringRead?.add(subject);
  }

  /** Drops ready lanes: all, or those that are not urgent. */
  drop(which: 'ordinary' | 'all'): void {
    this.ready = which === 'all' ? [] : this.ready.filter(({ urgent }) => urgent);
  }
}

/** Effect of an attempt on its delivery. */
export type Outcome =
  | { readonly kind: 'delivered' | 'undelivered' }
  /** Seconds until the next attempt; null if the delivery was not due, so that the attempt does not count. */
  | { readonly kind: 'again'; readonly afterSeconds: number | null };

/** How an attempt ended. */
interface Attempted {
  /** Null if the receiver accepted the delivery. */
  readonly error: string | null;
  readonly retryAfterSeconds: number | null;
}

/** Returns the effect of an attempt (decisions A/B, 6). */
export function outcomeOf(
  schedule: RetrySchedule,
  { due, attempt }: Pick<LaneDelivery, 'due' | 'attempt'>,
  { error, retryAfterSeconds }: Attempted,
): Outcome {
  if (error === null) return { kind: 'delivered' };
  if (!due) return { kind: 'again', afterSeconds: null };
  const afterSeconds = secondsToNext(schedule, attempt, retryAfterSeconds);
  return afterSeconds === undefined ? { kind: 'undelivered' } : { kind: 'again', afterSeconds };
}

/** Longest time for which a lane waits before the first attempt of its first delivery, except after many failed assemblies. */
export const MAX_LANE_WAIT_SECONDS = 60;

/**
 * Number of failed assemblies that are retried after 3 s, and that block the lane of a delivery without an attempt. Later ones follow the
 * schedule.
 */
export const MAX_BLOCKING_FAILURES = 10;
const RETRY_ASSEMBLY_SECONDS = 3;

/** Effect of a failed assembly on its delivery. Nothing was sent, and no attempt counts. */
type AssemblyFailure =
  /** The whole lane waits, to keep its order. The failure counts if the delivery was due. */
  | { readonly kind: 'lane-waits'; readonly seconds: number; readonly counts: boolean }
  /** The lane goes on without the delivery, which is tried again after this time. */
  | { readonly kind: 'delivery-waits'; readonly seconds: number }
  /** The lane goes on without the delivery, whose time has not come. */
  | { readonly kind: 'not-due' }
  | { readonly kind: 'undelivered' };

/** Returns the effect of a failed assembly. A delivery that never assembles becomes undelivered by the same schedule. */
export function assemblyFailureOf(
  schedule: RetrySchedule,
  { due, attempt, assemblyFailures }: Pick<LaneDelivery, 'due' | 'attempt' | 'assemblyFailures'>,
): AssemblyFailure {
  const isEarly = assemblyFailures < MAX_BLOCKING_FAILURES;
  if (isEarly && attempt === 0) return { kind: 'lane-waits', seconds: RETRY_ASSEMBLY_SECONDS, counts: due };
  if (!due) return { kind: 'not-due' };
  if (isEarly) return { kind: 'delivery-waits', seconds: RETRY_ASSEMBLY_SECONDS };
  const seconds = secondsToNext(schedule, assemblyFailures - MAX_BLOCKING_FAILURES);
  return seconds === undefined ? { kind: 'undelivered' } : { kind: 'delivery-waits', seconds };
}
