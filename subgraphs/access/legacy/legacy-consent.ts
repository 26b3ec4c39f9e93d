import { LEGACY_NOTICE_VERSION, LEGACY_PURPOSE } from '../../../schema/legacy-consent';
import type { DataType } from '../../../schema/data-types';
import { type AccessRecordInput, type Consent, isAccountable } from '../records/access-record';
import type { AccessRecordDocument } from '../records/record-document';

/** A consent of Interface B without personal data (specification, Interface B). */
export interface LegacyConsent {
  readonly consentDate: Date;
  readonly userDefinedReference: string | null;
  readonly termsUrl: string;
  /** Null means no defined end. */
  readonly consentExpiry: Date | null;
  readonly method: string;
  readonly dataTypes: readonly DataType[];
}

/** Settings of a Data User's account that its controller entry contains. */
interface LegacyController {
  readonly displayName: string;
  readonly contactUrl: string | null;
  readonly privacyUrl: string | null;
}

const SCHEMA_VERSION = 'legacy-1';

/** Returns which settings an account lacks for Interface B; undefined if it is complete. */
export function missingOfController({ contactUrl, privacyUrl }: LegacyController): string | undefined {
  const missing = [...(contactUrl === null ? ['contact URL'] : []), ...(privacyUrl === null ? ['privacy URL'] : [])];
  if (missing.length === 0) return undefined;
  return `The account has no ${missing.join(' and no ')}: the back office must set it before a consent can be registered.`;
}

/**
 * Returns the access record of a consent (decisions A/B, 8): the account is the sole controller, the terms are the shared notice. {@link
 * missingOfController} finds nothing missing, and `identity` has validated the consent.
 */
export function accessRecordOf(consent: LegacyConsent, controller: LegacyController): AccessRecordInput {
  const { displayName, contactUrl, privacyUrl } = controller;
  const { consentDate, consentExpiry, userDefinedReference, termsUrl, method, dataTypes } = consent;
  return {
    recordMetadata: {
      schemaVersion: SCHEMA_VERSION,
      controllerArrangement: {
        arrangementType: 'sole',
        controllers: [
          { name: displayName, role: 'sole', contactUrl: contactUrl as string, privacyRightsUrl: privacyUrl },
        ],
      },
    },
    notice: { sharedNotice: { termsUrl, noticeVersion: LEGACY_NOTICE_VERSION } },
    processing: { legalBasis: 'uk-consent', purpose: LEGACY_PURPOSE, dataTypes: [...dataTypes] },
    accessEvent: {
      state: 'ACTIVE',
      registeredAt: consentDate,
      expiry: consentExpiry,
      controllerReference: userDefinedReference,
      consent: { consentType: 'expressed-consent', method },
    },
  };
}

/** Evidence of a consent that Interface B returns for records of both interfaces. */
type ShownEvidence = Pick<LegacyConsent, 'termsUrl' | 'method' | 'dataTypes'>;

/**
 * Returns the evidence of a record on consent: the terms of the shared notice, else of the lead controller's notice; the method, else the
 * type of consent, because Interface B has no member for the type.
 */
export function shownEvidenceOf(document: AccessRecordDocument): ShownEvidence {
  const { notice, controllerArrangement, consent, dataTypes } = document;
  const lead = controllerArrangement.controllers.find(isAccountable)?.name;
  const ofLead = notice?.notices?.find(({ controllerName }) => controllerName === lead);
  const { consentType, method } = consent as Consent;
  return {
    termsUrl: (notice?.sharedNotice ?? ofLead ?? notice?.notices?.[0])?.termsUrl ?? '',
    method: method ?? consentType,
    dataTypes,
  };
}
