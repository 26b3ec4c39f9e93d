import { LRUCache } from 'lru-cache';
import { hasErrorCode } from '../../shared/operation-error';

/** Returns the result of a key; computes it unless it is cached or being computed. */
export type SharedResults<Result extends object> = (key: string, compute: () => Promise<Result>) => Promise<Result>;

/** Limits the memory of cached results. */
interface CacheLimits<Result> {
  readonly maxResults: number;
  /** Maximum size of all results together. */
  readonly maxSize: number;
  readonly sizeOf: (result: Result) => number;
}

/**
 * Computes the result of each key once, also for concurrent requests, and caches it. A failure is not cached. LIM002 concerns only the request
 * that computed: another one that waited computes itself, because it may have another rate limit.
 */
export function sharedResults<Result extends object>(limits: CacheLimits<Result>): SharedResults<Result> {
  const { maxResults: max, maxSize, sizeOf } = limits;
  const cached = new LRUCache<string, Result>({ max, maxSize, sizeCalculation: sizeOf });
  const running = new Map<string, Promise<Result>>();
  return async (key, compute) => {
    for (;;) {
      const result = cached.get(key) ?? (await running.get(key)?.catch(ignoreLimit));
      if (result !== undefined) return result;
      if (running.has(key)) continue;
      const started = compute()
        .then((computed) => {
          cached.set(key, computed);
          return computed;
        })
        .finally(() => running.delete(key));
      running.set(key, started);
      return started;
    }
  };
}

function ignoreLimit(error: unknown): undefined {
  if (!hasErrorCode(error, 'LIM002')) throw error;
}
