import { type LaneDelivery, outcomeOf } from '../../subgraphs/delivery/pass';
import type { RetrySchedule } from '../../subgraphs/delivery/schedule';
import { type AfterAttempt, workSlot } from '../../subgraphs/delivery/slot-work';

/** An event that comes while the attempt of this number is made, counted from 0 over the whole script. */
export interface Arrival {
  readonly subject: string;
  readonly urgent: boolean;
  readonly during: number;
}

/** A delivery of the model. */
export interface ModelDelivery extends Pick<LaneDelivery, 'eventId' | 'subject' | 'sequence' | 'urgent'> {
  state: 'pending' | 'delivered' | 'undelivered';
  /** Sends of the schedule so far, and when the next is due: seconds. */
  attempt: number;
  dueAt: number;
  /** When sends of the schedule failed. */
  readonly failedAt: number[];
}

const UNTOUCHED = { endpointId: 'e', held: 0, faults: 0, redeliveredAt: null, ageMs: 0 };

/**
 * A slot in memory with a clock of its own: the engine's own decisions on what is done in which order, without tables and network. It
 * notes each breach of an order rule (2-decisions-a-b.md, section 6).
 */
export class SlotModel {
  readonly deliveries: ModelDelivery[] = [];
  readonly breaches: string[] = [];
  private now = 0;
  private attempts = 0;
  /** The lane under way, and what was attempted of it since it was begun. */
  private lane: { subject: string; attempted: Set<string> } | undefined;
  private attemptedInPass = new Set<string>();

  /** @param answers whether the receiver accepts each attempt, over and over */
  constructor(
    private readonly schedule: RetrySchedule,
    private readonly arrivals: readonly Arrival[],
    private readonly answers: readonly boolean[],
  ) {}

  /** Passes until nothing is pending; between them the clock moves to what is due next. */
  async run(): Promise<void> {
    this.arrive();
    for (let due = this.next(); due.length > 0; due = this.next()) {
      this.lane = undefined;
      this.attemptedInPass = new Set();
      await workSlot({
        hasTime: () => true,
        look: async () => this.look(),
        attempt: async (seen) => this.attempt(seen),
      });
      for (const { eventId } of due) {
        if (!this.attemptedInPass.has(eventId)) this.breaches.push(`${eventId} was held back`);
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

  /** As the tables answer: lanes in which something is due, urgent ones first, each with all that is pending in it. */
  private look(): LaneDelivery[] {
    this.lane = undefined;
    const due = this.pending().filter((each) => this.isDue(each));
    const inOrder = due.toSorted((one, other) => Number(other.urgent) - Number(one.urgent) || one.dueAt - other.dueAt);
    return [...new Set(inOrder.map(({ subject }) => subject))].flatMap((subject) =>
      this.pending()
        .filter((each) => each.subject === subject)
        .map((each) => ({ ...each, ...UNTOUCHED, due: this.isDue(each) })),
    );
  }

  private attempt(seen: LaneDelivery): AfterAttempt {
    this.begin(seen);
    const delivery = this.deliveries.find(({ eventId }) => eventId === seen.eventId) as ModelDelivery;
    this.lane?.attempted.add(seen.eventId);
    this.attemptedInPass.add(seen.eventId);
    const accepted = this.answers[this.attempts % this.answers.length] ?? true;
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
    const urgentHasCome = this.urgentNow().some(({ eventId }) => eventId !== seen.eventId);
    return { laneWaits: false, lost: false, leave: false, urgentHasCome };
  }

  /** What must be so before an attempt. */
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
