import type { AccessRecordInput } from '../../../subgraphs/access/records/access-record';
import { fieldLimits } from '../../../subgraphs/access/records/rules/field-limits';
import { FERNHOLLOW, HARBOURLIGHT, recordOnConsent, reportedBy } from '../../support/access-records';

const SECOND = 'recordMetadata/controllerArrangement/controllers/1';

/** Texts of a record, with the minimum and maximum length that the specification and its decisions define. */
const TEXTS: [path: string, least: number, most: number][] = [
  ['recordMetadata/schemaVersion', 1, 20],
  ['recordMetadata/controllerArrangement/art26Reference', 0, 500],
  [`${SECOND}/name`, 1, 255],
  [`${SECOND}/liaReference`, 0, 255],
  [`${SECOND}/statutoryReference`, 0, 500],
  [`${SECOND}/address/addressLine1`, 1, 100],
  [`${SECOND}/address/addressLine2`, 0, 100],
  [`${SECOND}/address/townCity`, 1, 100],
  [`${SECOND}/address/county`, 0, 100],
  ['notice/sharedNotice/noticeVersion', 1, 50],
  ['notice/notices/1/noticeVersion', 1, 50],
  ['notice/notices/1/controllerName', 1, 255],
  ['processing/purpose', 1, 500],
  ['processing/dataSource', 0, 255],
  ['processing/recipients/0/name', 1, 255],
  ['processing/recipients/0/role', 1, 100],
  ['accessEvent/controllerReference', 0, 255],
  ['accessEvent/consent/method', 0, 100],
];

const PATTERNS: [path: string, message: string, good: string[], bad: string[]][] = [
  ['notice/sharedNotice/noticeLanguage', 'must match ^[a-z]{2}$', ['en', 'cy'], ['EN', 'eng', 'e', '', 'en\n']],
  ['notice/notices/0/noticeLanguage', 'must match ^[a-z]{2}$', ['cy'], ['en-GB']],
  [
    `${SECOND}/address/postcode`,
    'must match ^[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}$',
    ['M1 1AE', 'SW1A 1AA', 'SW1A1AA', 'B33 8TH'],
    ['m1 1ae', 'M1  1AE', '', 'M1', 'SW1AA 1AA'],
  ],
  [`${SECOND}/storageConditions/location`, 'must match ^[A-Z]{2}$', ['GB', 'IE'], ['gb', 'GBR', 'G', '']],
  [
    `${SECOND}/storageConditions/retentionPeriod`,
    'must be an ISO 8601 duration, such as P1Y6M; only its last component may have a decimal fraction',
    [
      ...['P2Y', 'P18M', 'P6W', 'P90D', 'PT12H', 'P1Y2M3DT4H5M6S'],
      ...['P0.5Y', 'P0,5Y', 'P1.5W', 'P1Y2,25M', 'P1DT0.5H', 'PT1H30.5S', 'P1Y2M3DT4H5M6,789S'],
    ],
    [
      ...['P', 'PT', '2Y', 'P2', 'P-1D', 'p2y', 'P1DT', ''],
      ...['P1.5Y2M', 'P0.5YT1H', 'PT1.5H30S', 'PT1,5M0.5S', 'P.5Y', 'P1.Y', 'P1.5', 'P1.2.3Y', 'PT0.5', 'PT.5S'],
    ],
  ],
];

/** A record in which every field of the tables is present. */
function fullRecord(): AccessRecordInput {
  return recordOnConsent((record) => {
    const address = {
      addressLine1: '1 Quay',
      addressLine2: 'b',
      townCity: 'Wexbridge',
      county: 'c',
      postcode: 'WX4 7QD',
    };
    const storageConditions = { location: 'GB', retentionPeriod: 'P2Y' };
    record.recordMetadata.controllerArrangement = {
      arrangementType: 'joint',
      art26Reference: 'Section 4',
      controllers: [
        HARBOURLIGHT,
        { ...FERNHOLLOW, liaReference: 'l', statutoryReference: 's', address, storageConditions },
      ],
    };
    const terms = { termsUrl: 'https://harbourlight.example/terms', noticeVersion: '3.0', noticeLanguage: 'en' };
    record.notice = {
      sharedNotice: terms,
      notices: [HARBOURLIGHT, FERNHOLLOW].map(({ name }) => ({ ...terms, controllerName: name })),
    };
    record.processing.dataSource = 'Wexbridge Metering';
    record.processing.recipients = [{ name: 'Settlement Ltd', role: 'agent' }];
    record.accessEvent.controllerReference = 'CUST-20931';
  });
}

/** The full record with one field set by its path. */
function withField(path: string, value: unknown): AccessRecordInput {
  const record = fullRecord();
  const steps = path.split('/');
  const last = steps.pop() as string;
  const parent = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], record);
  (parent as Record<string, unknown>)[last] = value;
  return record;
}

