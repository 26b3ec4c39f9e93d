import type { DataType } from '../../../schema/data-types';

/** Legal bases of access (specification, processing). */
export const LEGAL_BASES = [
  'uk-consent',
  'uk-explicit-consent',
  'uk-public-task',
  'uk-legitimate-interests',
  'uk-legal-obligation',
  'uk-contract',
] as const;
export type LegalBasis = (typeof LEGAL_BASES)[number];

/** States of an access record (specification, access-event). */
export const ACCESS_STATES = ['ACTIVE', 'REVOKED', 'EXPIRED', 'DISCOVERED'] as const;
export type AccessState = (typeof ACCESS_STATES)[number];

/** Controller arrangements and the roles of controllers in them. */
export type ArrangementType = 'sole' | 'joint' | 'group';
export type ControllerRole = 'sole' | 'lead' | 'joint' | 'member';

/** Types of consent. */
export type ConsentType = 'expressed-consent' | 'explicit-consent';

/** Reasons of a revocation by a Data User (decisions A/B, 3). */
export type RevocationReason =
  | 'customer-request'
  | 'contract-ended'
  | 'lia-lapsed'
  | 'statutory-authority-lapsed'
  | 'data-no-longer-required'
  | 'other';

/** A postal address; names and case are those of the contract. */
export interface UkAddress {
  addressLine1: string;
  addressLine2?: string | null;
  townCity: string;
  county?: string | null;
  postcode: string;
}

/** Where and how long a controller stores the data: country as ISO 3166-1 alpha-2, ISO 8601 duration. */
export interface StorageConditions {
  location: string;
  retentionPeriod: string;
}

/** A Data Controller of the record. */
export interface Controller {
  name: string;
  role: ControllerRole;
  contactUrl: string;
  address?: UkAddress | null;
  privacyRightsUrl?: string | null;
  liaReference?: string | null;
  statutoryReference?: string | null;
  storageConditions?: StorageConditions | null;
}

/** The accountable controller and its co-controllers. */
export interface ControllerArrangement {
  arrangementType: ArrangementType;
  art26Reference?: string | null;
  controllers: Controller[];
}

/** The notice that the customer agreed to. */
export interface NoticeDetail {
  termsUrl: string;
  noticeVersion: string;
  noticeLanguage?: string | null;
}

/** The notice of one controller of a joint arrangement. */
export interface ControllerNotice extends NoticeDetail {
  controllerName: string;
}

/** Exactly one member is populated. */
export interface Notice {
  sharedNotice?: NoticeDetail | null;
  notices?: ControllerNotice[] | null;
}

/** A third party who may receive data. */
export interface Recipient {
  name: string;
  role: string;
  privacyUrl?: string | null;
}

/** How consent was given. */
export interface Consent {
  consentType: ConsentType;
  method?: string | null;
}

/** Content of a registration (POST) or replacement (PUT): the AccessRecord of the specification in GraphQL names. */
export interface AccessRecordInput {
  recordMetadata: {
    schemaVersion: string;
    recordIdentifier?: string | null;
    createdAt?: string | null;
    controllerArrangement: ControllerArrangement;
    identityRecordRef?: string | null;
    duid?: string | null;
  };
  notice?: Notice | null;
  processing: {
    legalBasis: LegalBasis;
    purpose: string;
    dataTypes: DataType[];
    jurisdiction?: string | null;
    dataSource?: string | null;
    recipients?: Recipient[] | null;
  };
  accessEvent: {
    state: AccessState;
    registeredAt: Date;
    expiry?: Date | null;
    controllerReference?: string | null;
    consent?: Consent | null;
    revokedAt?: string | null;
  };
  reidentificationToken?: string | null;
}

/** Whether a legal basis is consent, with notice and consent sub-object. */
export function isConsentBasis(basis: LegalBasis): boolean {
  return basis === 'uk-consent' || basis === 'uk-explicit-consent';
}

/**
 * Whether a replacement may change the legal basis: only between the two consent bases, or between the others, because the customer of a
 * consent keeps the right to withdraw it (decisions A/B, 3). A discovered access has no legal basis.
 */
export function mayFollow(former: LegalBasis | null, basis: LegalBasis): boolean {
  return former !== null && isConsentBasis(former) === isConsentBasis(basis);
}

/**
 * Whether a record of this Data User belongs to the caller. A discovered access has no Data User (null) and no owner, so callers without a
 * DUID do not own it either.
 */
export function isOwner({ duid: own }: { readonly duid: string | null }, duid: string | null): boolean {
  return duid !== null && own === duid;
}

/** Whether a controller is the accountable one: the sole or lead controller. */
export function isAccountable({ role }: Pick<Controller, 'role'>): boolean {
  return role === 'sole' || role === 'lead';
}
