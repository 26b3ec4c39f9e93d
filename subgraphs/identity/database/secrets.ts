import { randomBytes } from 'node:crypto';

const BYTES = 32;

/** The secret of a link, a redirect or a page: 256 bits, base64url. Only its keyed hash is stored. */
export function newSecret(): string {
  return randomBytes(BYTES).toString('base64url');
}
