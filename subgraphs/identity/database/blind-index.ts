import { keyedHash } from '../../server/keyed-hash';
import { comparableEmail } from '../domain/email-address';

/** The only forms in which an MPxN or an e-mail address is stored outside a sealed record: keyed hashes to look it up by. */
export interface BlindIndexes {
  mpxn(mpxn: string): Buffer;
  email(email: string): Buffer;
  /** The opaque id of a meter point: what `access` stores, and the federation key of MeterPoint. */
  meterPointId(mpxn: string): string;
}

/** Blind indexes under the subgraph's own key; the same value has another hash in each of them. */
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
