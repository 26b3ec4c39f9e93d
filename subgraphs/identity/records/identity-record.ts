/** Who states that the customer lives at the property (decisions A/B, 4). */
export type ExpressedBy = 'data-subject' | 'authorised-representative';

/** Outcome of the verification of the principal. */
export type VerificationOutcome = 'verified' | 'failed' | 'partial';

/** A postal address (decisions A/B, 3). */
export interface UkAddress {
  readonly addressLine1: string;
  readonly addressLine2: string | null;
  readonly townCity: string;
  readonly county: string | null;
  readonly postcode: string;
}

/** The relationship of a person and a property: meter point, day of moving in, address. */
export interface PiiPrincipal {
  readonly mpxn: string;
  /** Calendar date `YYYY-MM-DD`. */
  readonly moveInDate: string;
  readonly address: UkAddress | null;
}

/** Evidence that the identity of the person was verified. */
export interface PrincipalVerification {
  readonly method: string;
  readonly verifiedAt: Date;
  readonly outcome: VerificationOutcome;
  readonly reference: string | null;
  readonly submitted: string | null;
  readonly verifiedAgainst: string | null;
  readonly detail: unknown;
}

/** The personal data of an Identity Record, encrypted under the record's own data key. */
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

/** An Identity Record: the relationship of a person and a property that one Data User vouches for. */
export interface IdentityRecord {
  /** Internal id; the federation key. */
  readonly id: string;
  readonly ir: string;
  /** The Data User that created the record; only it can read the record. */
  readonly duid: string;
  readonly createdAt: Date;
  readonly expressedBy: ExpressedBy;
  readonly hasEmail: boolean;
  readonly anonymisedAt: Date | null;
  /** Decrypts the personal data, once per record that was read; null after anonymising. */
  personal(): PersonalData | null;
}

/** Returns the personal data of a record; null after anonymising, and if its key or its data is damaged. */
export function readablePersonal(record: Pick<IdentityRecord, 'personal'>): PersonalData | null {
  try {
    return record.personal();
  } catch {
    return null;
  }
}

/** Returns a record as a list contains it whose key or data is damaged: without personal data. */
export function withoutPersonal(record: IdentityRecord): IdentityRecord {
  const { id, ir, duid, createdAt, expressedBy, hasEmail, anonymisedAt } = record;
  return { id, ir, duid, createdAt, expressedBy, hasEmail, anonymisedAt, personal: () => null };
}

/** An Identity Record as its Data User registers it. */
export interface NewIdentityRecord extends PersonalData {
  readonly expressedBy: ExpressedBy;
  /** Null means false. */
  readonly initiatePasskeyRegistration: boolean | null;
  readonly passkeyReturnUrl: string | null;
  /** Value of the query parameter `state` of the return URL. */
  readonly state: string | null;
}

/** Fields of an Identity Record that `access` needs to link a record to it. */
export interface IdentityRecordLink {
  readonly ref: string;
  readonly id: string;
  readonly duid: string;
  /** Blind index of the MPxN; null after anonymising. */
  readonly meterPointId: string | null;
  readonly anonymised: boolean;
  /** Whether it is being anonymised: no record can be linked to it. */
  readonly closing: boolean;
}

/** Whether a Data User created the Identity Record; no other may read it (decisions A/B, 4). */
export function isOwnedBy(record: Pick<IdentityRecord, 'duid'>, duid: string): boolean {
  return record.duid === duid;
}
