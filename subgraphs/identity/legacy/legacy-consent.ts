import type { DataType } from '../../../schema/data-types';
import type { UkAddress } from '../records/identity-record';

/** Evidence of a consent (specification, Interface B). */
export interface ConsentEvidence {
  readonly consentDate: Date;
  /** The Data User's own reference; only that Data User reads it. */
  readonly userDefinedReference: string | null;
  readonly termsUrl: string;
  /** Null means no defined end. */
  readonly consentExpiry: Date | null;
  readonly mpxn: string;
  readonly method: string;
  /** Address of the property; only the Data User that supplied it reads it. */
  readonly address: UkAddress | null;
}

/** A consent to register, or the new content of an update. */
export interface NewConsent {
  readonly duid: string;
  /** First day from which data is available, `YYYY-MM-DD`. */
  readonly moveInDate: string;
  readonly evidence: ConsentEvidence;
  readonly dataType: readonly DataType[];
}

/** A consent as Interface B returns it: complete for its own Data User, without reference and address for others. */
export interface RegisteredConsent {
  readonly duid: string;
  readonly evidence: ConsentEvidence;
  readonly dataType: readonly DataType[];
}

/** Result of a registration. */
export interface ConsentToken {
  /** `ck_` and the digits of the access key under which a Data Provider verifies it. */
  readonly key: string;
  readonly consentExpiry: Date | null;
}

/** A registered (`isNew`) or updated consent, or the stored response of an earlier request with the same idempotency key. */
export interface ConsentRegistration {
  readonly consentToken: ConsentToken;
  readonly isNew: boolean;
  readonly replayed: boolean;
}

/** Present state of a consent in `access`. */
export interface LegacyConsentState {
  readonly duid: string;
  readonly state: string;
  /** Internal id of the linked Identity Record. */
  readonly identityRecordId: string;
  /** Null once the Identity Record is closed. */
  readonly meterPointId: string | null;
}
