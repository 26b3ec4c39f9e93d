import { LRUCache } from 'lru-cache';
import { SESSION_LIFETIME_SECONDS } from './cookies';

/** Ids of sessions that a sign-out or another sign-in ended; a copied cookie with such an id is rejected. */
interface EndedSessions {
  add(id: string): void;
  has(id: string): boolean;
}

/**
 * Bounds the memory. To exceed it, a client would need an account's secret key and 10,000 sign-outs within two hours.
 */
const MAX_ENDED_SESSIONS = 10_000;

/**
 * Stores ids in memory until the tokens of their sessions expire. Another replica, or this process after a restart,
 * still accepts a copied cookie; suspending the account ends the session everywhere.
 */
export function endedSessions(): EndedSessions {
  const ended = new LRUCache<string, true>({ max: MAX_ENDED_SESSIONS, ttl: SESSION_LIFETIME_SECONDS * 1_000 });
  return {
    add: (id) => void ended.set(id, true),
    has: (id) => ended.has(id),
  };
}
