import { type LaneDelivery, LaneQueue, outcomeOf } from '../../subgraphs/delivery/lane';
import type { RetrySchedule } from '../../subgraphs/delivery/schedule';

/** An event that arrives during the attempt with this number, counted from 0 over the whole script. */
export interface Arrival {
  readonly subject: string;
  readonly urgent: boolean;
  readonly during: number;
}

/** A delivery of the model. */
export interface ModelDelivery extends Pick<LaneDelivery, 'eventId' | 'subject' | 'sequence' | 'urgent'> {
  state: 'pending' | 'delivered' | 'undelivered';
  /** Number of scheduled sends so far, and the time of the next one, in seconds. */
  attempt: number;
  dueAt: number;
  /** Times of the failed scheduled sends. */
  readonly failedAt: number[];
}

const UNTOUCHED = {
  endpointId: 'e',
  lastDue: 0,
  version: '1',
  assemblyFailures: 0,
  isFresh: true,
  redeliveredAt: null,
  plannedAt: 0,
};

/**
 * An endpoint in memory with its own clock, processing one lane at a time: the engine's own decisions on order, without
 * tables and network. It records each violation of an order rule (decisions A/B, 6).
 */
export class LaneModel {
  readonly deliveries: ModelDelivery[] = [];
  readonly breaches: string[] = [];
  private now = 0;
  private attempts = 0;
  /** The current lane, and the events attempted since its start. */
  private lane: { subject: string; attempted: Set<string> } | undefined;
  private attemptedSinceDue = new Set<string>();
  private readonly queue = new LaneQueue();

  /** @param outcomes whether the receiver accepts each attempt, repeated in a cycle */
  constructor(
    private readonly schedule: RetrySchedule,
    private readonly arrivals: readonly Arrival[],
    private readonly outcomes: readonly boolean[],
  ) {}

  /** Processes lanes until nothing is pending; if none is ready, the clock moves to the next due time. */
  run(): void {
    this.arrive();
    for (let due = this.next(); due.length > 0; due = this.next()) {
      this.attemptedSinceDue = new Set();
      this.read();
      for (let lane = this.queue.peek(); lane !== undefined; lane = this.queue.peek()) {
        this.queue.start();
        this.lane = undefined;
        for (const delivery of lane.deliveries) this.attempt(delivery);
        this.queue.end(lane.subject);
        this.read(); // the engine reads less often: at intervals of seconds
      }
      for (const { eventId } of due) {
        if (!this.attemptedSinceDue.has(eventId)) this.breaches.push(`${eventId} was held back`);
      }
    }
  }

  private next(): ModelDelivery[] {
    this.now = Math.max(this.now, Math.min(...this.pending().map(({ dueAt }) => dueAt)));
    return this.pending().filter((each) => this.isDue(each));
  }

  private pending = () => this.deliveries.filter(({ state }) => state === 'pending');
  private isDue = ({ dueAt }: ModelDelivery) => dueAt <= this.now;
  private urgentNow = () => this.pending().filter((each) => each.urgent && this.isDue(each));

  private arrive(): void {
    for (const { subject, urgent } of this.arrivals.filter(({ during }) => during === this.attempts)) {
      const sequence = this.deliveries.filter((each) => each.subject === subject).length + 1;
      const eventId = `${subject}${sequence}`;
      const fresh = { eventId, subject, sequence, urgent, attempt: 0, dueAt: this.now, failedAt: [] };
      this.deliveries.push({ ...fresh, state: 'pending' });
    }
  }

  /** Reads as the SQL does: due lanes, urgent ones first, each with its pending deliveries up to the last due one. */
  private read(): void {
    this.queue.startRead();
    this.queue.finishRead(this.found());
  }

  private found(): LaneDelivery[] {
    const due = this.pending().filter((each) => this.isDue(each));
    const inOrder = due.toSorted((one, other) => Number(other.urgent) - Number(one.urgent) || one.dueAt - other.dueAt);
    return [...new Set(inOrder.map(({ subject }) => subject))].flatMap((subject) =>
      this.pending()
        .filter((each) => each.subject === subject)
        .map((each) => ({ ...each, ...UNTOUCHED, due: this.isDue(each) }))
        .filter(({ sequence }) => due.some((each) => each.subject === subject && each.sequence >= sequence)),
    );
  }

  private attempt(seen: LaneDelivery): void {
    this.begin(seen);
    const delivery = this.deliveries.find(({ eventId }) => eventId === seen.eventId) as ModelDelivery;
    this.lane?.attempted.add(seen.eventId);
    this.attemptedSinceDue.add(seen.eventId);
    const accepted = this.outcomes[this.attempts % this.outcomes.length] ?? true;
    this.attempts += 1;
    this.now += 1;
    this.arrive();
    const error = accepted ? null : 'refused-status';
    const outcome = outcomeOf(this.schedule, seen, { error, retryAfterSeconds: null });
    if (!accepted && seen.due) delivery.failedAt.push(this.now);
    if (outcome.kind !== 'again') delivery.state = outcome.kind;
    else if (outcome.afterSeconds !== null) {
      delivery.attempt += 1;
      delivery.dueAt = this.now + outcome.afterSeconds;
    }
  }

  /** Checks the conditions of an attempt. */
  private begin({ eventId, subject, sequence }: LaneDelivery): void {
    if (this.lane?.subject !== subject) {
      this.lane = { subject, attempted: new Set() };
      const urgent = this.urgentNow();
      if (urgent.length > 0 && !urgent.some((each) => each.subject === subject)) {
        this.breaches.push(`${eventId} went before ${urgent[0]?.eventId}, which is urgent`);
      }
    }
    const { attempted } = this.lane;
    const skipped = this.pending().find(
      (each) => each.subject === subject && each.sequence < sequence && !attempted.has(each.eventId),
    );
    if (skipped) this.breaches.push(`${eventId} was sent, but not ${skipped.eventId} before it`);
  }
}
