import type { PendingDelivery } from './delivery';
import { type RetrySchedule, secondsToNext } from './schedule';

/** A pending delivery as a pass sees it. */
export interface LaneDelivery extends PendingDelivery {
  /** What it is about: the lane. */
  readonly subject: string;
  /** Goes ahead of any backlog. */
  readonly urgent: boolean;
  /** Whether its time has come; one whose time has not is tried on the way to a later one. */
  readonly due: boolean;
  /** Sends of the schedule that were made so far. */
  readonly attempt: number;
  /** How often it was put off since without an attempt. */
  readonly held: number;
  /** How often it could not be assembled since. */
  readonly faults: number;
  /** Milliseconds since the event. */
  readonly ageMs: number;
}

/** What one endpoint is to be told about one subject, in the order of the sequence. */
export interface Lane {
  readonly urgent: boolean;
  readonly deliveries: readonly LaneDelivery[];
}

/**
 * What a pass does: lane by lane, in the order given, each in the order of its sequence up to the last delivery that is due. A lane
 * is never worked in part, so that a refused attempt holds back nothing that comes after it.
 *
 * @param rows pending deliveries, those of a lane together
 */
export function lanesOf(rows: readonly LaneDelivery[]): readonly Lane[] {
  const lanes = new Map<string, LaneDelivery[]>();
  for (const row of rows) {
    const lane = lanes.get(row.subject);
    if (lane) lane.push(row);
    else lanes.set(row.subject, [row]);
  }
  return [...lanes.values()].flatMap((lane) => {
    const deliveries = lane.slice(0, lane.findLastIndex(({ due }) => due) + 1);
    return deliveries.length === 0 ? [] : [{ urgent: deliveries.some(isUrgentNow), deliveries }];
  });
}

const isUrgentNow = ({ urgent, due }: LaneDelivery): boolean => urgent && due;

/** Whether lanes are to be chosen anew: something urgent has come, and nothing urgent was to be worked anyway. */
export function isOvertaken(rest: readonly Lane[], urgentHasCome: boolean): boolean {
  return urgentHasCome && !rest.some(({ urgent }) => urgent);
}

/** What an attempt makes of a delivery. */
export type Outcome =
  | { readonly kind: 'delivered' | 'undelivered' }
  /** Tried again later; one that was tried on the way keeps its time, and the attempt does not count. */
  | { readonly kind: 'again'; readonly afterSeconds: number | null };

/** How an attempt ended. */
export interface Attempted {
  readonly error: string | null;
  readonly retryAfterSeconds: number | null;
}

/** What becomes of a delivery by an attempt (2-decisions-a-b.md, section 6). */
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

/** Faults for which a delivery that was never sent holds back its lane, and the seconds between them. */
const FAULTS_THAT_WAIT = 10;
const AFTER_FAULT = 3;

/** What a fault makes of a delivery: nothing was sent, and no send of the schedule counts. */
export type Fault =
  /** The whole lane waits, so that nothing is sent before it; the fault counts if its time had come. */
  | { readonly kind: 'lane-waits'; readonly seconds: number; readonly counts: boolean }
  /** The lane goes on without it; null keeps its time, undefined gives it up. */
  | { readonly kind: 'alone'; readonly seconds: number | null | undefined };

/** What becomes of a delivery that cannot be assembled. One that stays so is given up at last, as late as one that is refused. */
export function faultOf(
  schedule: RetrySchedule,
  { due, attempt, faults }: Pick<LaneDelivery, 'due' | 'attempt' | 'faults'>,
): Fault {
  const isPassing = faults < FAULTS_THAT_WAIT;
  if (isPassing && attempt === 0) return { kind: 'lane-waits', seconds: AFTER_FAULT, counts: due };
  if (!due) return { kind: 'alone', seconds: null };
  return { kind: 'alone', seconds: isPassing ? AFTER_FAULT : secondsToNext(schedule, faults - FAULTS_THAT_WAIT) };
}
