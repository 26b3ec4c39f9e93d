import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const FORM = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with AES-256-GCM: one byte of form, 12 of IV, the cipher text, 16 of tag. `bound` is authenticated with it:
 * a value sealed for one row does not open in another.
 */
export function seal(key: Buffer, plain: Buffer | string, bound: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound));
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  cipher.final(); // of this mode it gives no bytes
  return Buffer.concat([Buffer.from([FORM]), iv, body, cipher.getAuthTag()]);
}

/** Opens what {@link seal} made; throws when key, bound value or bytes are not those. */
export function unseal(key: Buffer, sealed: Buffer, bound: string): Buffer {
  if (sealed[0] !== FORM || sealed.length < 1 + IV_BYTES + TAG_BYTES) throw new Error('not a sealed value');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + IV_BYTES)).setAAD(Buffer.from(bound));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const plain = decipher.update(sealed.subarray(1 + IV_BYTES, sealed.length - TAG_BYTES));
  decipher.final(); // checks the tag
  return plain;
}
