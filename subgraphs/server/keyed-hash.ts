import { createHmac } from 'node:crypto';

/** A keyed hash (HMAC-SHA256) of a secret or personal value: the form in which it is stored and looked up. */
export type KeyedHash = (value: string) => Buffer;

/** Hashes for one purpose; the purpose is part of the input, so that one key never gives the same hash twice. */
export function keyedHash(key: Buffer, purpose: string): KeyedHash {
  return (value) => createHmac('sha256', key).update(purpose).update('\0').update(value).digest();
}
