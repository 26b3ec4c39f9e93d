import type { DataType } from '../../../schema/data-types';
import type { UkAddress } from './identity-record';

/** Evidence of a consent (1-specification.md, Interface B). */
export interface ConsentEvidence {
  readonly consentDate: Date;
  /** The Data User's own reference: shown to nobody else. */
  readonly userDefinedReference: string | null;
  readonly termsUrl: string;
  /** Null means open-ended. */
  readonly consentExpiry: Date | null;
  readonly mpxn: string;
  readonly method: string;
  /** Shown to nobody but the Data User that gave it. */
  readonly address: UkAddress | null;
}

/** A consent as a Data User registers it, or as it is to be from now on. */
export interface NewConsent {
  readonly duid: string;
  /** First day from which data is available, `YYYY-MM-DD`. */
  readonly moveInDate: string;
  readonly evidence: ConsentEvidence;
  readonly dataType: readonly DataType[];
}

/** A consent as it is shown: whole to its own Data User, to others without reference and address. */
export interface RegisteredConsent {
  readonly duid: string;
  readonly evidence: ConsentEvidence;
  readonly dataType: readonly DataType[];
}

/** What a registration is answered with. */
export interface ConsentToken {
  /** `ck_` and the digits of the access key under which a Data Provider verifies it. */
  readonly key: string;
  readonly consentExpiry: Date | null;
}

/** A consent that was registered (`isNew`) or updated, or the answer that an earlier request with the same idempotency key got. */
export interface ConsentRegistration {
  readonly consentToken: ConsentToken;
  readonly isNew: boolean;
  readonly replayed: boolean;
}

/** How a consent stands, as `access` keeps it. */
export interface StandingConsent {
  readonly duid: string;
  readonly state: string;
  /** Internal identifier of the Identity Record that it is linked to. */
  readonly identityRecordId: string;
  /** Null once that is closed. */
  readonly meterPointId: string | null;
}
