import { keyedHash } from '../../server/keyed-hash';
import type { TariffKeys } from '../keys';

/** Who or what ended a consent (decisions C/D, D.2 and D.3). */
export type ConsentEnd = 'consumer' | 'admin' | 'rti_user_removed' | 'supplier_removed' | 'issuer_changed';

/** A consent as stored, without its MPxNs. */
export interface StoredConsent {
  readonly registrationId: string;
  readonly mpid: string;
  readonly userId: string;
  readonly givenAt: Date;
  readonly revokedAt: Date | null;
  readonly revokedBy: ConsentEnd | null;
}

/** A tariff that applies to an MPxN. */
export interface MpxnTariff {
  readonly mpxn: string;
  readonly tariffId: string;
}

/** The live consent after a grant. */
export interface GrantedConsent {
  readonly registrationId: string;
  /** The token's MPxNs to which a tariff of the supplier applies now. */
  readonly tariffs: readonly MpxnTariff[];
  /** False if the consent was live before. */
  readonly isNew: boolean;
}

/** A consumer as the token of a supplier names them. */
export interface ConsumerName {
  readonly mpid: string;
  /** A subject is unique within its issuer only (OpenID Connect Core, section 2). */
  readonly issuer: string;
  readonly subject: string;
}

/** Hashes the name of a consumer, so that the name itself is not stored. It differs between suppliers and between issuers. */
export type SubjectHash = (consumer: ConsumerName) => Buffer;

/** Returns the hash under the index key of `tariffs`. No part of a name contains the separator NUL. */
export function subjectHash({ indexKey }: Pick<TariffKeys, 'indexKey'>): SubjectHash {
  const hash = keyedHash(indexKey, 'consumer');
  return ({ mpid, issuer, subject }) => hash(`${mpid}\0${issuer}\0${subject}`);
}
