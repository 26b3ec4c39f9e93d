import { nextPasskeyCeremony } from '../../../subgraphs/identity/reidentification/ceremony';
import {
  type ReidentificationMethod,
  maskedEmail,
  reidentificationState,
  returnAddress,
  withoutToken,
} from '../../../subgraphs/identity/reidentification/reidentification';
import {
  type OccupantRecord,
  type Occupancy,
  admitsCeremony,
  occupancyOf,
} from '../../../subgraphs/identity/occupancy/occupancy';
import { passkeyLabel } from '../../../subgraphs/identity/passkeys/passkey';
import { availableMethods, chosenRecord } from '../../../subgraphs/identity/reidentification/reidentification-choice';
import {
  type ReidentificationRequest,
  reidentificationViolations,
  returnUrlOf,
  returnUrlViolation,
} from '../../../subgraphs/identity/reidentification/reidentification-rules';

const URL = 'https://larkhill.example/return';
const LOCAL = 'http://localhost:5000/return';
const request = (change: Partial<ReidentificationRequest>): ReidentificationRequest => ({
  method: 'magic-link',
  redirectUrl: null,
  passkeyReturnUrl: null,
  state: null,
  ...change,
});
const brokenRules = (change: Partial<ReidentificationRequest>, production = true) =>
  reidentificationViolations(request(change), { production, returnUrls: [URL, LOCAL] }).map(
    ({ code, path }) => `${code} ${path.join('.')}`,
  );

