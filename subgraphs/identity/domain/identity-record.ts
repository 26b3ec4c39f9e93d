/** Who states that the customer lives at the property (2-decisions-a-b.md, section 4). */
export type ExpressedBy = 'data-subject' | 'authorised-representative';

/** What verifying the principal came to. */
export type VerificationOutcome = 'verified' | 'failed' | 'partial';

/** UKAddress (2-decisions-a-b.md, section 3). */
export interface UkAddress {
  readonly addressLine1: string;
  readonly addressLine2: string | null;
  readonly townCity: string;
  readonly county: string | null;
  readonly postcode: string;
}

/** The person-property relationship: meter point, since when, where. */
export interface PiiPrincipal {
  readonly mpxn: string;
  /** Calendar date `YYYY-MM-DD`. */
  readonly moveInDate: string;
  readonly address: UkAddress | null;
}

/** The evidence that the person is who they say they are. */
export interface PrincipalVerification {
  readonly method: string;
  readonly verifiedAt: Date;
  readonly outcome: VerificationOutcome;
  readonly reference: string | null;
  readonly submitted: string | null;
  readonly verifiedAgainst: string | null;
  readonly detail: unknown;
}

/** Everything personal of an Identity Record: kept only under the record's own data key. */
export interface PersonalData {
  readonly piiPrincipal: PiiPrincipal;
  readonly principalVerification: PrincipalVerification | null;
  readonly email: string | null;
}

/** A passkey of an Identity Record, without its public key. */
export interface PasskeyCredential {
  readonly credentialId: string;
  readonly registeredAt: Date;
  readonly transports: readonly string[] | null;
}

/** An Identity Record: the person-property relationship that one Data User vouches for. */
export interface IdentityRecord {
  /** Internal identifier, the federation key. */
  readonly id: string;
  readonly ir: string;
  /** The Data User that created the record, its only reader. */
  readonly duid: string;
  readonly createdAt: Date;
  readonly expressedBy: ExpressedBy;
  readonly hasEmail: boolean;
  readonly anonymisedAt: Date | null;
  /** Opens the personal data, once per record read; null once anonymised. */
  personal(): PersonalData | null;
}

/** An Identity Record as its Data User registers it. */
export interface NewIdentityRecord extends PersonalData {
  readonly expressedBy: ExpressedBy;
  /** Null means false. */
  readonly initiatePasskeyRegistration: boolean | null;
  readonly passkeyReturnUrl: string | null;
  /** What the return URL carries back as `state=`. */
  readonly state: string | null;
}

/** What `access` must know of an Identity Record when a record is linked to it. */
export interface IdentityRecordLink {
  readonly ref: string;
  readonly id: string;
  readonly duid: string;
  /** Blind index of the MPxN; null once anonymised. */
  readonly meterPointId: string | null;
  readonly anonymised: boolean;
  /** Whether it is being anonymised: nothing is linked to it any more. */
  readonly closing: boolean;
}