const limits = (path: string, value: unknown) => reportedBy(fieldLimits, withField(path, value));

it('A record within all limits breaks none', () => {
  expect(reportedBy(fieldLimits, fullRecord())).toEqual([]);
});

describe.each(TEXTS)('The text at %s', (path, least, most) => {
  const rejection = `VAL003 ${path}: must have ${least} to ${most} characters`;

  it(`has ${least} to ${most} characters`, () => {
    expect(limits(path, 'a'.repeat(most))).toEqual([]);
    expect(limits(path, 'a'.repeat(most + 1))).toEqual([rejection]);
    expect(limits(path, '')).toEqual(least === 0 ? [] : [rejection]);
  });

  it('is counted in characters, not in UTF-16 units or bytes', () => {
    expect(limits(path, '🏡'.repeat(most))).toEqual([]);
    expect(limits(path, 'ŷ'.repeat(most))).toEqual([]);
    expect(limits(path, '🏡'.repeat(most + 1))).toEqual([rejection]);
  });

  it.each([' ', '\t\n', '\u00a0\u200b', '\u3164', '\u2800', '\u0301'])(
    'has a visible character: %j has none',
    (text) => {
      expect(limits(path, text)).toEqual(least === 0 ? [] : [`VAL003 ${path}: must have a visible character`]);
    },
  );

  it.each(['\0', '\ud83c', 'a\udfe1b'])('cannot contain characters that cannot be stored: %j', (text) => {
    expect(limits(path, text)).toEqual([`VAL001 ${path}: contains a character that cannot be stored`]);
  });
});

it('A retention period has at most 50 characters', () => {
  const path = `${SECOND}/storageConditions/retentionPeriod`;
  expect(limits(path, `P${'9'.repeat(48)}Y`)).toEqual([]);
  expect(limits(path, `P${'9'.repeat(49)}Y`)).toEqual([`VAL003 ${path}: must have 0 to 50 characters`]);
});

describe('Optional texts', () => {
  it('may be null', () => {
    const record = fullRecord();
    record.processing.dataSource = null;
    record.accessEvent.controllerReference = null;
    record.recordMetadata.controllerArrangement.art26Reference = null;
    expect(reportedBy(fieldLimits, record)).toEqual([]);
  });
});

describe.each(PATTERNS)('The text at %s', (path, message, good, bad) => {
  it.each(good)('may be %p', (value) => expect(limits(path, value)).toEqual([]));
  it.each(bad)('may not be %p', (value) => expect(limits(path, value)).toEqual([`VAL001 ${path}: ${message}`]));
});

describe('Lists', () => {
  const controllers = 'recordMetadata/controllerArrangement/controllers';
  const notice = { controllerName: FERNHOLLOW.name, termsUrl: 'https://fernhollow.example/', noticeVersion: '1' };
  const recipient = { name: 'Settlement Ltd', role: 'agent' };
  const EIGHT = [
    'HH-CONSUMPTION',
    'HH-EXPORT',
    'MTH-CONSUMPTION',
    'MTH-EXPORT',
    'ANNUAL-CONSUMPTION',
    'ANNUAL-EXPORT',
    'TARIFF-IMPORT',
    'TARIFF-EXPORT',
  ];

  it.each<[sentence: string, path: string, value: unknown[], violations: string[]]>([
    ['100 controllers', controllers, Array(100).fill(FERNHOLLOW), []],
    [
      '101 controllers',
      controllers,
      Array(101).fill(FERNHOLLOW),
      [`VAL003 ${controllers}: must have 1 to 100 entries`],
    ],
    ['no controller', controllers, [], [`VAL003 ${controllers}: must have 1 to 100 entries`]],
    ['2 notices', 'notice/notices', [notice, notice], []],
    ['1 notice', 'notice/notices', [notice], ['VAL003 notice/notices: must have 2 to 100 entries']],
    ['101 notices', 'notice/notices', Array(101).fill(notice), ['VAL003 notice/notices: must have 2 to 100 entries']],
    ['no recipient', 'processing/recipients', [], []],
    [
      '101 recipients',
      'processing/recipients',
      Array(101).fill(recipient),
      ['VAL003 processing/recipients: must have 0 to 100 entries'],
    ],
    ['all eight data types', 'processing/dataTypes', EIGHT, []],
    ['no data type', 'processing/dataTypes', [], ['VAL003 processing/dataTypes: must have 1 to 8 entries']],
    [
      'a data type twice',
      'processing/dataTypes',
      ['HH-EXPORT', 'HH-EXPORT'],
      ['VAL003 processing/dataTypes: must not name a data type twice'],
    ],
  ])('are within their limits or rejected: %s', (_, path, value, expected) => {
    expect(limits(path, value)).toEqual(expected);
  });
});
