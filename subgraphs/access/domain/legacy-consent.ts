import type { AccessRecordDocument, AccessRecordInput, Consent, DataType } from './access-record';
import { isAccountable } from './controller-arrangement';

/** A consent of Interface B as far as `access` may know it: nothing personal (1-specification.md, Interface B). */
export interface LegacyConsent {
  readonly consentDate: Date;
  readonly userDefinedReference: string | null;
  readonly termsUrl: string;
  /** Null means open-ended. */
  readonly consentExpiry: Date | null;
  readonly method: string;
  readonly dataTypes: readonly DataType[];
}

/** What the account of a Data User says of it as a controller. */
export interface LegacyController {
  readonly displayName: string;
  readonly contactUrl: string | null;
  readonly privacyUrl: string | null;
}

const PURPOSE = 'Consent registered through the earlier interface';
const SCHEMA_VERSION = 'legacy-1';
const NOTICE_VERSION = 'unversioned';

/** What the back office must set on an account before it can register through Interface B; undefined when nothing is missing. */
export function missingOfController({ contactUrl, privacyUrl }: LegacyController): string | undefined {
  const missing = [...(contactUrl === null ? ['contact URL'] : []), ...(privacyUrl === null ? ['privacy URL'] : [])];
  if (missing.length === 0) return undefined;
  return `The account has no ${missing.join(' and no ')}: the back office must set it before a consent can be registered.`;
}

/**
 * The access record that a consent is (2-decisions-a-b.md, section 8): the account is the sole controller, the terms are the shared
 * notice. The account has what {@link missingOfController} asks for, the consent has passed the rules of `identity`.
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
    notice: { sharedNotice: { termsUrl, noticeVersion: NOTICE_VERSION } },
    processing: { legalBasis: 'uk-consent', purpose: PURPOSE, dataTypes: [...dataTypes] },
    accessEvent: {
      state: 'ACTIVE',
      registeredAt: consentDate,
      expiry: consentExpiry,
      controllerReference: userDefinedReference,
      consent: { consentType: 'expressed-consent', method },
    },
  };
}

/** A consent that Interface B shows, whichever interface registered it: what one of its own evidence would say. */
export type ShownEvidence = Pick<LegacyConsent, 'termsUrl' | 'method' | 'dataTypes' | 'userDefinedReference'>;

/**
 * The evidence that a record on consent shows: the terms of the shared notice, else those of the lead controller; the method, else the
 * type of the consent, which Interface B has no member for.
 */
export function shownEvidenceOf(document: AccessRecordDocument): ShownEvidence {
  const { notice, controllerArrangement, consent, dataTypes, controllerReference } = document;
  const lead = controllerArrangement.controllers.find(isAccountable)?.name;
  const ofLead = notice?.notices?.find(({ controllerName }) => controllerName === lead);
  const { consentType, method } = consent as Consent;
  return {
    termsUrl: (notice?.sharedNotice ?? ofLead ?? notice?.notices?.[0])?.termsUrl ?? '',
    method: method ?? consentType,
    dataTypes,
    userDefinedReference: controllerReference,
  };
}
