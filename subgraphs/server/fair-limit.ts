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
  const calls = new FairCalls(bounds);
  return (owner, work) => calls.run(owner, work);
}

class FairCalls {
  /** Owners with running or waiting calls, in the order of their turns. */
  private readonly owners = new Map<string, OwnerCalls>();
  private running = 0;
  private waiting = 0;

  constructor(private readonly bounds: FairBounds) {}

  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const calls = this.owners.get(owner) ?? { running: 0, waiting: [] };
    // Each end of a call starts a waiting one, so that no call waits that could run.
    const mayRun = this.running < this.bounds.max && calls.running < this.bounds.maxOfOwner;
    await (mayRun ? this.count(owner, calls) : this.wait(owner, calls)); // `work` begins after `run` has returned
    try {
      return await work();
    } finally {
      this.running -= 1;
      calls.running -= 1;
      this.removeIdle(owner, calls);
      this.startNext();
    }
  }

  private count(owner: string, calls: OwnerCalls): void {
    this.owners.delete(owner);
    this.owners.set(owner, calls); // the next turn of this owner follows those of all others
    this.running += 1;
    calls.running += 1;
  }

  private wait(owner: string, calls: OwnerCalls): Promise<void> {
    const { maxWaitMs, maxWaitingOfOwner = Infinity, exceeded = unavailable } = this.bounds;
    if (calls.waiting.length >= maxWaitingOfOwner) throw exceeded();
    this.owners.set(owner, calls);
    this.waiting += 1;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const start = () => {
        clearTimeout(timer);
        this.waiting -= 1;
        resolve();
      };
      const giveUp = () => {
        calls.waiting.splice(calls.waiting.indexOf(start), 1);
        this.waiting -= 1;
        this.removeIdle(owner, calls);
        reject(exceeded());
      };
      if (maxWaitMs !== undefined) timer = setTimeout(giveUp, maxWaitMs);
      calls.waiting.push(start);
    });
  }

  private startNext(): void {
    if (this.running >= this.bounds.max || this.waiting === 0) return;
    for (const [owner, calls] of this.owners) {
      const start = calls.running < this.bounds.maxOfOwner ? calls.waiting.shift() : undefined;
      if (!start) continue;
      this.count(owner, calls);
      return start();
    }
  }

  private removeIdle(owner: string, calls: OwnerCalls): void {
    if (calls.running === 0 && calls.waiting.length === 0) this.owners.delete(owner);
  }
}
