import {
  type KnownDiscovery,
  updatedAccess,
  discoveredAccessOf,
  documentOfDiscovered,
  expiryOf,
  isRepeat,
} from '../../../subgraphs/access/operator/discovered-access';
import type { DiscoveredAccessReport } from '../../../subgraphs/access/operator/discovered-access';
import { discoveredAccessViolations } from '../../../subgraphs/access/operator/discovered-access-rules';
import { isOwner } from '../../../subgraphs/access/records/access-record';
import { type DiscoveredAccess } from '../../../subgraphs/access/records/record-document';
import { GADWALL, violationLines } from '../../support/access-records';

const REPORT = { mpxn: '1000000000', ...GADWALL };
const TODAY = '2026-06-11';
const broken = (report: DiscoveredAccessReport) => discoveredAccessViolations(report, TODAY);
const SEEN: DiscoveredAccess = discoveredAccessOf(REPORT);

describe('A report of the communications operator', () => {
  it('violates no rule if it is valid', () => {
    expect(broken(REPORT)).toEqual([]);
    expect(broken({ ...REPORT, lastSeen: REPORT.firstSeen })).toEqual([]);
    expect(broken({ ...REPORT, organisationName: '🐦'.repeat(255) })).toEqual([]);
  });

  it.each(['organisationName', 'organisationReference', 'sourceReference'])(
    'has 1 to 255 characters of %s',
    (field) => {
      const length = `VAL003 ${field}: must have 1 to 255 characters`;
      expect(violationLines(broken({ ...REPORT, [field]: '' }))).toEqual([length]);
      expect(violationLines(broken({ ...REPORT, [field]: 'x'.repeat(256) }))).toEqual([length]);
      expect(violationLines(broken({ ...REPORT, [field]: 'a\0b' }))).toEqual([
        `VAL001 ${field}: contains a character that cannot be stored`,
      ]);
    },
  );

  it.each(['organisationName', 'organisationReference', 'sourceReference'])('has more than blanks in %s', (field) => {
    for (const blanks of [' ', ' \t\u00a0 '])
      expect(violationLines(broken({ ...REPORT, [field]: blanks }))).toEqual([
        `VAL003 ${field}: must have a visible character`,
      ]);
    expect(broken({ ...REPORT, [field]: ' x ' })).toEqual([]);
  });

  it('has no future sightings', () => {
    const future = (field: string) => `VAL003 ${field}: must not be in the future`;
    expect(broken({ ...REPORT, firstSeen: TODAY, lastSeen: TODAY })).toEqual([]);
    expect(violationLines(broken({ ...REPORT, lastSeen: '2026-06-12' }))).toEqual([future('lastSeen')]);
    expect(violationLines(broken({ ...REPORT, firstSeen: '2026-06-12' }))).toEqual([future('firstSeen')]);
    expect(violationLines(broken({ ...REPORT, firstSeen: '2027-01-02', lastSeen: '2027-01-01' }))).toEqual([
      future('firstSeen'),
      future('lastSeen'),
    ]);
  });

  it('has no last sighting before the first one', () => {
    expect(violationLines(broken({ ...REPORT, lastSeen: '2026-02-28' }))).toEqual([
      'VAL003 lastSeen: must not be before the day of the first sighting',
    ]);
  });

  it('names at least one data type, and none twice', () => {
    const dataTypes = (...dataTypesObserved: DiscoveredAccess['dataTypesObserved']) =>
      violationLines(broken({ ...REPORT, dataTypesObserved }));
    expect(dataTypes()).toEqual(['VAL003 dataTypesObserved: must have at least one entry']);
    expect(dataTypes('HH-EXPORT', 'HH-EXPORT')).toEqual(['VAL003 dataTypesObserved: must not name a data type twice']);
  });

  it('is rejected with all violations together', () => {
    const report = {
      ...REPORT,
      organisationName: '',
      sourceReference: '',
      lastSeen: '1999-01-01',
      dataTypesObserved: [],
    };
    expect(violationLines(broken(report))).toHaveLength(4);
  });
});

describe('The access after another report', () => {
  const after = (report: Partial<DiscoveredAccess>, known: Partial<DiscoveredAccess> = {}) =>
    updatedAccess({ ...SEEN, ...known }, { ...SEEN, ...report });

  it('is unchanged by an equal report', () => {
    expect(after({})).toEqual(SEEN);
    expect(after({}, { lastSeen: '2026-05-05' })).toEqual({ ...SEEN, lastSeen: '2026-05-05' });
  });

  it.each([
    ['2026-03-01', null, '2026-04-01', null, '2026-03-01', '2026-04-01'],
    ['2026-03-01', null, '2026-02-01', null, '2026-02-01', '2026-03-01'],
    ['2026-03-01', '2026-06-01', '2026-03-01', '2026-05-01', '2026-03-01', '2026-06-01'],
    ['2026-03-01', '2026-06-01', '2026-03-01', '2026-07-01', '2026-03-01', '2026-07-01'],
    ['2026-03-01', '2026-06-01', '2026-08-01', null, '2026-03-01', '2026-08-01'],
    ['2026-03-01', '2026-03-01', '2026-03-01', null, '2026-03-01', '2026-03-01'],
  ])(
    'seen from %s to %s, then reported from %s to %s, is seen from %s to %s',
    (first, last, nextFirst, nextLast, from, to) => {
      const known = after({ firstSeen: nextFirst, lastSeen: nextLast }, { firstSeen: first, lastSeen: last });
      expect([known.firstSeen, known.lastSeen]).toEqual([from, to]);
    },
  );

  it('has all data types of all reports, in the order of the contract, and the latest name', () => {
    expect(
      after(
        { dataTypesObserved: ['TARIFF-IMPORT', 'HH-CONSUMPTION'], organisationName: 'Gadwall Ltd' },
        {
          dataTypesObserved: ['HH-EXPORT'],
        },
      ),
    ).toMatchObject({
      dataTypesObserved: ['HH-CONSUMPTION', 'HH-EXPORT', 'TARIFF-IMPORT'],
      organisationName: 'Gadwall Ltd',
    });
  });
});

