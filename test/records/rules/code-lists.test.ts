import { codeLists } from '../../../subgraphs/access/records/rules/code-lists';
import { recordOnConsent, reportedBy } from '../../support/access-records';

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
