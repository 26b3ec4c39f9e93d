import { isUtf8 } from 'node:buffer';
import { createDecipheriv } from 'node:crypto';
import type { SearchedPlace, StoredValues } from './secret-scan';

/** The layout of `subgraphs/server/encryption.ts`: version, IV, ciphertext, tag. */
const [VERSION, IV_BYTES, TAG_BYTES, KEY_BYTES] = [1, 12, 16, 32];
const OVERHEAD = 1 + IV_BYTES + TAG_BYTES;
/** Encrypted values within a text: base64 in JSON, hexadecimal digits in a file of COPY. */
const ENCODED = [
  { encoding: 'base64', pattern: /[A-Za-z0-9+/]{39,}={0,2}/g },
  { encoding: 'hex', pattern: /(?<=\\x)[0-9a-f]{58,}/g },
] as const;

/**
 * Returns everything that can be read of encrypted values with the keys of the register and the data keys that the
 * values contain (columns and files whose name contains `key`), one place for each column or file. The row to which a
 * value is bound is not needed: the tag is not verified, and a text counts as read if it is UTF-8.
 */
export function decryptedPlaces(
  stored: readonly StoredValues[],
  registerKeys: readonly Buffer[],
  dataKeys: readonly Buffer[] = dataKeysOf(stored, registerKeys),
): SearchedPlace[] {
  const keys = [...registerKeys, ...dataKeys];
  return stored.map(({ name, values }) => ({
    name: `${name}, decrypted`,
    content: Buffer.concat(
      values
        .flatMap(encryptedIn)
        .flatMap((encrypted) => keys.map((key) => decrypted(key, encrypted)).filter((plain) => isUtf8(plain)))
        .flatMap((plain) => [plain, Buffer.from('\n')]),
    ),
  }));
}

/** Returns the data keys that are stored wrapped under a key of the register, and bytes that are not data keys. */
export function dataKeysOf(stored: readonly StoredValues[], registerKeys: readonly Buffer[]): Buffer[] {
  return stored
    .filter(({ name }) => /key/.test(name))
    .flatMap(({ values }) => values.flatMap(encryptedIn))
    .filter(({ length }) => length === OVERHEAD + KEY_BYTES)
    .flatMap((wrapped) => registerKeys.map((key) => decrypted(key, wrapped)));
}

function encryptedIn(value: Buffer): Buffer[] {
  const text = isUtf8(value) ? value.toString('utf8') : '';
  const encoded = ENCODED.flatMap(({ encoding, pattern }) =>
    [...text.matchAll(pattern)].map(([match]) => Buffer.from(match, encoding)),
  );
  return [value, ...encoded].filter((each) => each[0] === VERSION && each.length > OVERHEAD);
}

function decrypted(key: Buffer, encrypted: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(1, 1 + IV_BYTES));
  return decipher.update(encrypted.subarray(1 + IV_BYTES, encrypted.length - TAG_BYTES));
}
