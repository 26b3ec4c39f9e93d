import { LRUCache } from 'lru-cache';
import type { RateLimit } from './rate-limits';

/** Milliseconds during which a key above its limit is not counted again. */
const SPARED_MS = 1_000;
/** Keys above their limit that a process stores. */
const MAX_EXCEEDED_KEYS = 10_000;

/**
 * Returns the limit with one statement a second for a key that is above it, because the statements of a flood would wait for each other, for
 * one row, and occupy the pool of the subgraph.
 */
export function sparing(limit: RateLimit): RateLimit {
  const exceeded = new LRUCache<string, { readonly wait: number; until: number }>({ max: MAX_EXCEEDED_KEYS });
  return {
    passed: limit.passed,
    async count(key, session) {
      const known = exceeded.get(key);
      const now = performance.now();
      if (known && now < known.until) return known.wait;
      if (known) known.until = now + SPARED_MS; // concurrent calls do not count
      const wait = await limit.count(key, session);
      if (wait === null) exceeded.delete(key);
      else exceeded.set(key, { wait, until: now + SPARED_MS });
      return wait;
    },
  };
}
