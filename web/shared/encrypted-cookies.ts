import { keyedHash } from '../../subgraphs/server/keyed-hash';
import { encryptValue, decryptValue } from '../../subgraphs/server/encryption';
import type { Cookies } from './cookies';

/** Cookies whose values the browser can neither read nor forge. */
export interface EncryptedCookies<Name extends string> {
  read<Value>(name: Name): Value | undefined;
  write(name: Name, value: unknown): void;
}

/**
 * Encrypts cookies with a key of the service. The name is authenticated, so that a value decrypts only under its own
 * name.
 */
export function encryptedCookies(key: Buffer): <Name extends string>(cookies: Cookies<Name>) => EncryptedCookies<Name> {
  const cookieKey = keyedHash(key, 'web-cookie')('');
  return <Name extends string>(cookies: Cookies<Name>) => ({
    read<Value>(name: Name): Value | undefined {
      const encrypted = cookies.read(name);
      if (encrypted === undefined) return undefined;
      const text = decrypted(cookieKey, encrypted, name);
      return text === undefined ? undefined : (JSON.parse(text) as Value);
    },
    write(name: Name, value: unknown) {
      cookies.write(name, encryptValue(cookieKey, JSON.stringify(value), name).toString('base64url'));
    },
  });
}

/** Returns undefined for a value that was not encrypted with this key under this name. */
function decrypted(key: Buffer, encrypted: string, name: string): string | undefined {
  try {
    return decryptValue(key, Buffer.from(encrypted, 'base64url'), name).toString('utf8');
  } catch {
    return undefined;
  }
}
