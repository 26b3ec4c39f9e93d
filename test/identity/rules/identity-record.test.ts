import type { Violation } from '../../../schema/register-error';
import { comparableEmail } from '../../../subgraphs/identity/records/personal-data-rules';
import { type NewIdentityRecord, type UkAddress, isOwnedBy } from '../../../subgraphs/identity/records/identity-record';
import {
  identityRecordSearchViolations,
  identityRecordViolations,
} from '../../../subgraphs/identity/records/identity-record-rules';

const address: UkAddress = {
  addressLine1: '1 Meadow Lane',
  addressLine2: null,
  townCity: 'Otterby',
  county: null,
  postcode: 'OX1 2JD',
};
const evidence = {
  method: 'document check',
  verifiedAt: new Date('2026-01-02T03:04:05Z'),
  outcome: 'verified' as const,
  reference: null,
  submitted: null,
  verifiedAgainst: null,
  detail: null,
};
const record: NewIdentityRecord = {
  piiPrincipal: { mpxn: '1234567890', moveInDate: '2024-02-29', address },
  expressedBy: 'data-subject',
  principalVerification: evidence,
  email: 'ada@example.org',
  initiatePasskeyRegistration: false,
  passkeyReturnUrl: null,
  state: null,
};

const living = (change: Partial<UkAddress>): NewIdentityRecord => ({
  ...record,
  piiPrincipal: { ...record.piiPrincipal, address: { ...address, ...change } },
});
const proven = (change: object): NewIdentityRecord => ({
  ...record,
  principalVerification: { ...evidence, ...change },
});
const now = new Date('2026-01-02T03:00:00Z');
const returnUrls = ['https://example.org/', 'http://localhost:4002/'];
const nested = (levels: number): object => (levels === 1 ? {} : { inner: nested(levels - 1) });
const broken = (input: NewIdentityRecord, production = true): string[] =>
  identityRecordViolations(input, { production, returnUrls, now }).map(
    ({ code, path }: Violation) => `${code} ${path.join('.')}`,
  );

const line = 'piiPrincipal.address';
const proof = 'principalVerification';
const table: [rule: string, input: NewIdentityRecord, broken: string[]][] = [
  ['a complete record', record, []],
  ['no address, evidence and e-mail', { ...living({}), principalVerification: null, email: null }, []],
  ['an address line of 100 characters', living({ addressLine1: '𝒜'.repeat(100) }), []],
  ['an address line of 101 characters', living({ addressLine1: 'a'.repeat(101) }), [`VAL003 ${line}.addressLine1`]],
  ['an empty first address line', living({ addressLine1: '' }), [`VAL003 ${line}.addressLine1`]],
  ['a long second address line', living({ addressLine2: 'a'.repeat(101) }), [`VAL003 ${line}.addressLine2`]],
  ['an empty town', living({ townCity: '' }), [`VAL003 ${line}.townCity`]],
  ['a long town', living({ townCity: 'a'.repeat(101) }), [`VAL003 ${line}.townCity`]],
  ['a long county', living({ county: 'a'.repeat(101) }), [`VAL003 ${line}.county`]],
  ['a postcode without its space', living({ postcode: 'SW1A1AA' }), []],
  ['a postcode in small letters', living({ postcode: 'ox1 2jd' }), [`VAL001 ${line}.postcode`]],
  ['a method of 100 characters', proven({ method: 'm'.repeat(100) }), []],
  ['a method of 101 characters', proven({ method: 'm'.repeat(101) }), [`VAL003 ${proof}.method`]],
  ['an empty method', proven({ method: '' }), [`VAL003 ${proof}.method`]],
  ['a reference of 255 characters', proven({ reference: 'r'.repeat(255) }), []],
  ['a reference of 256 characters', proven({ reference: 'r'.repeat(256) }), [`VAL003 ${proof}.reference`]],
  ['a long text of what was submitted', proven({ submitted: 's'.repeat(256) }), [`VAL003 ${proof}.submitted`]],
  ['a long verified-against', proven({ verifiedAgainst: 'v'.repeat(256) }), [`VAL003 ${proof}.verifiedAgainst`]],
  ['detail of 10 levels', proven({ detail: nested(10) }), []],
  ['detail of 11 levels', proven({ detail: nested(11) }), [`VAL003 ${proof}.detail`]],
  ['detail of 16 KiB', proven({ detail: { text: 'd'.repeat(16_384 - 11) } }), []],
  ['detail of more than 16 KiB', proven({ detail: { text: 'd'.repeat(16_384 - 10) } }), [`VAL003 ${proof}.detail`]],
  ['an e-mail address with spaces around it', { ...record, email: ' Ada@Example.org ' }, []],
  ['an e-mail address without a domain', { ...record, email: 'ada@localhost' }, ['VAL001 email']],
  ['an e-mail address with two dots', { ...record, email: 'ada..l@example.org' }, ['VAL001 email']],
  ['an e-mail address with a display name', { ...record, email: 'Ada <ada@example.org>' }, ['VAL001 email']],
  ['two e-mail addresses', { ...record, email: 'ada@example.org,eve@example.org' }, ['VAL001 email']],
  [
    'an e-mail address with a line break',
    { ...record, email: 'ada@example.org\nBcc: eve@example.org' },
    ['VAL001 email'],
  ],
  ['an empty e-mail address', { ...record, email: '' }, ['VAL001 email']],
  ['a local part of 65 characters', { ...record, email: `${'a'.repeat(65)}@example.org` }, ['VAL001 email']],
  ['an e-mail address of 254 characters', { ...record, email: `a@${'b.'.repeat(124)}cdef` }, []],
  ['an e-mail address of 255 characters', { ...record, email: `a@${'b.'.repeat(124)}cdefg` }, ['VAL003 email']],
  ['a text of 255 characters in place of an e-mail address', { ...record, email: 'a'.repeat(255) }, ['VAL001 email']],
  [
    'a return URL that is no https URL',
    { ...record, passkeyReturnUrl: 'http://example.org/' },
    ['VAL008 passkeyReturnUrl'],
  ],
  ['a return URL without a passkey registration', { ...record, passkeyReturnUrl: 'https://example.org/' }, []],
  [
    'a return URL that is not registered, without a passkey registration',
    { ...record, passkeyReturnUrl: 'https://example.org/x' },
    ['VAL008 passkeyReturnUrl'],
  ],
  [
    'a passkey registration',
    { ...record, initiatePasskeyRegistration: true, passkeyReturnUrl: 'https://example.org/' },
    [],
  ],
  [
    'a passkey registration with a return URL that is not registered, and a long state',
    { ...record, initiatePasskeyRegistration: true, passkeyReturnUrl: 'https://example.org/x', state: 'a'.repeat(256) },
    ['VAL008 passkeyReturnUrl', 'VAL003 state'],
  ],
  [
    'a passkey registration without a return URL',
    { ...record, initiatePasskeyRegistration: true },
    ['VAL002 passkeyReturnUrl'],
  ],
  [
    'several violations, reported together in the order of the rules',
    { ...living({ addressLine1: '', postcode: '?' }), email: '?', principalVerification: { ...evidence, method: '' } },
    [`VAL003 ${line}.addressLine1`, `VAL001 ${line}.postcode`, `VAL003 ${proof}.method`, 'VAL001 email'],
  ],
];

