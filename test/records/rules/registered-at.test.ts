import { codeLists } from '../../../subgraphs/access/records/rules/code-lists';
import { LEGAL_BASES, isConsentBasis, mayFollow } from '../../../subgraphs/access/records/access-record';
import { registeredAt } from '../../../subgraphs/access/records/rules/registered-at';
import { FACTS, recordOnConsent, recordOnContract, reportedBy } from '../../support/access-records';

const FUTURE = 'VAL003 accessEvent/registeredAt: must not be in the future';
const AFTER = 'VAL003 accessEvent/registeredAt: must not be after expiry';
const MINUTES = 60_000;
const at = (milliseconds: number) => new Date(FACTS.now.getTime() + milliseconds);

describe('The instant at which access was registered', () => {
  it.each<[sentence: string, registered: Date, expiry: Date | null, violations: string[]]>([
    ['now', at(0), null, []],
    ['five minutes ahead, as clocks differ', at(5 * MINUTES), null, []],
    ['further ahead', at(5 * MINUTES + 1), null, [FUTURE]],
    ['further ahead, and after its expiry', at(6 * MINUTES), at(0), [FUTURE]],
    ['the instant of its expiry', at(-1), at(-1), []],
    ['after its expiry', at(-1), at(-2), [AFTER]],
    ['in the year 1', new Date('0001-01-01T00:00:00Z'), at(0), []],
  ])('may be or not: %s', (_, registered, expiry, violations) => {
    const record = recordOnContract(({ accessEvent }) => {
      Object.assign(accessEvent, { registeredAt: registered, expiry });
    });
    expect(reportedBy(registeredAt, record)).toEqual(violations);
    expect(reportedBy(registeredAt, record, { replaces: { identityRecordRef: null } })).toEqual(violations);
  });
});

describe('Codes', () => {
  const violations = (language: string, location: string) =>
    reportedBy(
      codeLists,
      recordOnConsent(({ notice, recordMetadata }) => {
        if (notice?.sharedNotice) notice.sharedNotice.noticeLanguage = language;
        for (const controller of recordMetadata.controllerArrangement.controllers)
          controller.storageConditions = { location, retentionPeriod: 'P2Y' };
      }),
    );

  it.each([
    ['en', 'GB'],
    ['cy', 'IE'],
    ['gd', 'US'],
  ])('may be %s and %s', (language, location) => expect(violations(language, location)).toEqual([]));

  it.each([
    ['xx', 'XX'],
    ['zz', 'UK'],
    ['qq', 'EU'],
  ])('may not be %s and %s, which no list has', (language, location) => {
    expect(violations(language, location)).toEqual([
      'VAL003 notice/sharedNotice/noticeLanguage: is not a language code of ISO 639-1',
      'VAL003 recordMetadata/controllerArrangement/controllers/0/storageConditions/location: is not a country code of ISO 3166-1 alpha-2',
    ]);
  });
});

describe('A replacement', () => {
  it('changes the legal basis only within the consent bases or within the others', () => {
    for (const former of LEGAL_BASES)
      for (const basis of LEGAL_BASES)
        expect([former, basis, mayFollow(former, basis)]).toEqual([
          former,
          basis,
          isConsentBasis(former) === isConsentBasis(basis),
        ]);
    expect(mayFollow(null, 'uk-contract')).toBe(false);
  });
});
