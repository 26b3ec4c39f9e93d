import { failureFacts } from '../server/failures';
import { logFault } from '../server/fault-log';
import { type AttemptParts, attemptDelivery } from './attempt';
import { NOT_ADMITTED, type PlaceParts, type TurnKind, turnPlace } from './slot-place';
import { workSlot } from './slot-work';
import type { Next, Slot } from './slots.repository';
import { untilKept } from './until-kept';

/** What turns need. */
export interface TurnParts extends AttemptParts, PlaceParts {}

/** Turns of this process at slots. */
export interface Turns {
  /**
   * Works a slot, unless somebody does: whoever does looks again after. Resolves when the worker is needed no more; an attempt that lasts
   * goes on without it.
   */
  take(kind: TurnKind, slot: Slot): Promise<void>;
  /** Resolves when none is under way. */
  over(): Promise<void>;
}

/** Milliseconds of a turn, after which others have theirs. */
const TURN = 500;
/** Seconds after which a slot is looked at again whose turn failed while no worker had it. */
const AFTER_FAILURE = 3;

/** A slot under way here; `askedAgain` when another job for it came meanwhile. */
interface UnderWay {
  askedAgain: boolean;
}

/** Turns at the slots of a subgraph. */
export function slotTurns(parts: TurnParts): Turns {
  const underWay = new Map<string, UnderWay>();
  const running = new Set<Promise<void>>();
  const take = async (kind: TurnKind, slot: Slot, goOutside: () => void) => {
    const key = `${slot.endpointId}:${slot.slot}`;
    const other = underWay.get(key);
    if (other) return void (other.askedAgain = true);
    const mine: UnderWay = { askedAgain: false };
    underWay.set(key, mine);
    let next: Next | undefined;
    try {
      do {
        mine.askedAgain = false;
        next = await turn(parts, kind, slot, goOutside);
      } while (next === undefined && mine.askedAgain);
    } finally {
      underWay.delete(key);
    }
    const after = next;
    if (after) await untilKept(parts, 'next look at a slot is', () => parts.slots.wake(slot, after));
  };
  return {
    take(kind, slot) {
      return new Promise((resolve, reject) => {
        const taken = take(kind, slot, resolve).finally(() => running.delete(taken));
        running.add(taken);
        taken.then(resolve, reject);
      });
    },
    over: async () => void (await Promise.allSettled(running)),
  };
}

/** One turn at a slot; when it is to be looked at again, which it is not while somebody else has it, who will. */
async function turn(parts: TurnParts, kind: TurnKind, slot: Slot, goOutside: () => void): Promise<Next | undefined> {
  const { slots, holder, outside, stopping } = parts;
  if (!outside.admits(slot.endpointId, kind === 'deliver-slow')) return NOT_ADMITTED;
  const name = await holder.name();
  const began = performance.now();
  const { claimed, isSlow } = await slots.claim({ ...slot, holder: name }, kind === 'deliver-slow');
  if (!claimed) return isSlow && kind !== 'deliver-slow' ? { isOfAll: false, afterSeconds: 0 } : undefined;
  const place = turnPlace(parts, slot, { kind, name, isSlow, began, goOutside });
  let failed = false;
  let next: Next | undefined;
  try {
    await workSlot({
      look() {
        place.looked();
        return slots.look(slot, kind === 'deliver-urgent');
      },
      attempt: (delivery) => attemptDelivery(parts, delivery, place),
      hasTime: () => !stopping.aborted && performance.now() - began < TURN,
    });
  } catch (error) {
    if (!place.isOutside()) throw error; // the job is done again
    failed = true;
    logFault(parts.logger, 'warn', error, { failure: failureFacts(error) }, 'deliveries of a slot failed');
  } finally {
    next = await place.end();
    await untilKept(parts, 'release of a slot is', () => slots.release(slot, name));
  }
  return failed ? { ...next, afterSeconds: AFTER_FAILURE } : next;
}
