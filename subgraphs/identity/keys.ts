import { randomBytes } from 'node:crypto';

const BYTES = 32;

/** Returns a new secret for a link, redirect or page: 256 bits as base64url. Only its keyed hash is stored. */
export function newSecret(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** Keys of `identity`, 32 bytes each. No other service has them. */
export interface IdentityKeys {
  /** Key of the blind indexes. No record can be found after a change of it. */
  readonly indexKey: Buffer;
  /** Key-encryption key of the data keys of records. */
  readonly encryptionKey: Buffer;
  /** Key of the hashes of idempotency keys, request bodies, and secrets of links and sessions. */
  readonly hashKey: Buffer;
}