describe('The return URL of a re-identification', () => {
  it.each<[string, Partial<ReidentificationRequest>, string[]]>([
    ['may be absent for a magic link', {}, []],
    ['may be given for a magic link', { redirectUrl: URL }, []],
    ['may be absent for an assertion', { method: 'passkey-assert' }, []],
    ['may be absent for a registration', { method: 'passkey-register' }, []],
    ['may be that of the other method (magic link)', { passkeyReturnUrl: URL }, []],
    ['may be that of the other method (passkey)', { method: 'passkey-assert', redirectUrl: URL }, []],
    [
      'is a web address for either method',
      { redirectUrl: 'larkhill.example', passkeyReturnUrl: 'javascript:0' },
      ['VAL008 redirectUrl', 'VAL008 passkeyReturnUrl'],
    ],
    ['is a web address', { redirectUrl: 'larkhill.example' }, ['VAL008 redirectUrl']],
    ['contains no credentials', { redirectUrl: 'https://a:b@larkhill.example/' }, ['VAL008 redirectUrl']],
    [
      'is https in production',
      { method: 'passkey-register', passkeyReturnUrl: 'http://larkhill.example/' },
      ['VAL008 passkeyReturnUrl'],
    ],
  ])('%s', (_, change, violations) => {
    expect(brokenRules(change)).toEqual(violations);
  });

  it('may be http outside production', () => {
    expect(brokenRules({ redirectUrl: LOCAL }, false)).toEqual([]);
  });

  it('is that of the requested method; the other is ignored', () => {
    const both = { redirectUrl: `${URL}/link`, passkeyReturnUrl: `${URL}/passkey` };
    expect(returnUrlOf(request(both))).toBe(`${URL}/link`);
    expect(returnUrlOf(request({ ...both, method: 'passkey-assert' }))).toBe(`${URL}/passkey`);
    expect(returnUrlOf(request({ redirectUrl: URL, method: 'passkey-register' }))).toBeNull();
  });

  it('must be a registered one if present, for every method', () => {
    const [redirectUrl, passkeyReturnUrl] = [`${URL}/link`, `${URL}/passkey`];
    for (const method of ['magic-link', 'passkey-assert', 'passkey-register'] as const) {
      expect(brokenRules({ method, redirectUrl, passkeyReturnUrl })).toEqual([
        'VAL008 redirectUrl',
        'VAL008 passkeyReturnUrl',
      ]);
      expect(brokenRules({ method, redirectUrl: URL, passkeyReturnUrl: URL })).toEqual([]);
      expect(brokenRules({ method })).toEqual([]);
    }
  });

  it('has one violation each, together with those of the other fields', () => {
    const change = { redirectUrl: 'javascript:0', passkeyReturnUrl: `${URL}/passkey`, state: 'a'.repeat(256) };
    expect(brokenRules(change)).toEqual(['VAL008 redirectUrl', 'VAL008 passkeyReturnUrl', 'VAL003 state']);
  });

  it.each([`${URL}/`, `${URL}?a=1`, URL.toUpperCase(), `${URL}#x`, 'https://evil.example/'])(
    'must equal a registered one, unlike %s',
    (other) => {
      const policy = { production: true, returnUrls: [URL] };
      expect(returnUrlViolation(other, policy)).toBe('is not a return URL registered for the account');
      expect(returnUrlViolation(URL, policy)).toBeUndefined();
    },
  );

  it.each<[string, ReidentificationMethod, string]>([
    [URL, 'magic-link', `${URL}?dar-reid-token=mlr_1`],
    [URL, 'passkey-assert', `${URL}?dar-passkey-token=mlr_1`],
    [`${URL}?a=%20b+c&d`, 'passkey-register', `${URL}?a=%20b+c&d&dar-passkey-token=mlr_1`],
    [`${URL}?`, 'magic-link', `${URL}?dar-reid-token=mlr_1`],
    [`${URL}?a=1&`, 'magic-link', `${URL}?a=1&dar-reid-token=mlr_1`],
    [`${URL}?a=1#there?`, 'magic-link', `${URL}?a=1&dar-reid-token=mlr_1#there?`],
    [`${URL}#there?`, 'magic-link', `${URL}?dar-reid-token=mlr_1#there?`],
  ])('%s keeps its query, with the token of %s added', (url, method, address) => {
    expect(returnAddress(url, method, 'mlr_1', null)).toBe(address);
  });

  it.each<[string, string]>([
    [URL, URL],
    [`${URL}?a=%20b+c&d`, `${URL}?a=%20b+c&d`],
    [`${URL}?a=1#there?&`, `${URL}?a=1#there?&`],
    [`${URL}?a=1&`, `${URL}?a=1`],
  ])('%s is %s again for a customer who does not confirm, with the state', (url, address) => {
    for (const method of ['magic-link', 'passkey-assert', 'passkey-register'] as const) {
      expect(withoutToken(returnAddress(url, method, 'mlr_1', null))).toBe(address);
      const [before, fragment] = address.split('#') as [string, string | undefined];
      const state = `${before}${before.includes('?') ? '&' : '?'}state=a%26b${fragment === undefined ? '' : `#${fragment}`}`;
      expect(withoutToken(returnAddress(url, method, 'mlr_1', 'a&b'))).toBe(state);
    }
  });

  it('contains the state, percent-encoded', () => {
    expect(returnAddress(`${URL}?a=1#there`, 'magic-link', 'mlr_1', 'sesiwn ŷ&b=%20')).toBe(
      `${URL}?a=1&dar-reid-token=mlr_1&state=sesiwn%20%C5%B7%26b%3D%2520#there`,
    );
    expect(brokenRules({ state: '🏡'.repeat(255) })).toEqual([]);
    expect(brokenRules({ state: '🏡'.repeat(256) })).toEqual(['VAL003 state']);
    expect(brokenRules({ state: '\ud800' })).toEqual(['VAL001 state']);
  });
});

describe('The e-mail address in a response', () => {
  it.each([
    ['jane.doe@example.co.uk', 'j***@e***.uk'],
    ['a@b.uk', 'a***@b***.uk'],
    ['x@mail.sub.example.org', 'x***@m***.org'],
    ['"odd@local"@example.com', '"***@e***.com'],
    [' Jane.DOE@Example.ORG ', 'j***@e***.org'],
  ])('%s is masked as %s', (email, masked) => {
    expect(maskedEmail(email)).toBe(masked);
  });
});

describe('The state of a re-identification', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
  const times = { openUntil: at(10), expiresAt: at(60), confirmedAt: null };

  it.each([
    ['pending', at(0), null],
    ['pending', new Date(at(10).getTime() - 1), null],
    ['expired', at(10), null],
    ['confirmed', at(9), at(9)],
    ['confirmed', new Date(at(60).getTime() - 1), at(9)],
    ['expired', at(60), at(9)],
  ])('is "%s" at %s if the customer confirmed it at %s', (state, now, confirmedAt) => {
    expect(reidentificationState({ ...times, confirmedAt }, now)).toBe(state);
  });
});

