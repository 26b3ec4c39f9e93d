import { RegisterError } from '../../schema/register-error';

/** Longest wait of a call for others, in milliseconds: that of a statement for a session of the pool. */
export const MAX_WAIT_MS = 3_000;

/** Bounds of concurrent calls. */
interface FairBounds {
  /** Maximum number of calls at once. */
  readonly max: number;
  /** Maximum number of calls of one owner at once. */
  readonly maxOfOwner: number;
  /** Longest wait of a call, after which it fails; without a bound if absent. */
  readonly maxWaitMs?: number;
  /** Maximum number of waiting calls of one owner; further ones fail at once. Without a bound if absent. */
  readonly maxWaitingOfOwner?: number;
  /** Returns the error of a call beyond the bounds; SYS002 by default. */
  readonly exceeded?: () => RegisterError;
}

/** Calls of one owner. */
interface OwnerCalls {
  running: number;
  /** Functions that start the waiting calls, in order of arrival. */
  readonly waiting: (() => void)[];
}

/** Runs `work` within bounds that it shares with other calls. */
export type FairLimit = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>;

const unavailable = () => new RegisterError('SYS002');

/**
 * Returns a limit of concurrent calls. The owners of waiting calls take turns, so that many calls of one owner do not delay those of another.
 */
export function fairLimit(bounds: FairBounds): FairLimit {
  const { max, maxOfOwner, maxWaitMs, maxWaitingOfOwner = Infinity, exceeded = unavailable } = bounds;
  /** Owners with running or waiting calls, in the order of their turns. */
  const owners = new Map<string, OwnerCalls>();
  let running = 0;
  let waiting = 0;
  const count = (owner: string, calls: OwnerCalls) => {
    owners.delete(owner);
    owners.set(owner, calls); // the next turn of this owner follows those of all others
    running += 1;
    calls.running += 1;
  };
  const startNext = () => {
    if (running >= max || waiting === 0) return;
    for (const [owner, calls] of owners) {
      const start = calls.running < maxOfOwner ? calls.waiting.shift() : undefined;
      if (!start) continue;
      count(owner, calls);
      return start();
    }
  };
  const removeIdle = (owner: string, calls: OwnerCalls) => {
    if (calls.running === 0 && calls.waiting.length === 0) owners.delete(owner);
  };
  const started = (owner: string, calls: OwnerCalls) =>
    new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const start = () => {
        clearTimeout(timer);
        waiting -= 1;
        resolve();
      };
      const giveUp = () => {
        waiting -= 1;
        calls.waiting.splice(calls.waiting.indexOf(start), 1);
        removeIdle(owner, calls);
        reject(exceeded());
      };
      if (maxWaitMs !== undefined) timer = setTimeout(giveUp, maxWaitMs);
      calls.waiting.push(start);
      waiting += 1;
    });
  return async (owner, work) => {
    const calls = owners.get(owner) ?? { running: 0, waiting: [] };
    if (calls.waiting.length >= maxWaitingOfOwner) throw exceeded();
    // Each end of a call starts a waiting one, so that no call waits that could run.
    if (running < max && calls.running < maxOfOwner) count(owner, calls);
    else {
      owners.set(owner, calls);
      await started(owner, calls);
    }
    try {
      return await work();
    } finally {
      running -= 1;
      calls.running -= 1;
      removeIdle(owner, calls);
      startNext();
    }
  };
}
