import { LRUCache } from 'lru-cache';
import type { FormattedExecutionResult } from 'graphql';

/**
 * Outcome of an event for a subscription. `result`: send it. `hidden`: the caller may not see the event. `rejected`: the
 * caller may receive no events any more. `unavailable`: a dependency is unavailable, retry.
 */
export type EventResult =
  | { readonly kind: 'result'; readonly result: FormattedExecutionResult; readonly size: number }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'unavailable' };

/** Results shared by identical subscriptions with the same visibility: each event is executed once for all of them. */
interface SharedResults {
  /**
   * Returns the result for a key. Executes at most once concurrently and caches a successful result for 5 s. Other
   * outcomes are not cached, so that a reactivated supplier receives the events it missed.
   */
  of(key: string, execute: () => Promise<EventResult>): Promise<EventResult>;
}

/** Lifetime of a cached result. It shows the state at the time of the first delivery. */
const RESULT_TTL_MS = 5_000;
/** Maximum total length of all cached results. */
const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;
/** Further executions wait, so that a burst of events leaves database connections for other requests. */
const MAX_CONCURRENT_EXECUTIONS = 64;

/** Creates the results shared by all subscriptions of this gateway. */
export function sharedResults(): SharedResults {
  const cache = new LRUCache<string, Extract<EventResult, { kind: 'result' }>>({
    maxSize: MAX_CACHED_CHARACTERS,
    ttl: RESULT_TTL_MS,
    sizeCalculation: ({ size }) => size,
  });
  const running = new Map<string, Promise<EventResult>>();
  const limited = concurrencyLimit(MAX_CONCURRENT_EXECUTIONS);
  const executed = async (key: string, execute: () => Promise<EventResult>): Promise<EventResult> => {
    try {
      const result = await limited(execute);
      if (result.kind === 'result') cache.set(key, result);
      return result;
    } finally {
      running.delete(key);
    }
  };
  return {
    of(key, execute) {
      const cached = cache.get(key);
      if (cached) return Promise.resolve(cached);
      const started = running.get(key) ?? executed(key, execute);
      running.set(key, started);
      return started;
    },
  };
}

/** Runs at most `max` calls at once; others wait in order of arrival. */
function concurrencyLimit(max: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => void waiting.push(resolve));
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