describe('The record used for a re-identification', () => {
  const record = {
    name: 'record',
    occupancy: 'current' as Occupancy,
    isVerified: true,
    isClosing: false,
    isClosed: false,
    hasPasskey: false,
    mayAddPasskey: true,
    email: null as string | null,
    rejected: [] as OccupantRecord['rejected'],
  };
  const methods: ReidentificationMethod[] = ['magic-link', 'passkey-assert', 'passkey-register'];
  const choice = (
    records: (typeof record)[],
    method: ReidentificationMethod,
    scope: 'own' | 'cross' = 'cross',
    verifiedOnly = false,
  ) => chosenRecord(records, { method, scope, verifiedOnly });

  it('is the newest that supports the method', () => {
    const records = [
      { ...record, name: 'newest' },
      { ...record, name: 'with address', email: 'a@b.uk' },
      { ...record, name: 'with passkey', hasPasskey: true },
      { ...record, name: 'with both', hasPasskey: true, email: 'a@b.uk' },
    ];
    expect(methods.map((method) => choice(records, method)?.record.name)).toEqual([
      'with address',
      'with passkey',
      'with address',
    ]);
  });

  it('never has lost all its contacts by rejections, not even for its own Data User', () => {
    const rejected = [{ contact: 'email:ab' }] as unknown as OccupantRecord['rejected'];
    for (const method of methods) expect(choice([{ ...record, rejected }], method, 'own')).toBeUndefined();
    expect(choice([record], 'passkey-register', 'own')).toBeDefined();
    expect(choice([{ ...record, rejected, email: 'a@b.uk' }], 'magic-link', 'own')).toBeDefined();
  });

  it('never belongs to a former occupancy', () => {
    const former = { ...record, occupancy: 'ended' as const };
    for (const method of methods) {
      for (const each of [former, { ...former, hasPasskey: true, email: 'a@b.uk' }]) {
        expect(choice([each], method, 'cross')).toBeUndefined();
        expect(choice([each], method, 'own')).toBeUndefined();
      }
    }
  });

  it('never belongs to a future occupancy, unless its own Data User vouches for a new passkey', () => {
    const coming = { ...record, occupancy: 'to-come' as const };
    for (const method of methods) {
      for (const change of [{ hasPasskey: true }, { email: 'a@b.uk' }, { hasPasskey: true, email: 'a@b.uk' }]) {
        expect(choice([{ ...coming, ...change }], method, 'cross')).toBeUndefined();
        expect(choice([{ ...coming, ...change }], method, 'own')).toBeUndefined();
      }
      expect(choice([coming], method, 'cross')).toBeUndefined();
    }
    expect(choice([coming], 'passkey-register', 'own')?.start.vouched).toBe(true);
    expect(choice([coming], 'magic-link', 'own')).toBeUndefined();
    expect(choice([coming], 'passkey-assert', 'own')).toBeUndefined();
  });

  it.each(methods)('by %s is a verified one if there is a verified one', (method) => {
    const able = { hasPasskey: true, email: 'a@b.uk' };
    const newer = { ...record, ...able, name: 'newer', isVerified: false };
    const older = { ...record, ...able, name: 'older' };
    expect(choice([newer, older], method)?.record.name).toBe('older');
    expect(choice([newer, record], method)).toBeUndefined(); // a verified record that does not support the method
    expect(choice([newer, { ...older, isVerified: false }], method)?.record.name).toBe('newer');
    for (const occupancy of ['ended', 'to-come'] as const) {
      expect(choice([newer, { ...older, occupancy }], method)?.record.name).toBe('newer');
    }
    expect(choice([newer], method, 'own')?.record.name).toBe('newer');
  });

  it('is a verified one for a portal', () => {
    const unverified = { ...record, isVerified: false, hasPasskey: true, email: 'a@b.uk' };
    for (const method of methods) {
      expect(choice([unverified], method, 'cross', true)).toBeUndefined();
      expect(choice([unverified, { ...unverified, isVerified: true }], method, 'cross', true)?.record.isVerified).toBe(
        true,
      );
    }
  });

  it.each([
    ['a passkey or a mail proof', true, 'a@b.uk', ['passkey', 'mail'], false],
    ['a passkey if it has no address', true, null, ['passkey'], false],
    ['a mail proof if it has no passkey', false, 'a@b.uk', ['mail'], false],
    ['nothing if its own Data User vouches and it has neither', false, null, [], true],
  ] as const)('requires before a new passkey: %s', (_, hasPasskey, email, proofs, vouched) => {
    const start = choice([{ ...record, hasPasskey, email }], 'passkey-register', 'own')?.start;
    expect(start).toEqual({ kind: 'register-passkey', proofs, vouched });
  });

  it.each<[sentence: string, records: (typeof record)[], verifiedOnly: boolean, ReidentificationMethod[]]>([
    ['nothing without an Identity Record', [], false, []],
    ['registering a passkey as soon as there is a record', [record], false, ['passkey-register']],
    ['a mailed link', [{ ...record, email: 'a@b.uk' }], false, ['magic-link', 'passkey-register']],
    ['an assertion', [{ ...record, hasPasskey: true }], false, ['passkey-assert', 'passkey-register']],
    [
      'the union of all records of the current occupancy',
      [
        { ...record, hasPasskey: true },
        { ...record, email: 'a@b.uk' },
      ],
      false,
      ['magic-link', 'passkey-assert', 'passkey-register'],
    ],
    [
      'nothing of an occupancy that has ended',
      [record, { ...record, occupancy: 'ended', hasPasskey: true, email: 'a@b.uk' }],
      false,
      ['passkey-register'],
    ],
    [
      'nothing of an unverified record beside a verified one',
      [{ ...record, isVerified: false, email: 'a@b.uk' }, record],
      false,
      ['passkey-register'],
    ],
    [
      'nothing of an unverified record for a portal',
      [{ ...record, isVerified: false, email: 'a@b.uk' }],
      true,
      ['passkey-register'],
    ],
  ])('is available in the existence check: %s', (_, records, verifiedOnly, named) => {
    expect(availableMethods(records, { verifiedOnly, isContested: false })).toEqual(named);
    const always = records.length === 0 ? [] : ['passkey-register'];
    expect(availableMethods(records, { verifiedOnly, isContested: true })).toEqual(always);
    for (const method of ['magic-link', 'passkey-assert'] as const)
      expect(choice(records, method, 'cross', verifiedOnly) !== undefined).toBe(named.includes(method));
  });

  it('cannot be given a passkey by another Data User if it has neither passkey nor address', () => {
    expect(choice([record], 'passkey-register', 'cross')).toBeUndefined();
  });
});

