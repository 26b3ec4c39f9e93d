import {
  type PerformanceReportInput,
  performanceReportViolations,
} from '../../../subgraphs/tariffs/performance-reports/performance-report';
import {
  REGISTER_ENTRY_STATUSES,
  type RegisterEntryStatus,
  mayBecome,
  statusViolations,
} from '../../../subgraphs/tariffs/register-entries/register-entry-status';
import { type RtiUserInput, rtiUserViolations } from '../../../subgraphs/tariffs/register-entries/rti-user';
import { type SupplierInput, supplierViolations } from '../../../subgraphs/tariffs/register-entries/supplier';
import { violationLines } from '../../support/access-records';

const PRODUCTION = { production: true };

describe('The status of a supplier or an RTI User', () => {
  /** Active ⇄ suspended; either → disabled; disabled → active; any → removed, which is final. */
  const LEADS: Record<RegisterEntryStatus, string> = {
    active: 'suspended disabled removed',
    suspended: 'active disabled removed',
    disabled: 'active removed',
    removed: '',
  };

  it.each(REGISTER_ENTRY_STATUSES)('changes from %s only as decisions C/D, D.2 allow', (from) => {
    const leads = REGISTER_ENTRY_STATUSES.filter((to) => mayBecome(from, to));
    expect(leads.join(' ')).toBe(LEADS[from]);
    for (const to of REGISTER_ENTRY_STATUSES) {
      const isRejected = to !== from && !leads.includes(to);
      const violations = [`CNF001 status: cannot become ${to}: it is ${from}`];
      expect(violationLines(statusViolations(from, to))).toEqual(isRejected ? violations : []);
    }
  });
});

describe('An entry of a supplier', () => {
  const LAPWING: SupplierInput = {
    mpid: 'LAPW',
    name: 'Lapwing Energy Supply Ltd',
    displayName: 'Lapwing',
    support: 'help@lapwing.example, 01632 960001',
    apiUrl: 'https://tariffs.lapwing.example',
    oauthUrl: 'https://login.lapwing.example/authorize',
    issuer: 'https://login.lapwing.example',
    audience: 'https://tariffs.lapwing.example',
  };
  const of = (
    changes: Partial<SupplierInput>,
    realm = PRODUCTION,
    stored: Parameters<typeof supplierViolations>[2] = null,
  ) => violationLines(supplierViolations({ ...LAPWING, ...changes }, realm, stored));

  it('is valid with and without optional fields', () => {
    expect(of({})).toEqual([]);
    expect(of({ oauthUrl: null, issuer: null, audience: null })).toEqual([]);
    expect(of({ oauthUrl: undefined, issuer: undefined, audience: null })).toEqual([]);
  });

  it.each(['LAP', 'LAPWI', 'lapw', 'LA W', 'LAPÉ', 'LAPW\n', ''])('must not have an mpid such as %j', (mpid) => {
    expect(of({ mpid })).toEqual(['VAL001 mpid: must match ^[A-Z0-9]{4}$']);
  });

  it.each([
    ['name', 200],
    ['displayName', 100],
    ['support', 200],
    ['audience', 255],
  ] as const)('must have a %s of 1 to %i characters that is not blank', (field, most) => {
    const length = `VAL003 ${field}: must have 1 to ${most} characters`;
    expect(of({ [field]: '🐦'.repeat(most) })).toEqual([]);
    expect(of({ [field]: '🐦'.repeat(most + 1) })).toEqual([length]);
    expect(of({ [field]: '' })).toEqual([length]);
    expect(of({ [field]: ' \u00a0' })).toEqual([`VAL003 ${field}: must have a visible character`]);
    expect(of({ [field]: 'a\0b' })).toEqual([`VAL001 ${field}: contains a character that cannot be stored`]);
  });

  it.each(['apiUrl', 'oauthUrl', 'issuer'])('must have a web address as %s, in production with https', (field) => {
    expect(of({ [field]: 'http://lapwing.example' })).toEqual([`VAL008 ${field}: is not an https URL`]);
    expect(of({ [field]: 'http://localhost:4001' }, { production: false })).toEqual([]);
    expect(of({ [field]: 'lapwing.example' }, { production: false })).toEqual([
      `VAL008 ${field}: is not an https or http URL`,
    ]);
    expect(of({ [field]: 'https://me:secret@lapwing.example' })).toEqual([`VAL008 ${field}: contains credentials`]);
  });

  it('has issuer and audience of tokens, or neither', () => {
    expect(of({ audience: null })).toEqual(['VAL002 audience: is required with issuer']);
    expect(of({ issuer: null })).toEqual(['VAL002 issuer: is required with audience']);
    expect(of({ audience: undefined })).toEqual(['VAL002 audience: is required with issuer']);
  });

  it('keeps a stored issuer and audience that the input omits', () => {
    const stored = { issuer: 'https://former.example', audience: 'former' };
    expect(of({ issuer: undefined, audience: undefined }, PRODUCTION, stored)).toEqual([]);
    expect(of({ audience: undefined }, PRODUCTION, stored)).toEqual([]);
    expect(of({ issuer: undefined, audience: null }, PRODUCTION, stored)).toEqual([
      'VAL002 audience: is required with issuer',
    ]);
    expect(of({ issuer: null, audience: null }, PRODUCTION, stored)).toEqual([]);
  });
});

