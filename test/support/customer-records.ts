import type { CustomerRecord } from '../../web/portal/presentation/operation-results';

/** Returns an access record as its customer reads it: sole controller, by consent, ACTIVE; `change` replaces parts. */
export function customerRecord(change: Partial<CustomerRecord> = {}): CustomerRecord {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    state: 'ACTIVE',
    legalBasis: 'UK_CONSENT',
    purpose: 'Find a better tariff',
    dataTypes: ['HH_CONSUMPTION'],
    leadControllerName: 'Larkhill Energy Advice Ltd',
    registeredAt: '2026-03-28T23:30:00.000Z',
    expiry: null,
    recordMetadata: {
      createdAt: '2026-03-28T23:30:00.000Z',
      controllerArrangement: {
        controllers: [
          {
            name: 'Larkhill Energy Advice Ltd',
            role: 'SOLE',
            contactUrl: 'https://larkhill.example/contact',
            privacyRightsUrl: 'https://larkhill.example/rights',
          },
        ],
      },
    },
    notice: { sharedNotice: { termsUrl: 'https://larkhill.example/terms', noticeVersion: '3' }, notices: null },
    processing: { dataSource: null, recipients: null },
    accessEvent: { revokedAt: null },
    dataUser: {
      duid: 'duid_000000000000000000000001',
      displayName: 'Larkhill Energy Advice Ltd',
      contactUrl: 'https://larkhill.example/contact',
    },
    discoveredAccess: null,
    transitions: { nodes: [{ at: '2026-03-28T23:30:00.000Z', cause: 'REGISTERED' }] },
    versions: { nodes: [customerVersion()], nextCursor: null },
    ...change,
  };
}

type CustomerVersion = CustomerRecord['versions']['nodes'][number];

/** Returns the first version of {@link customerRecord}; `change` replaces parts. */
export function customerVersion(change: Partial<CustomerVersion> = {}): CustomerVersion {
  return {
    recordedAt: '2026-03-28T23:30:00.000Z',
    legalBasis: 'UK_CONSENT',
    purpose: 'Find a better tariff',
    dataTypes: ['HH_CONSUMPTION'],
    expiry: null,
    leadControllerName: 'Larkhill Insight Ltd',
    replacedSections: [],
    ...change,
  };
}

/** Returns access that the communications operator reported, of an unregistered organisation. */
export function discoveredRecord(organisationName: string, change: Partial<CustomerRecord> = {}): CustomerRecord {
  return customerRecord({
    state: 'DISCOVERED',
    legalBasis: null,
    purpose: null,
    notice: null,
    leadControllerName: organisationName,
    dataUser: null,
    recordMetadata: {
      createdAt: '2026-05-02T08:00:00.000Z',
      controllerArrangement: {
        controllers: [{ name: organisationName, role: 'SOLE', contactUrl: null, privacyRightsUrl: null }],
      },
    },
    transitions: { nodes: [{ at: '2026-05-02T08:00:00.000Z', cause: 'DISCOVERED' }] },
    ...change,
    discoveredAccess: {
      organisationName,
      firstSeen: '2026-05-01',
      lastSeen: '2026-06-11',
      dataTypesObserved: ['ANNUAL_CONSUMPTION'],
    },
  });
}