describe('The occupancy of a record', () => {
  it.each<[string, string | null, Occupancy]>([
    ['2024-06-14', null, 'current'],
    ['2024-06-15', null, 'current'],
    ['2024-06-16', null, 'to-come'],
    ['2024-01-31', '2024-02-01', 'ended'],
    ['2024-02-01', '2024-02-01', 'current'],
    ['2024-06-15', '2024-06-15', 'current'],
    ['2024-06-14', '2024-06-15', 'ended'],
    ['2024-06-16', '2024-06-15', 'to-come'],
  ])('with a move-in date of %s, after a change on %s, is %s on 15 June', (moveInDate, occupiedSince, occupancy) => {
    expect(occupancyOf({ moveInDate, occupiedSince, today: '2024-06-15' })).toBe(occupancy);
  });

  it.each<[string, string, Occupancy, boolean, boolean]>([
    ['lasts', 'any ceremony', 'current', true, true],
    ['has ended', 'no ceremony', 'ended', false, false],
    ['has not started', 'only a ceremony for which a Data User vouches', 'to-come', false, true],
  ])('that %s permits %s', (_, __, occupancy, plain, vouched) => {
    expect(admitsCeremony(occupancy, { vouched: false })).toBe(plain);
    expect(admitsCeremony(occupancy, { vouched: true })).toBe(vouched);
  });
});

describe('The next passkey ceremony', () => {
  it.each([
    ['assert-passkey', [], 'assertion'],
    ['register-passkey', [], 'registration'],
    ['register-passkey', ['passkey', 'mail'], 'assertion'],
    ['register-passkey', ['mail'], undefined],
    ['confirm-link', [], undefined],
    ['confirm-proof', [], undefined],
  ] as const)('of the kind "%s" with the due proofs %j is: %s', (kind, proofs, next) => {
    expect(nextPasskeyCeremony({ kind, proofs })).toBe(next);
  });
});

describe('The name of a passkey', () => {
  it('contains only the last four characters of the meter point number', () => {
    expect(passkeyLabel('1012345678')).toBe('Meter point …5678');
  });
});
