import { keyedHash } from '../../subgraphs/server/keyed-hash';
import { encryptValue } from '../../subgraphs/server/encryption';
import type { TariffKeys } from '../../subgraphs/tariffs/keys';

/** Returns an MPxN as `tariffs` stored it before migration 0003: encrypted directly with the encryption key. */
export function directlyEncrypted(keys: TariffKeys, mpxn: string): { readonly hash: Buffer; readonly sealed: Buffer } {
  const hash = keyedHash(keys.indexKey, 'mpxn')(mpxn);
  return { hash, sealed: encryptValue(keys.encryptionKey, mpxn, `mpxn ${hash.toString('hex')}`) };
}
