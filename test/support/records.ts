import type { RestClient } from './rest-client';

/** Returns an access record on consent in the form that a Data User sends. */
export function consentRecord(identityRecordRef: string, change: Record<string, unknown> = {}) {
  return {
    'record-metadata': {
      'schema-version': '1.0',
      'controller-arrangement': {
        'arrangement-type': 'sole',
        'art26-reference': null,
        controllers: [
          {
            name: 'Harbourlight Energy Insight Ltd',
            role: 'sole',
            'contact-url': 'https://harbourlight.example/contact',
            'privacy-rights-url': 'https://harbourlight.example/your-rights',
          },
        ],
      },
      'identity-record-ref': identityRecordRef,
    },
    notice: {
      'shared-notice': { 'terms-url': 'https://harbourlight.example/terms', 'notice-version': '2026-01' },
      notices: null,
    },
    processing: {
      'legal-basis': 'uk-consent',
      purpose: 'Find a better tariff',
      'data-types': ['HH-CONSUMPTION'],
      ...change,
    },
    'access-event': {
      state: 'ACTIVE',
      'registered-at': '2026-05-01T09:30:00Z',
      expiry: null,
      consent: { 'consent-type': 'expressed-consent', method: 'Web form' },
    },
  };
}

/** Registers a record and returns its access key. */
export async function registered(client: RestClient, identityRecordRef: string): Promise<string> {
  const { status, body } = await client('POST', '/v1/access-records', consentRecord(identityRecordRef));
  if (status !== 201) throw new Error(`registration responded with ${status}: ${JSON.stringify(body)}`);
  return String(body['access-token'].key);
}

/** Returns a consent in the form of Interface B. */
export function legacyConsent(duid: string, mpxn: string): Record<string, unknown> {
  return {
    duid,
    'move-in-date': '2021-04-01',
    evidence: {
      'consent-date': '2026-05-01T09:30:00Z',
      'terms-url': 'https://harbourlight.example/terms',
      mpxn,
      method: 'Web form',
    },
    'data-type': ['HH-CONSUMPTION'],
  };
}

/** Returns a communications operator's report of an unregistered organisation. */
export function discoveredAccess(mpxn: string, name: string, change: Record<string, unknown> = {}) {
  return {
    mpxn,
    'organisation-name': name,
    'organisation-reference': `ORG-${mpxn}`,
    'first-seen': '2026-03-01',
    'data-types-observed': ['HH-CONSUMPTION'],
    'source-reference': 'REPORT-1',
    ...change,
  };
}
