import type { Holder } from './holder.repository';
import type { Outside } from './outside';
import type { Next, Slot, Slots } from './slots.repository';
import { type Persistence, untilKept } from './until-kept';

/** Which workers have a turn: those for all, those kept for what is urgent, those kept for slow endpoints. */
export type TurnKind = 'deliver' | 'deliver-urgent' | 'deliver-slow';

/** What an attempt knows of the slot it is made in. */
export interface AttemptPlace {
  readonly slot: number;
  /** Milliseconds since the deliveries of the slot were looked up. */
  sinceLook(): number;
  /** Whether a receiver of this owner may be called now; if not, the slot is left. */
  admits(owner: string): boolean;
  /** Keeps the slot for as long as an attempt takes; false when it is lost. */
  keep(): Promise<boolean>;
  /** Goes with a send until it ends: one that lasts frees the worker, and its endpoint is known as slow while it lasts. */
  accompany<Sent extends Duration>(owner: string, sending: Promise<Sent>): Promise<Sent>;
  /** Whether the slot is to be left to others after the lane. */
  isLeft(): boolean;
}

/** How long a send took. */
interface Duration {
  readonly durationMs: number;
  readonly error: string | null;
}

/** The place of a turn, and what is to be done at its end. */
export interface TurnPlace extends AttemptPlace {
  looked(): void;
  isOutside(): boolean;
  /** Resolves when it is noted whether the endpoint is slow, and the place outside is free: what is to be looked at next. */
  end(): Promise<Next>;
}

/** What a place is made of. */
export interface PlaceParts extends Persistence {
  readonly slots: Slots;
  readonly holder: Holder;
  readonly outside: Outside;
  /** Aborts when no more attempts are to begin. */
  readonly stopping: AbortSignal;
}

/** A turn and its lease. */
export interface Lease {
  readonly kind: TurnKind;
  readonly name: string;
  readonly isSlow: boolean;
  readonly began: number;
  /** Told when the worker is needed no more. */
  readonly goOutside: () => void;
}

/** Milliseconds for an answer from which on an endpoint is slow. */
const SLOW = 500;
/** Milliseconds for which a send may keep its worker: those for what is urgent are few, and slow endpoints are waited for outside. */
const PATIENCE: Readonly<Record<TurnKind, number>> = { deliver: SLOW, 'deliver-urgent': 150, 'deliver-slow': SLOW };
/** Milliseconds after which a slot is held anew before something is sent: its lease outlasts that and the longest attempt. */
const RENEW_AFTER = 10_000;
/** A slot whose owner had its share of the places outside is looked at again after a second. */
export const NOT_ADMITTED: Next = { isOfAll: false, afterSeconds: 1 };

/** The place of a turn at a slot. */
export function turnPlace(parts: PlaceParts, slot: Slot, lease: Lease): TurnPlace {
  const { kind, name, began } = lease;
  let [lookedAt, leasedAt] = [began, began];
  let isAdmitted: boolean | undefined;
  const speed = endpointSpeed(parts, slot.endpointId, lease.isSlow);
  const way = wayOutside(parts.outside, lease.goOutside);
  const watch = watchOf((owner, waitedMs) => {
    if (waitedMs >= SLOW) speed.note(true);
    return way.go(owner) && speed.isSlow();
  });
  return {
    slot: slot.slot,
    looked: () => void (lookedAt = performance.now()),
    sinceLook: () => performance.now() - lookedAt,
    admits: (owner) => (isAdmitted ??= parts.outside.admits(slot.endpointId, speed.isSlow(), owner)),
    async keep() {
      if (parts.stopping.aborted || !parts.holder.isPresent(name)) return false;
      const now = performance.now();
      if (now - leasedAt < RENEW_AFTER) return true;
      const kept = await parts.slots.renew(slot, name);
      leasedAt = now;
      return kept;
    },
    async accompany(owner, sending) {
      watch.begin(owner, speed.isSlow() ? 0 : PATIENCE[kind]);
      try {
        const sent = await sending;
        speed.note(sent.error === 'timeout' || sent.durationMs >= SLOW);
        return sent;
      } finally {
        watch.pause();
      }
    },
    isLeft: () => way.isTaken() || (speed.isSlow() && kind !== 'deliver-slow'),
    isOutside: way.isTaken,
    async end() {
      watch.end();
      way.end();
      await speed.noted();
      return isAdmitted === false
        ? { ...NOT_ADMITTED, isOfAll: true }
        : { isOfAll: speed.hasChanged(), afterSeconds: 0 };
    },
  };
}

/**
 * Looks at the sends of a turn that last, each until there is nothing more to see. Most do not: one timer, which is seldom begun anew,
 * costs them nothing.
 */
function watchOf(look: (owner: string, waitedMs: number) => boolean) {
  let timer: NodeJS.Timeout | undefined;
  let sent: { readonly owner: string; readonly began: number; lookAfter: number } | undefined;
  const lookAt = () => {
    clearTimeout(timer);
    timer = undefined;
    if (sent === undefined) return;
    const waited = performance.now() - sent.began;
    if (waited >= sent.lookAfter) {
      if (look(sent.owner, waited)) return;
      sent.lookAfter = waited < SLOW ? SLOW : waited + SLOW;
    }
    wait(sent.lookAfter - waited);
  };
  // What has come while this process was busy is read before it is missed.
  const wait = (milliseconds: number) => (timer = setTimeout(() => void setImmediate(lookAt), milliseconds));
  return {
    begin(owner: string, lookAfter: number): void {
      sent = { owner, began: performance.now(), lookAfter };
      if (lookAfter === 0) lookAt();
      else if (timer === undefined) wait(lookAfter);
    },
    pause: () => void (sent = undefined),
    end: () => clearTimeout(timer),
  };
}

/** Whether an endpoint is slow, as a turn learns it; noted in the order in which it was learnt. */
function endpointSpeed(parts: PlaceParts, endpointId: string, wasSlow: boolean) {
  let isSlow = wasSlow;
  let hasChanged = false;
  let noting: Promise<void> = Promise.resolve();
  return {
    isSlow: () => isSlow,
    hasChanged: () => hasChanged,
    noted: () => noting,
    note(slow: boolean): void {
      if (slow === isSlow) return;
      isSlow = slow;
      hasChanged = true;
      const write = () => untilKept(parts, 'speed of an endpoint is', () => parts.slots.markSlow(endpointId, slow));
      noting = noting.then(write);
      noting.catch(() => undefined); // told to whoever waits for it
    },
  };
}

/** The way of a turn to a place outside, which it keeps to its end. */
function wayOutside(outside: Outside, goOutside: () => void) {
  let leave: (() => void) | undefined;
  return {
    isTaken: () => leave !== undefined,
    go(owner: string): boolean {
      if (leave !== undefined) return true;
      leave = outside.enter(owner);
      if (leave === undefined) return false;
      goOutside();
      return true;
    },
    end: () => leave?.(),
  };
}