describe('An entry of an RTI User', () => {
  const CURLEW: RtiUserInput = {
    userId: `usr_${'0f'.repeat(16)}`,
    name: 'Curlew Comparison Ltd',
    displayName: 'Curlew',
    support: 'https://curlew.example/help',
    webhookUrl: 'https://hooks.curlew.example/tariffs',
    contact: { name: 'Ada Sandpiper', email: 'ada@curlew.example', telephone: '+44 1632 960002' },
  };
  const of = (changes: Partial<RtiUserInput>) =>
    violationLines(rtiUserViolations({ ...CURLEW, ...changes }, PRODUCTION));

  it('is valid with and without optional fields', () => {
    expect(of({})).toEqual([]);
    expect(of({ userId: null, webhookUrl: null, contact: null })).toEqual([]);
    expect(of({ userId: undefined, contact: {} })).toEqual([]);
    expect(of({ contact: { name: null, email: null, telephone: null } })).toEqual([]);
  });

  it.each(['usr_1', `usr_${'0F'.repeat(16)}`, `trf_${'0f'.repeat(16)}`, `usr_${'0f'.repeat(17)}`])(
    'must not have a userId such as %j',
    (userId) => {
      expect(of({ userId })).toEqual(['VAL001 userId: must match ^usr_[0-9a-f]{32}$']);
    },
  );

  it.each([
    ['name', 200],
    ['displayName', 100],
    ['support', 200],
  ] as const)('must have a %s of 1 to %i characters', (field, most) => {
    const length = `VAL003 ${field}: must have 1 to ${most} characters`;
    expect(of({ [field]: 'x'.repeat(most) })).toEqual([]);
    expect(of({ [field]: 'x'.repeat(most + 1) })).toEqual([length]);
    expect(of({ [field]: '' })).toEqual([length]);
  });

  it('may have a web address for its webhook, and a contact with name, e-mail address and telephone number', () => {
    expect(of({ webhookUrl: 'http://hooks.curlew.example' })).toEqual(['VAL008 webhookUrl: is not an https URL']);
    expect(of({ contact: { name: '', email: 'ada', telephone: '1'.repeat(51) } })).toEqual([
      'VAL003 contact/name: must have 1 to 200 characters',
      'VAL003 contact/telephone: must have 1 to 50 characters',
      'VAL001 contact/email: is not an e-mail address',
    ]);
  });
});

describe('A performance report', () => {
  const REPORT: PerformanceReportInput = {
    periodStart: new Date('2026-05-01T00:00:00Z'),
    periodEnd: new Date('2026-06-01T00:00:00Z'),
    totalRequests: 1_200_000,
    notificationsIssued: 0,
    availabilityPct: 99.95,
    successPct: 100,
    responseTimeMs: { p50: 12, p95: 80, p99: 80 },
  };
  const of = (changes: Partial<PerformanceReportInput>) =>
    violationLines(performanceReportViolations({ ...REPORT, ...changes }, new Date('2026-05-31T23:55:00Z')));

  it('is valid', () => {
    expect(of({})).toEqual([]);
    expect(of({ availabilityPct: 0, successPct: 0, responseTimeMs: { p50: 0, p95: 0, p99: 0 } })).toEqual([]);
  });

  it('must cover a period that ends after its start', () => {
    expect(of({ periodEnd: REPORT.periodStart })).toEqual([
      'VAL003 periodEnd: must be after the beginning of the period',
    ]);
    expect(of({ periodEnd: new Date(0) })).toEqual(['VAL003 periodEnd: must be after the beginning of the period']);
  });

  it('covers a period that has ended, with a tolerance of five minutes for the clock of the client', () => {
    expect(of({ periodEnd: new Date('2026-06-01T00:00:00.001Z') })).toEqual([
      'VAL003 periodEnd: must not be in the future',
    ]);
  });

  it.each(['totalRequests', 'notificationsIssued'])('must have a whole number of %s', (field) => {
    for (const value of [-1, 1.5, 2 ** 53])
      expect(of({ [field]: value })).toEqual([`VAL003 ${field}: must be a whole number, 0 or more`]);
  });

  it.each(['availabilityPct', 'successPct'])('must have a %s of 0 to 100', (field) => {
    for (const value of [-0.1, 100.01, NaN])
      expect(of({ [field]: value })).toEqual([`VAL003 ${field}: must be 0 to 100`]);
  });

  it('must have ascending response times: p50 ≤ p95 ≤ p99', () => {
    expect(of({ responseTimeMs: { p50: 10, p95: 9, p99: 8 } })).toEqual([
      'VAL003 responseTimeMs/p95: must not be less than p50',
      'VAL003 responseTimeMs/p99: must not be less than p95',
    ]);
    expect(of({ responseTimeMs: { p50: -1, p95: 1.5, p99: 8 } })).toEqual([
      'VAL003 responseTimeMs/p50: must be a whole number, 0 or more',
      'VAL003 responseTimeMs/p95: must be a whole number, 0 or more',
    ]);
  });
});
