import { createHmac } from 'node:crypto';

/** Computes a keyed hash (HMAC-SHA256), the form in which a secret or personal value is stored and looked up. */
export type KeyedHash = (value: string) => Buffer;

/**
 * Returns the hash function of one purpose. The purpose is part of the input, so equal values of two purposes have
 * different hashes.
 */
export function keyedHash(key: Buffer, purpose: string): KeyedHash {
  return (value) => createHmac('sha256', key).update(purpose).update('\0').update(value).digest();
}
