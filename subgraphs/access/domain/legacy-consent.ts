import type { AccessRecordInput, DataType } from './access-record';

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
