/** Body of the measured registrations: the members of an access record that it uses. */
export interface RegistrationBody {
  readonly 'record-metadata': {
    readonly 'schema-version': string;
    readonly 'controller-arrangement': {
      readonly 'arrangement-type': string;
      readonly controllers: readonly Record<string, unknown>[];
    };
    readonly 'identity-record-ref': string;
  };
  readonly notice: { readonly 'shared-notice': Record<string, unknown> };
  readonly processing: {
    readonly 'legal-basis': string;
    readonly purpose: string;
    readonly 'data-types': readonly string[];
    readonly 'data-source': string;
  };
  readonly 'access-event': {
    readonly state: string;
    readonly 'registered-at': string;
    readonly expiry: string | null;
    readonly consent: { readonly 'consent-type': string; readonly method: string };
  };
}

/** Builds the stored document of a body. */
export function documentOf(body: RegistrationBody) {
  const { 'record-metadata': metadata, notice, processing, 'access-event': event } = body;
  const { 'controller-arrangement': arrangement } = metadata;
  const shared = notice['shared-notice'];
  return {
    schemaVersion: metadata['schema-version'],
    controllerArrangement: {
      arrangementType: arrangement['arrangement-type'],
      controllers: arrangement.controllers.map((each) => ({
        name: each['name'],
        role: each['role'],
        contactUrl: each['contact-url'],
        privacyRightsUrl: each['privacy-rights-url'],
        storageConditions: storageConditions(each['storage-conditions'] as Record<string, unknown>),
      })),
    },
    notice: {
      sharedNotice: {
        termsUrl: shared['terms-url'],
        noticeVersion: shared['notice-version'],
        noticeLanguage: shared['notice-language'],
      },
    },
    purpose: processing.purpose,
    dataTypes: processing['data-types'],
    dataSource: processing['data-source'],
    recipients: null,
    controllerReference: null,
    consent: { consentType: event.consent['consent-type'], method: event.consent.method },
  };
}

function storageConditions(each: Record<string, unknown>) {
  return { location: each['location'], retentionPeriod: each['retention-period'] };
}

/** A registration based on consent; `{key}` is replaced by the key of an Identity Record. */
export const REGISTRATION: RegistrationBody = {
  'record-metadata': {
    'schema-version': '1.0',
    'controller-arrangement': {
      'arrangement-type': 'sole',
      controllers: [
        {
          name: 'Harbourlight Energy Insight Ltd',
          role: 'sole',
          'contact-url': 'https://harbourlight.example/contact',
          'privacy-rights-url': 'https://harbourlight.example/your-rights',
          'storage-conditions': { location: 'GB', 'retention-period': 'P2Y' },
        },
      ],
    },
    'identity-record-ref': '{key}',
  },
  notice: {
    'shared-notice': {
      'terms-url': 'https://harbourlight.example/terms',
      'notice-version': '2026-01',
      'notice-language': 'en',
    },
  },
  processing: {
    'legal-basis': 'uk-consent',
    purpose: 'Find a better tariff for the household',
    'data-types': ['HH-CONSUMPTION', 'TARIFF-IMPORT'],
    'data-source': 'Brackenfield Meter Data Ltd',
  },
  'access-event': {
    state: 'ACTIVE',
    'registered-at': '2026-05-01T09:30:00Z',
    expiry: '2030-05-01T09:30:00Z',
    consent: { 'consent-type': 'expressed-consent', method: 'Web form' },
  },
};