describe('The rules for registering an Identity Record', () => {
  it.each(table)('apply to %s', (_, input, expected) => {
    expect(broken(input)).toEqual(expected);
  });

  it.each(['\0', '\ud800', 'a\udc00b'])(
    'reject malformed text (NUL or a lone surrogate) in every field: %j',
    (text) => {
      const input = {
        ...living({ addressLine1: text, addressLine2: text, townCity: text, county: text, postcode: text }),
        principalVerification: { ...evidence, method: text, reference: text, submitted: text, verifiedAgainst: text },
        email: text,
      };
      const fields = ['addressLine1', 'addressLine2', 'townCity', 'county', 'postcode'].map(
        (name) => `${line}.${name}`,
      );
      const proofs = ['method', 'reference', 'submitted', 'verifiedAgainst'].map((name) => `${proof}.${name}`);
      expect(broken(input)).toEqual([...fields, ...proofs, 'email'].map((path) => `VAL001 ${path}`));
      expect(broken(proven({ detail: { list: [{ value: text }] } }))).toEqual([`VAL001 ${proof}.detail`]);
      expect(broken(proven({ detail: { [text]: 1 } }))).toEqual([`VAL001 ${proof}.detail`]);
    },
  );

  it('check detail of any depth without failing', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) as object;
    expect(broken(proven({ detail: deep }))).toEqual([`VAL003 ${proof}.detail`]);
  });

  it('prove an identity in the past, with a tolerance of five minutes for the clock of the client', () => {
    expect(broken(proven({ verifiedAt: new Date('2026-01-02T03:05:00Z') }))).toEqual([]);
    expect(broken(proven({ verifiedAt: new Date('2026-01-02T03:05:00.001Z') }))).toEqual([
      'VAL003 principalVerification.verifiedAt',
    ]);
  });

  it('accept http return URLs outside production', () => {
    expect(broken({ ...record, passkeyReturnUrl: 'http://localhost:4002/' }, false)).toEqual([]);
  });

  it('never echo the input', () => {
    const input = {
      ...living({ addressLine1: 'Meadow'.repeat(20), postcode: 'Meadow' }),
      email: 'Meadow',
      passkeyReturnUrl: 'Meadow',
    };
    const violations = identityRecordViolations(input, { production: true, returnUrls, now });
    expect(violations.length).toBeGreaterThanOrEqual(4);
    expect(JSON.stringify(violations)).not.toContain('Meadow');
  });
});

describe('A search for Identity Records', () => {
  it('requires the meter point or the e-mail address', () => {
    const [violation] = identityRecordSearchViolations({ mpxn: null, email: null });
    expect(violation).toMatchObject({ code: 'VAL002', path: ['mpxn'] });
    expect(identityRecordSearchViolations({ mpxn: '1234567890', email: null })).toEqual([]);
    expect(identityRecordSearchViolations({ mpxn: null, email: 'ada@example.org' })).toEqual([]);
    expect(identityRecordSearchViolations({ mpxn: null, email: '?' })).toMatchObject([
      { code: 'VAL001', path: ['email'] },
    ]);
  });

  it('compares e-mail addresses trimmed and in lower case', () => {
    expect(comparableEmail(' Ada@Example.ORG\t')).toBe('ada@example.org');
  });
});

describe('An Identity Record', () => {
  it('belongs to the Data User that created it', () => {
    expect(isOwnedBy({ duid: 'duid_1' }, 'duid_1')).toBe(true);
    expect(isOwnedBy({ duid: 'duid_1' }, 'duid_2')).toBe(false);
  });
});
