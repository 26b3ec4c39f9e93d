import { LRUCache } from 'lru-cache';
import type { FormattedExecutionResult } from 'graphql';

/**
 * What is told of an event: an answer; nothing, since it is not for this caller; nothing and nothing more, since the caller may follow
 * nothing any more; or nothing yet, since something is away.
 */
export type EventAnswer =
  | { readonly kind: 'answer'; readonly result: FormattedExecutionResult; readonly size: number }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unavailable' };

/** Answers that identical subscriptions of the same visibility share: each event is executed once for all of them. */
export interface SharedAnswers {
  /**
   * The answer of a key, made at most once at a time, and kept for a moment for those who come a little later. That there is none is not
   * kept: a supplier that is active again is told what it was not told meanwhile.
   */
  of(key: string, make: () => Promise<EventAnswer>): Promise<EventAnswer>;
}

/** Milliseconds for which an answer is good: it tells the state when the event was delivered. */
const KEPT_FOR = 5_000;
/** Characters of all answers that are kept. */
const KEPT_SIZE = 32 * 1024 * 1024;
/** Executions at once: what lies beyond waits, so that a burst of events does not take all connections to the database. */
const AT_ONCE = 64;

/** Answers shared by all subscriptions of this gateway. */
export function sharedAnswers(): SharedAnswers {
  const kept = new LRUCache<string, Extract<EventAnswer, { kind: 'answer' }>>({
    maxSize: KEPT_SIZE,
    ttl: KEPT_FOR,
    sizeCalculation: ({ size }) => size,
  });
  const underWay = new Map<string, Promise<EventAnswer>>();
  const inTurn = turns(AT_ONCE);
  const made = async (key: string, make: () => Promise<EventAnswer>): Promise<EventAnswer> => {
    try {
      const answer = await inTurn(make);
      if (answer.kind === 'answer') kept.set(key, answer);
      return answer;
    } finally {
      underWay.delete(key);
    }
  };
  return {
    of(key, make) {
      const known = kept.get(key);
      if (known) return Promise.resolve(known);
      const begun = underWay.get(key) ?? made(key, make);
      underWay.set(key, begun);
      return begun;
    },
  };
}

/** Lets so many pieces of work run at once; the others wait in the order in which they came. */
function turns(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
