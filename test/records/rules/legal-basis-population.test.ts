import {
  type ArrangementType,
  type Controller,
  type ControllerNotice,
  LEGAL_BASES,
  type LegalBasis,
  type Notice,
} from '../../../subgraphs/access/records/access-record';
import { legalBasisPopulation } from '../../../subgraphs/access/records/rules/legal-basis-population';
import { FERNHOLLOW, HARBOURLIGHT, recordOnContract, reportedBy } from '../../support/access-records';

const TERMS = { termsUrl: 'https://harbourlight.example/terms', noticeVersion: '3.0' };
const ofEach: ControllerNotice[] = [HARBOURLIGHT, FERNHOLLOW].map(({ name }) => ({ ...TERMS, controllerName: name }));

const NOTICES: Record<string, Notice | null | undefined> = {
  'no notice': null,
  'an absent notice': undefined,
  'a shared notice': { sharedNotice: TERMS },
  'a shared notice beside null': { sharedNotice: TERMS, notices: null },
  'a notice of each controller': { notices: ofEach },
  'both members': { sharedNotice: TERMS, notices: ofEach },
  'neither member': { sharedNotice: null, notices: null },
  'an empty notice': {},
};

const CONSENTS = {
  'no consent': null,
  'an absent consent': undefined,
  'a consent': { consentType: 'expressed-consent' as const },
};

const ARRANGEMENTS: Record<ArrangementType, Controller[]> = {
  sole: [HARBOURLIGHT],
  joint: [{ ...HARBOURLIGHT, role: 'lead' }, FERNHOLLOW],
  group: [
    { ...HARBOURLIGHT, role: 'lead' },
    { ...FERNHOLLOW, role: 'member' },
  ],
};

const ONE_MEMBER = 'VAL007 notice: must have exactly one of shared-notice and notices';
const JOINT_ONLY = 'VAL007 notice/notices: is for joint arrangements only';

/**
 * Violations of the specification's table for a legal basis of consent, by notice and, where relevant, by arrangement.
 */
const NOTICE_OF_CONSENT: Record<string, (basis: LegalBasis, type: ArrangementType) => string[]> = {
  'no notice': (basis) => [`VAL007 notice: is required for ${basis}`],
  'an absent notice': (basis) => [`VAL007 notice: is required for ${basis}`],
  'a shared notice': () => [],
  'a shared notice beside null': () => [],
  'a notice of each controller': (_, type) => (type === 'joint' ? [] : [JOINT_ONLY]),
  'both members': (_, type) => (type === 'joint' ? [ONE_MEMBER] : [ONE_MEMBER, JOINT_ONLY]),
  'neither member': () => [ONE_MEMBER],
  'an empty notice': () => [ONE_MEMBER],
};

const CONSENT_BASES: readonly LegalBasis[] = ['uk-consent', 'uk-explicit-consent'];

function expected(basis: LegalBasis, type: ArrangementType, notice: string, consent: keyof typeof CONSENTS): string[] {
  const hasConsent = consent === 'a consent';
  if (CONSENT_BASES.includes(basis)) {
    const missing = hasConsent ? [] : [`VAL007 accessEvent/consent: is required for ${basis}`];
    return [...(NOTICE_OF_CONSENT[notice]?.(basis, type) ?? ['?']), ...missing];
  }
  const hasNotice = notice !== 'no notice' && notice !== 'an absent notice';
  return [
    ...(hasNotice ? [`VAL007 notice: must be null for ${basis}`] : []),
    ...(hasConsent ? [`VAL007 accessEvent/consent: must be null for ${basis}`] : []),
  ];
}

describe.each(LEGAL_BASES)('The legal basis %s', (basis) => {
  describe.each(Object.keys(ARRANGEMENTS) as ArrangementType[])('in a %s arrangement', (type) => {
    const combinations = Object.keys(NOTICES).flatMap((notice) =>
      (Object.keys(CONSENTS) as (keyof typeof CONSENTS)[]).map((consent) => [notice, consent] as const),
    );
    it.each(combinations)('applies its table to a record with %s and %s', (notice, consent) => {
      const record = recordOnContract(({ recordMetadata, processing, accessEvent }) => {
        recordMetadata.controllerArrangement = { arrangementType: type, controllers: ARRANGEMENTS[type] };
        processing.legalBasis = basis;
        if (CONSENTS[consent] !== undefined) accessEvent.consent = CONSENTS[consent];
      });
      if (NOTICES[notice] === undefined) delete record.notice;
      else record.notice = NOTICES[notice];
      expect(reportedBy(legalBasisPopulation, record)).toEqual(expected(basis, type, notice, consent));
    });
  });
});

describe('The notices of joint controllers', () => {
  const AT = 'VAL007 notice/notices';
  const unknown = (index: number) => `${AT}/${index}/controllerName: is not the name of a controller`;
  const ONE_EACH = `${AT}: must have exactly one entry for each controller`;
  const [first, second] = ofEach as [ControllerNotice, ControllerNotice];
  const stranger = { ...first, controllerName: 'Somebody Else Ltd' };
  const jointRecord = () =>
    recordOnContract(({ recordMetadata, processing, accessEvent }) => {
      recordMetadata.controllerArrangement = { arrangementType: 'joint', controllers: ARRANGEMENTS.joint };
      processing.legalBasis = 'uk-explicit-consent';
      accessEvent.consent = { consentType: 'explicit-consent' };
    });

  it.each<[string, ControllerNotice[], string[]]>([
    ['one for each, in any order', [second, first], []],
    ['a single one', [first], [`${AT}: must have at least 2 entries`]],
    ['none', [], [`${AT}: must have at least 2 entries`]],
    ['two for the same controller', [first, first], [ONE_EACH]],
    ['one for each and one twice', [first, second, second], [ONE_EACH]],
    ['one for a stranger', [first, stranger], [unknown(1)]],
    [
      'two for strangers',
      [stranger, { ...stranger, controllerName: 'harbourlight insights ltd' }],
      [unknown(0), unknown(1)],
    ],
  ])('are exactly one for each controller: %s', (_, notices, expectedViolations) => {
    const record = jointRecord();
    record.notice = { notices };
    expect(reportedBy(legalBasisPopulation, record)).toEqual(expectedViolations);
  });

  it('are checked beside a shared notice, too, so that all violations are reported at once', () => {
    const record = jointRecord();
    record.notice = { sharedNotice: TERMS, notices: [stranger, second] };
    expect(reportedBy(legalBasisPopulation, record)).toEqual([ONE_MEMBER, unknown(0)]);
  });
});
