import { keyedHash } from '../../server/keyed-hash';
import type { TariffKeys } from '../foundation';

/** A consumer in the words of the supplier at which a consent is given. */
export interface ConsumerName {
  readonly mpid: string;
  /** Who says so: a subject is one consumer with one issuer only (OpenID Connect Core, section 2). */
  readonly issuer: string;
  readonly subject: string;
}

/** Finds a consumer without keeping what they are called; the same words of two suppliers or issuers are two consumers. */
export type SubjectHash = (consumer: ConsumerName) => Buffer;

/** Hashes under the index key of `tariffs`. No part of a name holds the character that divides them. */
export function subjectHash({ indexKey }: Pick<TariffKeys, 'indexKey'>): SubjectHash {
  const hash = keyedHash(indexKey, 'consumer');
  return ({ mpid, issuer, subject }) => hash(`${mpid}\0${issuer}\0${subject}`);
}
