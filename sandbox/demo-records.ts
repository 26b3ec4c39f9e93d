/** A demo record: its input, and whether it is revoked after registration. */
export interface DemoRecord {
  readonly title: string;
  readonly input: (identityRecordRef: string) => Record<string, unknown>;
  readonly revoke?: boolean;
}

const DAY_MS = 24 * 3600 * 1000;

interface Outline {
  readonly legalBasis: string;
  readonly purpose: string;
  readonly arrangement: Record<string, unknown>;
  readonly dataTypes: readonly string[];
  readonly state?: 'ACTIVE' | 'EXPIRED';
  readonly registeredAt: Date;
  readonly expiry: Date | null;
}

const HARBOURLIGHT = {
  name: 'Harbourlight Energy Insight Ltd',
  contactUrl: 'https://harbourlight.example/contact',
  privacyRightsUrl: 'https://harbourlight.example/your-rights',
};
const TERRACE = {
  name: 'Terrace Homes Ltd',
  contactUrl: 'https://terrace.example/contact',
  privacyRightsUrl: 'https://terrace.example/rights',
};
const COUNCIL = {
  name: 'Exampleford Council',
  contactUrl: 'https://exampleford.example/contact',
  privacyRightsUrl: 'https://exampleford.example/rights',
};

const sole = (controller: Record<string, unknown> = HARBOURLIGHT) => ({
  arrangementType: 'SOLE',
  controllers: [{ ...controller, role: 'SOLE', storageConditions: { location: 'GB', retentionPeriod: 'P2Y' } }],
});
const joint = {
  arrangementType: 'JOINT',
  art26Reference: 'Joint controller agreement 2026-03, section 4',
  controllers: [
    { ...HARBOURLIGHT, role: 'LEAD' },
    { ...TERRACE, role: 'JOINT' },
  ],
};
const group = {
  arrangementType: 'GROUP',
  controllers: [
    { ...TERRACE, role: 'LEAD', liaReference: 'LIA-2026-017' },
    { name: 'Terrace Homes (North) Ltd', contactUrl: 'https://north.terrace.example/contact', role: 'MEMBER' },
  ],
};

/**
 * Returns records with all six legal bases, all states that a Data User can set, and sole, joint and group
 * arrangements.
 */
export function demoRecords(now: Date): DemoRecord[] {
  const daysFromNow = (days: number) => new Date(now.getTime() + days * DAY_MS);
  return Object.entries({ ...consents(daysFromNow), ...otherBases(daysFromNow) }).map(([title, outline]) => ({
    title,
    input: (identityRecordRef) => inputOf(outline, identityRecordRef),
    revoke: title === 'revoked',
  }));
}

type DaysFromNow = (days: number) => Date;

function consents(daysFromNow: DaysFromNow): Record<string, Outline> {
  const consent = {
    legalBasis: 'UK_CONSENT',
    arrangement: sole(),
    dataTypes: ['HH_CONSUMPTION', 'TARIFF_IMPORT'],
    registeredAt: daysFromNow(-30),
  };
  return {
    active: { ...consent, purpose: 'Find a better tariff for the household', expiry: daysFromNow(335) },
    revoked: { ...consent, purpose: 'Home battery advice', expiry: daysFromNow(200) },
    expired: { ...consent, purpose: 'Heat pump suitability study', state: 'EXPIRED', expiry: daysFromNow(-1) },
    explicit: {
      ...consent,
      legalBasis: 'UK_EXPLICIT_CONSENT',
      purpose: 'Support at times of illness',
      arrangement: joint,
      expiry: daysFromNow(20),
    },
  };
}

function otherBases(daysFromNow: DaysFromNow): Record<string, Outline> {
  const other = { dataTypes: ['HH_CONSUMPTION'], registeredAt: daysFromNow(-90), expiry: null };
  const council = { ...COUNCIL, statutoryReference: 'Warm Homes and Energy Conservation Act 2000' };
  const licensee = { ...HARBOURLIGHT, statutoryReference: 'Standard licence condition 11' };
  return {
    interests: {
      ...other,
      legalBasis: 'UK_LEGITIMATE_INTERESTS',
      purpose: 'Portfolio energy reporting',
      arrangement: group,
    },
    task: { ...other, legalBasis: 'UK_PUBLIC_TASK', purpose: 'Fuel poverty programme', arrangement: sole(council) },
    obligation: {
      ...other,
      legalBasis: 'UK_LEGAL_OBLIGATION',
      purpose: 'Settlement reporting',
      arrangement: sole(licensee),
    },
    contract: { ...other, legalBasis: 'UK_CONTRACT', purpose: 'Demand flexibility service', arrangement: sole() },
  };
}

function inputOf(
  { legalBasis, purpose, arrangement, dataTypes, state = 'ACTIVE', registeredAt, expiry }: Outline,
  identityRecordRef: string,
) {
  const isConsent = legalBasis.endsWith('CONSENT');
  return {
    recordMetadata: { schemaVersion: '1.0', controllerArrangement: arrangement, identityRecordRef },
    notice: isConsent
      ? {
          sharedNotice: {
            termsUrl: 'https://harbourlight.example/terms',
            noticeVersion: '2026-01',
            noticeLanguage: 'en',
          },
        }
      : null,
    processing: { legalBasis, purpose, dataTypes, dataSource: 'Brackenfield Meter Data Ltd' },
    accessEvent: {
      state,
      registeredAt: registeredAt.toISOString(),
      expiry: expiry?.toISOString() ?? null,
      consent: isConsent
        ? { consentType: legalBasis === 'UK_CONSENT' ? 'EXPRESSED_CONSENT' : 'EXPLICIT_CONSENT', method: 'Web form' }
        : null,
    },
  };
}
