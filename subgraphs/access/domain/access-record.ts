import type { DataType } from '../../../schema/data-types';
import type { DiscoveredAccess } from './discovered-access';

export { DATA_TYPES, type DataType } from '../../../schema/data-types';

/** Legal bases for access (1-specification.md, processing). */
export const LEGAL_BASES = [
  'uk-consent',
  'uk-explicit-consent',
  'uk-public-task',
  'uk-legitimate-interests',
  'uk-legal-obligation',
  'uk-contract',
] as const;
export type LegalBasis = (typeof LEGAL_BASES)[number];

/** States of an access record (1-specification.md, access-event). */
export const ACCESS_STATES = ['ACTIVE', 'REVOKED', 'EXPIRED', 'DISCOVERED'] as const;
export type AccessState = (typeof ACCESS_STATES)[number];

/** Controller arrangements and the roles of controllers in them. */
export type ArrangementType = 'sole' | 'joint' | 'group';
export type ControllerRole = 'sole' | 'lead' | 'joint' | 'member';

/** Consent types of the consent sub-object. */
export type ConsentType = 'expressed-consent' | 'explicit-consent';

/** Why a Data User ends its access (2-decisions-a-b.md, section 3). */
export const REVOCATION_REASONS = [
  'customer-request',
  'contract-ended',
  'lia-lapsed',
  'statutory-authority-lapsed',
  'data-no-longer-required',
  'other',
] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/** UKAddress; both spelling and case are the contract's own. */
export interface UkAddress {
  addressLine1: string;
  addressLine2?: string | null;
  townCity: string;
  county?: string | null;
  postcode: string;
}

/** Where and how long a controller keeps the data: ISO 3166-1 alpha-2 and ISO 8601 duration. */
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

/** Who is accountable, and together with whom. */
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

/** What a Data User registers (POST) or replaces (PUT): the AccessRecord of the specification, in the graph's names. */
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

/** A Data Controller as it is stored: what was discovered has no contact. */
export type StoredController = Omit<Controller, 'contactUrl'> & { contactUrl: string | null };

/** An arrangement as it is stored. */
export type StoredControllerArrangement = Omit<ControllerArrangement, 'controllers'> & {
  controllers: StoredController[];
};

/** The part of a record that is stored as one document: everything that no statement selects by. JSON types only. */
export interface AccessRecordDocument {
  schemaVersion: string;
  controllerArrangement: StoredControllerArrangement;
  notice: Notice | null;
  /** Null of what was discovered. */
  purpose: string | null;
  dataTypes: DataType[];
  dataSource: string | null;
  recipients: Recipient[] | null;
  controllerReference: string | null;
  consent: Consent | null;
  /** Of what the communications operator discovered, only there. */
  discoveredAccess?: DiscoveredAccess;
}

/** The document of an input. Inputs arrive as class instances; `?? null` also makes absent optional parts null. */
export function documentOf({
  recordMetadata,
  notice,
  processing,
  accessEvent,
}: AccessRecordInput): AccessRecordDocument {
  return {
    schemaVersion: recordMetadata.schemaVersion,
    controllerArrangement: recordMetadata.controllerArrangement,
    notice: notice ?? null,
    purpose: processing.purpose,
    dataTypes: processing.dataTypes,
    dataSource: processing.dataSource ?? null,
    recipients: processing.recipients ?? null,
    controllerReference: accessEvent.controllerReference ?? null,
    consent: accessEvent.consent ?? null,
  };
}

/** Whether a legal basis is consent, with notice and consent sub-object. */
export function isConsentBasis(basis: LegalBasis): boolean {
  return basis === 'uk-consent' || basis === 'uk-explicit-consent';
}

/**
 * Whether a replacement may change the legal basis: within the two consent bases or within the others, since the customer of a consent
 * keeps the right to withdraw it (decisions A/B, section 3). A discovered access has none.
 */
export function mayFollow(former: LegalBasis | null, basis: LegalBasis): boolean {
  return former !== null && isConsentBasis(former) === isConsentBasis(basis);
}
