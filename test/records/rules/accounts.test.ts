import { ACCOUNT_ROLES, type AccountRole } from '../../../schema/roles';
import { DATA_TYPES } from '../../../schema/data-types';
import {
  type AccountInput,
  type AccountSettings,
  type AccountStatus,
  STATUS_CHANGES,
  hasDuid,
  onboardingViolations,
  settingsViolations,
} from '../../../subgraphs/access/accounts/account';
import { violationLines } from '../../support/access-records';

const MPID = 'VAL001 mpid: is required for a supplier and must match ^[A-Z0-9]{4}$';
const NO_MPID = 'VAL003 mpid: is for suppliers only';
const NAME = 'VAL003 displayName: must have 1 to 255 characters';
const TWICE = 'VAL003 dataTypesSupported: must not name a data type twice';
const TOO_MANY = 'VAL003 dataTypesSupported: must have 0 to 8 entries';
const NOT_HTTPS = 'is not an https URL';

const SETTINGS: [sentence: string, settings: AccountSettings, violationLines: string[]][] = [
  ['nothing', {}, []],
  ['a name', { displayName: 'Harbourlight' }, []],
  ['an empty name', { displayName: '' }, [NAME]],
  ['a name of white space', { displayName: ' \t ' }, ['VAL003 displayName: must have a visible character']],
  [
    'a name with half of a surrogate pair',
    { displayName: 'Acme \ud800' },
    ['VAL001 displayName: contains a character that cannot be stored'],
  ],
  ['a name of 255 characters', { displayName: '🏡'.repeat(255) }, []],
  ['a name of 256 characters', { displayName: 'a'.repeat(256) }, [NAME]],
  ['addresses removed', { contactUrl: null, privacyUrl: null, organisationReference: null, returnUrls: null }, []],
  ['a contact address in clear', { contactUrl: 'http://harbourlight.example/' }, [`VAL008 contactUrl: ${NOT_HTTPS}`]],
  [
    'a privacy address with a password',
    { privacyUrl: 'https://a:b@harbourlight.example/' },
    ['VAL008 privacyUrl: contains credentials'],
  ],
  ['an issuer that is no address', { oauthIssuer: 'issuer' }, [`VAL008 oauthIssuer: ${NOT_HTTPS}`]],
  ['an empty client', { oauthClientId: '' }, ['VAL003 oauthClientId: must have 1 to 255 characters']],
  [
    'a long reference',
    { organisationReference: 'r'.repeat(256) },
    ['VAL003 organisationReference: must have 1 to 255 characters'],
  ],
  [
    'return addresses, one of them wrong',
    { returnUrls: ['https://harbourlight.example/return', 'https://'] },
    [`VAL008 returnUrls/1: ${NOT_HTTPS}`],
  ],
  ['50 return addresses', { returnUrls: Array<string>(50).fill('https://harbourlight.example/') }, []],
  ['every data type once', { dataTypesSupported: [...DATA_TYPES] }, []],
  ['a data type twice', { dataTypesSupported: ['HH-EXPORT', 'HH-CONSUMPTION', 'HH-EXPORT'] }, [TWICE]],
  ['more data types than there are', { dataTypesSupported: [...DATA_TYPES, 'HH-EXPORT'] }, [TOO_MANY]],
  [
    '51 return addresses',
    { returnUrls: Array<string>(51).fill('https://harbourlight.example/') },
    ['VAL003 returnUrls: must have 0 to 50 entries'],
  ],
  [
    'several mistakes together',
    { displayName: '', contactUrl: 'x', returnUrls: ['y'] },
    [NAME, `VAL008 contactUrl: ${NOT_HTTPS}`, `VAL008 returnUrls/0: ${NOT_HTTPS}`],
  ],
];

describe("An account's settings", () => {
  it.each(SETTINGS)('%s', (_, settings, expected) => {
    expect(violationLines(settingsViolations(settings, true))).toEqual(expected);
  });

  it('may have http addresses outside production', () => {
    expect(violationLines(settingsViolations({ contactUrl: 'http://localhost:4002/' }, false))).toEqual([]);
  });
});

describe('Onboarding', () => {
  const account = (role: AccountRole, change: Partial<AccountInput> = {}): AccountInput => ({
    role,
    displayName: 'Somebody',
    contactUrl: 'https://somebody.example/contact',
    privacyUrl: 'https://somebody.example/privacy',
    ...change,
  });

  it.each(ACCOUNT_ROLES.filter((role) => role !== 'supplier'))(
    'of the role %s takes no market participant id',
    (role) => {
      expect(violationLines(onboardingViolations(account(role), true))).toEqual([]);
      expect(violationLines(onboardingViolations(account(role, { mpid: 'TIDE' }), true))).toEqual([NO_MPID]);
    },
  );

  it.each<[string | null | undefined, string[]]>([
    ['TIDE', []],
    ['T001', []],
    [undefined, [MPID]],
    [null, [MPID]],
    ['', [MPID]],
    ['tide', [MPID]],
    ['TIDES', [MPID]],
  ])('of a supplier requires an id of four capital letters or digits, here %p', (mpid, expected) => {
    expect(violationLines(onboardingViolations(account('supplier', mpid === undefined ? {} : { mpid }), true))).toEqual(
      expected,
    );
  });

  it.each(ACCOUNT_ROLES)('of the role %s requires a contact URL if the role has a DUID', (role) => {
    const missing = hasDuid(role) ? [`VAL002 contactUrl: is required for the role ${role}`] : [];
    const mpid = role === 'supplier' ? { mpid: 'TIDE' } : {};
    for (const contactUrl of [null, undefined] as (null | undefined)[]) {
      const { contactUrl: _, ...rest } = account(role, mpid);
      const input = contactUrl === null ? { ...rest, contactUrl } : rest;
      expect(violationLines(onboardingViolations(input, true))).toEqual(missing);
    }
  });

  it.each(ACCOUNT_ROLES)('of the role %s requires a privacy notice if that is a Data User', (role) => {
    const missing = role === 'data_user' ? ['VAL002 privacyUrl: is required for the role data_user'] : [];
    const mpid = role === 'supplier' ? { mpid: 'TIDE' } : {};
    expect(violationLines(onboardingViolations(account(role, { ...mpid, privacyUrl: null }), true))).toEqual(missing);
  });

  it('checks the settings of the account, too', () => {
    expect(violationLines(onboardingViolations(account('supplier', { displayName: '' }), true))).toEqual([NAME, MPID]);
  });
});

describe('Identifiers of Data Users', () => {
  it.each(ACCOUNT_ROLES)('belong to Data Users and portals only, here the role %s', (role) => {
    expect(hasDuid(role)).toBe(['data_user', 'portal'].includes(role));
  });
});

describe('The status of an account', () => {
  const statuses: AccountStatus[] = ['active', 'suspended', 'terminated'];
  const leads: Record<string, Partial<Record<AccountStatus, AccountStatus>>> = {
    suspend: { active: 'suspended' },
    reactivate: { suspended: 'active' },
    terminate: { active: 'terminated', suspended: 'terminated' },
  };

  it.each(Object.entries(STATUS_CHANGES))(
    'is changed by %s only from where the table allows it',
    (change, { from, to }) => {
      const found = Object.fromEntries(
        statuses.filter((status) => from.includes(status)).map((status) => [status, to]),
      );
      expect(found).toEqual(leads[change]);
    },
  );
});
