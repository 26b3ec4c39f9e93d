import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** First byte of every encrypted value. */
const FORMAT_VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with AES-256-GCM. The result is the format version (1 byte), the IV (12), the ciphertext and the tag (16).
 * `bound` is additional authenticated data: name the row in it, and the value of one row cannot be decrypted as that of
 * another.
 */
export function encryptValue(key: Buffer, plain: Buffer | string, bound: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound));
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  cipher.final(); // required for the tag; returns no bytes in GCM
  return Buffer.concat([Buffer.from([FORMAT_VERSION]), iv, body, cipher.getAuthTag()]);
}

/** Decrypts the result of {@link encryptValue}; throws if key, `bound` or bytes differ. */
export function decryptValue(key: Buffer, sealed: Buffer, bound: string): Buffer {
  if (sealed[0] !== FORMAT_VERSION || sealed.length < 1 + IV_BYTES + TAG_BYTES)
    throw new Error('not an encrypted value');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + IV_BYTES)).setAAD(Buffer.from(bound));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const plain = decipher.update(sealed.subarray(1 + IV_BYTES, sealed.length - TAG_BYTES));
  decipher.final(); // verifies the tag
  return plain;
}
