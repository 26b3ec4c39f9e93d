import { keyedHash } from '../../server/keyed-hash';
import { seal, unseal } from '../../server/sealed';
import type { TariffKeys } from '../foundation';

/** An MPxN as it is stored: found by its keyed hash, read only where it is told. */
export interface StoredMpxn {
  readonly hash: Buffer;
  readonly sealed: Buffer;
}

/** The only forms in which an MPxN is stored (3-decisions-c-d.md, D.1): `identity` has other keys, so that nobody joins the two. */
export interface MpxnVault {
  hash(mpxn: string): Buffer;
  seal(mpxn: string): StoredMpxn;
  open(stored: StoredMpxn): string;
}

/** A vault under the keys of `tariffs`. */
export function mpxnVault({ indexKey, encryptionKey }: Pick<TariffKeys, 'indexKey' | 'encryptionKey'>): MpxnVault {
  const hash = keyedHash(indexKey, 'mpxn');
  const bound = (of: Buffer) => `mpxn ${of.toString('hex')}`;
  return {
    hash,
    seal(mpxn) {
      const itsHash = hash(mpxn);
      return { hash: itsHash, sealed: seal(encryptionKey, mpxn, bound(itsHash)) };
    },
    open: (stored) => unseal(encryptionKey, stored.sealed, bound(stored.hash)).toString('utf8'),
  };
}