describe('A report of the same organisation at the same meter point', () => {
  const known = (facts: Partial<KnownDiscovery>): KnownDiscovery => ({
    access: SEEN,
    hasExpired: false,
    claimEnded: null,
    ...facts,
  });
  const NEW = { hasExpired: false, hasSameReference: false };
  const seenOn = (lastSeen: string): DiscoveredAccess => ({ ...SEEN, lastSeen });

  it('is a repeat while the record has not expired', () => {
    expect(isRepeat(known({}), seenOn('2026-12-31'), NEW)).toBe(true);
    expect(isRepeat(known({}), seenOn('2026-12-31'), { ...NEW, hasExpired: true })).toBe(true);
  });

  it('makes a new record once it has, unless the report itself is as old', () => {
    expect(isRepeat(known({ hasExpired: true }), SEEN, NEW)).toBe(false);
    expect(isRepeat(known({ hasExpired: true }), SEEN, { ...NEW, hasExpired: true })).toBe(true);
  });

  it('makes a new record for a sighting after the end of the registered access', () => {
    const claimed = known({ claimEnded: '2026-06-30' });
    expect(isRepeat(claimed, seenOn('2026-06-29'), NEW)).toBe(true);
    expect(isRepeat(claimed, seenOn('2026-07-01'), NEW)).toBe(false);
    expect(isRepeat(claimed, { ...SEEN, firstSeen: '2026-07-01' }, NEW)).toBe(false);
  });

  it('is a repeat of an expired record, too, if the organisation was registered when it was seen', () => {
    const claimed = known({ hasExpired: true, claimEnded: '2026-06-30' });
    expect(isRepeat(claimed, seenOn('2026-06-29'), NEW)).toBe(true);
    expect(isRepeat(claimed, seenOn('2026-07-01'), NEW)).toBe(false);
    expect(isRepeat(claimed, seenOn('2026-07-01'), { ...NEW, hasExpired: true })).toBe(true);
  });

  it('makes a new record also for a sighting on the day of that end, unless the report is a repeat', () => {
    const same = { ...NEW, hasSameReference: true };
    const claimed = known({ claimEnded: '2026-06-30', access: seenOn('2026-06-30') });
    expect(isRepeat(claimed, seenOn('2026-06-30'), NEW)).toBe(false);
    expect(isRepeat(claimed, seenOn('2026-06-30'), same)).toBe(true);
    expect(isRepeat({ ...claimed, hasExpired: true }, seenOn('2026-06-30'), same)).toBe(true);
    expect(isRepeat(claimed, seenOn('2026-07-01'), same)).toBe(false);
  });
});

describe('A discovered access', () => {
  it.each([
    [null, 30, '2026-03-31T00:00:00.000Z'],
    ['2026-06-11', 30, '2026-07-11T00:00:00.000Z'],
    ['2026-06-11', 0, '2026-06-11T00:00:00.000Z'],
  ])('last seen on %s expires after %d days', (lastSeen, days, expiry) => {
    expect(expiryOf({ ...SEEN, lastSeen }, days)?.toISOString()).toBe(expiry);
  });

  it('never expires without a setting', () => {
    expect(expiryOf(SEEN, undefined)).toBeNull();
  });

  it('reads as a sole controller of the name of the organisation, with no basis on which to release data', () => {
    expect(documentOfDiscovered(SEEN, 'sealed')).toEqual({
      schemaVersion: 'discovered-1',
      controllerArrangement: {
        arrangementType: 'sole',
        art26Reference: null,
        controllers: [{ name: 'Gadwall Analytics', role: 'sole', contactUrl: null, privacyRightsUrl: null }],
      },
      notice: null,
      purpose: null,
      dataTypes: ['HH-CONSUMPTION'],
      dataSource: null,
      recipients: null,
      consent: null,
      discoveredAccess: SEEN,
      sourceReferenceSealed: 'sealed',
    });
  });

  it('has no owner: a caller without a Data User does not own it either', () => {
    expect(isOwner({ duid: null }, null)).toBe(false);
    expect(isOwner({ duid: 'duid' }, null)).toBe(false);
    expect(isOwner({ duid: 'duid' }, 'duid')).toBe(true);
    expect(isOwner({ duid: 'other' }, 'duid')).toBe(false);
  });
});
