import { keyedHash } from '../subgraphs/server/keyed-hash';
import { seal, unseal } from '../subgraphs/server/sealed';
import type { Cookies } from './cookies';

/** Values that the browser keeps for a service, but can neither read nor make. */
export interface SealedCookies<Name extends string> {
  read<Value>(name: Name): Value | undefined;
  write(name: Name, value: unknown): void;
}

/** Seals cookies under a key of the service; a value sealed for one cookie does not open in another. */
export function sealedCookies(key: Buffer): <Name extends string>(cookies: Cookies<Name>) => SealedCookies<Name> {
  const sealingKey = keyedHash(key, 'web-cookie')('');
  return <Name extends string>(cookies: Cookies<Name>) => ({
    read<Value>(name: Name): Value | undefined {
      const sealed = cookies.read(name);
      if (sealed === undefined) return undefined;
      const text = opened(sealingKey, sealed, name);
      return text === undefined ? undefined : (JSON.parse(text) as Value);
    },
    write(name: Name, value: unknown) {
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
