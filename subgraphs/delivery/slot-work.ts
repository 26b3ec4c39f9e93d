import { type Lane, type LaneDelivery, isOvertaken, lanesOf } from './pass';

/** How it goes on after one delivery. */
export interface AfterAttempt {
  /** Whether the rest of the lane waits, since nothing was sent. */
  readonly laneWaits: boolean;
  /** Whether nothing more may be sent: the slot is lost, or the process ends. */
  readonly lost: boolean;
  /** Whether the slot is to be left after the lane: its endpoint turned out slow. */
  readonly leave: boolean;
  /** Whether a delivery that is urgent has come to the slot. */
  readonly urgentHasCome: boolean;
}

/** What working a slot needs. */
export interface SlotParts {
  /** Pending deliveries of lanes that are due, the most urgent lanes first. */
  look(): Promise<readonly LaneDelivery[]>;
  /** Makes an attempt, or finds that it must wait; resolves when its result is kept. */
  attempt(delivery: LaneDelivery): Promise<AfterAttempt>;
  /** Whether there is time for another lane. */
  hasTime(): boolean;
}

/** Works the lanes of a slot in turn, one attempt at a time, until none is due or time is up. */
export async function workSlot({ look, attempt, hasTime }: SlotParts): Promise<void> {
  let lanes = lanesOf(await look());
  while (hasTime()) {
    const [lane, ...rest] = lanes;
    if (lane === undefined) return;
    const { leave, urgentHasCome } = await workLane(lane, attempt);
    if (leave) return;
    lanes = isOvertaken(rest, urgentHasCome) ? lanesOf(await look()) : rest;
  }
}

async function workLane(
  { deliveries }: Lane,
  attempt: SlotParts['attempt'],
): Promise<Pick<AfterAttempt, 'leave' | 'urgentHasCome'>> {
  let urgentHasCome = false;
  let leave = false;
  for (const delivery of deliveries) {
    const after = await attempt(delivery);
    urgentHasCome = after.urgentHasCome;
    leave ||= after.leave || after.lost;
    if (after.lost || after.laneWaits) break;
  }
  return { leave, urgentHasCome };
}
