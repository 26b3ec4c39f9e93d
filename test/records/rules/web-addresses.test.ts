import type { AccessRecordInput } from '../../../subgraphs/access/records/access-record';
import { webAddresses } from '../../../subgraphs/access/records/rules/web-addresses';
import { FERNHOLLOW, HARBOURLIGHT, recordOnConsent, reportedBy } from '../../support/access-records';

const CONTROLLERS = 'recordMetadata/controllerArrangement/controllers';
const NOT_HTTPS = 'is not an https URL';
const NEITHER = 'is not an https or http URL';
const UNENCODED = 'contains characters that must be encoded: in the host as Punycode (xn--), elsewhere as %XX';
const CREDENTIALS = 'contains credentials';
const TOO_LONG = 'is longer than 2048 characters';

/** Every URI field of a record, and how it is set. */
const FIELDS: [path: string, set: (record: AccessRecordInput, url: string) => void][] = [
  [`${CONTROLLERS}/0/contactUrl`, (record, contactUrl) => controllers(record, { ...HARBOURLIGHT, contactUrl })],
  [
    `${CONTROLLERS}/0/privacyRightsUrl`,
    (record, privacyRightsUrl) => controllers(record, { ...HARBOURLIGHT, privacyRightsUrl }),
  ],
  [
    `${CONTROLLERS}/1/contactUrl`,
    (record, contactUrl) => controllers(record, HARBOURLIGHT, { ...FERNHOLLOW, contactUrl }),
  ],
  [
    'notice/sharedNotice/termsUrl',
    (record, termsUrl) => (record.notice = { sharedNotice: { termsUrl, noticeVersion: '1' } }),
  ],
  [
    'notice/notices/1/termsUrl',
    (record, termsUrl) => {
      const notice = {
        termsUrl: 'https://harbourlight.example/',
        noticeVersion: '1',
        controllerName: HARBOURLIGHT.name,
      };
      record.notice = { notices: [notice, { ...notice, termsUrl }] };
    },
  ],
  [
    'processing/recipients/0/privacyUrl',
    ({ processing }, privacyUrl) => (processing.recipients = [{ name: 'Settlement Ltd', role: 'agent', privacyUrl }]),
  ],
];

function controllers(record: AccessRecordInput, ...all: (typeof HARBOURLIGHT)[]): void {
  record.recordMetadata.controllerArrangement.controllers = all;
}

const ADDRESSES: [sentence: string, url: string, inProduction: string | null, elsewhere: string | null][] = [
  ['https', 'https://harbourlight.example/a/b?c=d#e', null, null],
  ['https with a port', 'https://harbourlight.example:8443/', null, null],
  ['the scheme in capitals', 'HTTPS://harbourlight.example/', null, null],
  ['http', 'http://localhost:4002/return', NOT_HTTPS, null],
  ['another scheme', 'ftp://harbourlight.example/', NOT_HTTPS, NEITHER],
  ['a script', 'javascript:alert(1)', NOT_HTTPS, NEITHER],
  ['no scheme', 'harbourlight.example/contact', NOT_HTTPS, NEITHER],
  ['a scheme without a host', 'https:///contact', NOT_HTTPS, NEITHER],
  ['nothing', '', NOT_HTTPS, NEITHER],
  ['a space', 'https://harbourlight.example/a b', UNENCODED, UNENCODED],
  ['a line break', 'https://harbourlight.example/\na', UNENCODED, UNENCODED],
  ['a backslash', 'https:\\\\harbourlight.example', NOT_HTTPS, NEITHER],
  ['a letter that is not ASCII', 'https://hârbourlight.example/', UNENCODED, UNENCODED],
  ['a port that is none', 'https://harbourlight.example:99999/', NOT_HTTPS, NEITHER],
  ['user and password', 'https://user:secret@harbourlight.example/', CREDENTIALS, CREDENTIALS],
  ['a user', 'https://user@harbourlight.example/', CREDENTIALS, CREDENTIALS],
  ['an at sign in the path', 'https://harbourlight.example/@user', null, null],
  ['2,048 characters', `https://harbourlight.example/${'a'.repeat(2_019)}`, null, null],
  ['2,049 characters', `https://harbourlight.example/${'a'.repeat(2_020)}`, TOO_LONG, TOO_LONG],
];

describe.each(FIELDS)('The web address at %s', (path, set) => {
  it.each(ADDRESSES)('%s', (_, url, inProduction, elsewhere) => {
    const record = recordOnConsent((each) => set(each, url));
    const expected = (fault: string | null) => (fault === null ? [] : [`VAL008 ${path}: ${fault}`]);
    expect(reportedBy(webAddresses, record, { production: true })).toEqual(expected(inProduction));
    expect(reportedBy(webAddresses, record, { production: false })).toEqual(expected(elsewhere));
  });
});

describe('Web addresses', () => {
  it('are all reported together, and never echoed', () => {
    const record = recordOnConsent((each) => FIELDS.forEach(([, set]) => set(each, 'gopher://wrong.example')));
    controllers(record, {
      ...HARBOURLIGHT,
      contactUrl: 'gopher://wrong.example',
      privacyRightsUrl: 'gopher://wrong.example',
    });
    const lines = reportedBy(webAddresses, record);
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      `VAL008 ${CONTROLLERS}/0/contactUrl`,
      `VAL008 ${CONTROLLERS}/0/privacyRightsUrl`,
      'VAL008 notice/notices/1/termsUrl',
      'VAL008 processing/recipients/0/privacyUrl',
    ]);
    expect(lines.join()).not.toContain('gopher');
  });

  it('may be absent where they are optional', () => {
    const record = recordOnConsent(({ processing }) => {
      processing.recipients = [{ name: 'Settlement Ltd', role: 'agent', privacyUrl: null }];
    });
    controllers(record, { ...FERNHOLLOW, privacyRightsUrl: null });
    expect(reportedBy(webAddresses, record)).toEqual([]);
  });
});
