import { keyedHash } from '../../subgraphs/server/keyed-hash';
import { seal, unseal } from '../../subgraphs/server/sealed';
import type { CookieName, Cookies } from './cookies';

/** Values that the browser keeps for the portal, but can neither read nor make. */
export interface SealedCookies {
  read<Value>(name: CookieName): Value | undefined;
  write(name: CookieName, value: unknown): void;
}

/** Seals cookies under a key of the portal; a value sealed for one cookie does not open in another. */
export function sealedCookies(key: Buffer): (cookies: Cookies) => SealedCookies {
  const sealingKey = keyedHash(key, 'portal-cookie')('');
  return (cookies) => ({
    read<Value>(name: CookieName): Value | undefined {
      const sealed = cookies.read(name);
      if (sealed === undefined) return undefined;
      const text = opened(sealingKey, sealed, name);
      return text === undefined ? undefined : (JSON.parse(text) as Value);
    },
    write(name, value) {
      cookies.write(name, seal(sealingKey, JSON.stringify(value), name).toString('base64url'));
    },
  });
}

/** A value that was not sealed here, or with an earlier key, counts as none. */
function opened(key: Buffer, sealed: string, name: string): string | undefined {
  try {
    return unseal(key, Buffer.from(sealed, 'base64url'), name).toString('utf8');
  } catch {
    return undefined;
  }
}
