import { LRUCache } from 'lru-cache';
import { SESSION_LIFETIME } from './cookies';

/** Sessions that a sign-out ended: whoever has a copy of the cookie is not signed in by it. */
export interface EndedSessions {
  add(id: string): void;
  has(id: string): boolean;
}

/** Whoever signs out this often needs a secret key for each time. */
const REMEMBERED = 10_000;

/**
 * They are remembered until their tokens have expired, by this process alone: another replica of the console, or this one after a
 * restart, takes a copied cookie until then. What ends a session everywhere and at once is the suspension of its account.
 */
export function endedSessions(): EndedSessions {
  const ended = new LRUCache<string, true>({ max: REMEMBERED, ttl: SESSION_LIFETIME * 1_000 });
  return {
    add: (id) => void ended.set(id, true),
    has: (id) => ended.has(id),
  };
}
