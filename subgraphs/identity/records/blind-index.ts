import { keyedHash } from '../../server/keyed-hash';
import { comparableEmail } from './personal-data-rules';

/** Keyed hashes by which records are found. Outside encrypted data, an MPxN or e-mail address is stored in no other form. */
export interface BlindIndexes {
  mpxn(mpxn: string): Buffer;
  email(email: string): Buffer;
  /** Opaque id of a meter point, which `access` stores; the federation key of MeterPoint. */
  meterPointId(mpxn: string): string;
}

/** Blind indexes under the index key. One value has a different hash in each index. */
export function blindIndexes(indexKey: Buffer): BlindIndexes {
  const hashOfMpxn = keyedHash(indexKey, 'mpxn');
  const hashOfEmail = keyedHash(indexKey, 'email');
  const hashOfMeterPoint = keyedHash(indexKey, 'meter-point');
  return {
    mpxn: hashOfMpxn,
    email: (email) => hashOfEmail(comparableEmail(email)),
    meterPointId: (mpxn) => hashOfMeterPoint(mpxn).toString('base64url'),
  };
}
