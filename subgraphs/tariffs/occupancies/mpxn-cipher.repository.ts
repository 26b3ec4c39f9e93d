import { keyedHash } from '../../server/keyed-hash';
import {
  type OccupancyKey,
  type OccupancyKeys,
  type WrappedOccupancyKey,
  occupancyKeys,
} from '../../server/occupancy-keys';
import { decryptValue } from '../../server/encryption';
import type { TariffKeys } from '../keys';
import { TARIFF_OCCUPANCIES } from './tariff-occupancies.sql';

/** An MPxN as stored: a keyed hash to find it by, and the MPxN encrypted under the key of an occupancy. */
export interface StoredMpxn extends WrappedOccupancyKey {
  /** Null for an event that concerns no MPxN. */
  readonly mpxnHash: Buffer | null;
  /** Null if no row of the occupancy needs the MPxN. */
  readonly encrypted: Buffer | null;
  /** Encrypted under the encryption key itself, by a release without keys of occupancies; null once it is re-encrypted. */
  readonly direct: Buffer | null;
}

/** Hashes and encrypts MPxNs (decisions C/D, D.1). `identity` uses other keys, so that the tables of the two cannot be joined. */
export interface MpxnCipher {
  readonly keys: OccupancyKeys;
  hash(mpxn: string): Buffer;
  encrypt(key: OccupancyKey, mpxn: string): Buffer;
  /** Returns null if there is no MPxN, or if the key of its occupancy was destroyed (decisions A/B, 12). */
  decrypt(stored: StoredMpxn): string | null;
}

/** Returns the cipher of the keys of `tariffs`. It authenticates the hash. */
export function mpxnCipher({ indexKey, encryptionKey }: Pick<TariffKeys, 'indexKey' | 'encryptionKey'>): MpxnCipher {
  const keys = occupancyKeys(TARIFF_OCCUPANCIES, encryptionKey);
  const hash = keyedHash(indexKey, 'mpxn');
  const bound = (mpxnHash: Buffer) => `mpxn ${mpxnHash.toString('hex')}`;
  return {
    keys,
    hash,
    encrypt: (key, mpxn) => key.encryptValue(mpxn, bound(hash(mpxn))),
    decrypt({ mpxnHash, encrypted, direct, keyId, wrappedKey }) {
      if (mpxnHash === null) return null;
      if (encrypted !== null && wrappedKey !== null)
        return keys.open({ keyId, wrappedKey }, encrypted, bound(mpxnHash));
      return direct === null ? null : decryptValue(encryptionKey, direct, bound(mpxnHash)).toString('utf8');
    },
  };
}
