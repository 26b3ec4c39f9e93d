import type { OccupantRecord } from '../../../subgraphs/identity/occupancy/occupancy';
import {
  type SignInHint,
  claimNames,
  linkHintViolations,
  soughtBy,
  supplierHintViolations,
  supplierSignInBy,
} from '../../../subgraphs/identity/sign-in/sign-in-hint';
import {
  ownAddress,
  signInLinkReceivers,
  signInNoticeReceivers,
} from '../../../subgraphs/identity/sign-in/sign-in-recipients';

const record = (id: string, change: Partial<OccupantRecord> = {}): OccupantRecord => ({
  id,
  ir: `ir_${id}`,
  duid: 'duid_a',
  createdAt: new Date(0),
  meterPointId: 'here',
  mpxn: '1012345678',
  moveInDate: '2021-04-01',
  address: null,
  email: `${id}@customer.example`,
  hasPasskey: false,
  mayAddPasskey: true,
  isVerified: true,
  isClosing: false,
  isClosed: false,
  occupancy: 'current',
  tenancy: '',
  changes: [],
  contacts: [],
  unrejected: [],
  rejected: [],
  storedEmail: null,
  proofs: [],
  verdicts: new Map(),
  confirmed: [],
  ...change,
});
const BY_MPXN = { mpxn: '1012345678' };
const BY_EMAIL = { email: 'rowan@customer.example' };
const BY_IR = { ir: 'ir_a' };
const ids = (records: readonly OccupantRecord[]) => records.map(({ id }) => id);
const entry = (change: Partial<SignInHint>): SignInHint => ({
  mpxn: null,
  ir: null,
  email: null,
  returnUrl: null,
  ...change,
});

describe('The hint that a sign-in uses', () => {
  it.each([
    ['the e-mail address', { email: 'a@b.example', mpxn: '1', ir: 'ir_1' }, { email: 'a@b.example' }],
    ['the meter point', { mpxn: '1', ir: 'ir_1' }, { mpxn: '1' }],
    ['the Identity Record of the link', { ir: 'ir_1' }, { ir: 'ir_1' }],
    ['nothing', { returnUrl: 'https://a.example/' }, undefined],
  ])('is %s, because typed input precedes the link that the customer followed: %j', (_, given, sought) => {
    expect(soughtBy(entry(given))).toEqual(sought);
  });

  it('is required for a link, and must be well-formed if it is an e-mail address', () => {
    const codesOf = (given: Partial<SignInHint>) => linkHintViolations(entry(given)).map(({ code }) => code);
    expect(codesOf({})).toEqual(['VAL002']);
    expect(codesOf({ email: 'nobody' })).toEqual(['VAL001']);
    expect(codesOf({ email: `${'a'.repeat(250)}@b.example` })).toEqual(['VAL003']);
    expect(codesOf({ mpxn: '1012345678' })).toEqual([]);
  });

  it('must identify a meter point for a supplier', () => {
    expect(supplierHintViolations(entry({ email: 'a@b.example' })).map(({ code }) => code)).toEqual(['VAL002']);
    expect(supplierHintViolations(entry({ ir: 'ir_1' }))).toEqual([]);
  });
});

describe('Sign-in links are sent', () => {
  it('to addresses of verified records only', () => {
    const records = [record('a'), record('b', { isVerified: false }), record('c', { email: null })];
    expect(ids(signInLinkReceivers(records, BY_MPXN))).toEqual(['a']);
  });

  it('once to a person whom several Data Users registered at a meter point, for the oldest record that is not being anonymised', () => {
    const records = [
      record('new', { email: 'Rowan@customer.example', createdAt: new Date(2) }),
      record('old', { email: ' rowan@CUSTOMER.example', createdAt: new Date(1) }),
      record('closing', { email: 'rowan@customer.example', createdAt: new Date(0), isClosing: true }),
      record('other'),
    ];
    expect(ids(signInLinkReceivers(records, BY_MPXN))).toEqual(['old', 'other']);
  });

  it('for each meter point of a person', () => {
    const same = { email: 'rowan@customer.example' };
    expect(
      ids(signInLinkReceivers([record('here', same), record('there', { ...same, meterPointId: 'there' })], BY_EMAIL)),
    ).toEqual(['here', 'there']);
  });

  it('for each record of an ended occupancy, because each gives access to different records', () => {
    const ended = { email: 'rowan@customer.example', occupancy: 'ended' } as const;
    expect(ids(signInLinkReceivers([record('a', ended), record('b', ended)], BY_EMAIL))).toEqual(['a', 'b']);
  });

  it('to present occupants; by address or key also to former ones, and never to future ones', () => {
    const records = [
      record('coming', { occupancy: 'to-come' }),
      record('left', { occupancy: 'ended' }),
      record('living', {}),
    ];
    expect(ids(signInLinkReceivers(records, BY_MPXN))).toEqual(['living']);
    for (const by of [BY_EMAIL, BY_IR]) expect(ids(signInLinkReceivers(records, by))).toEqual(['living', 'left']);
  });

  it('to at most five records: current ones first, the newest of them first', () => {
    const left = [...'xyz'].map((id) => record(id, { occupancy: 'ended' }));
    const all = [...left, ...[...'abcd'].map((id) => record(id))];
    expect(ids(signInLinkReceivers(all, BY_EMAIL))).toEqual([...'abcdx']);
    expect(
      ids(
        signInLinkReceivers(
          [...'abcdefg'].map((id) => record(id)),
          BY_MPXN,
        ),
      ),
    ).toEqual([...'abcde']);
  });
});

describe('A sign-in is reported', () => {
  const signedIn = record('me');
  const own = { address: signedIn.email, tenancy: '' };

  it('to the other verified addresses, once each, never to the own one', () => {
    const records = [
      signedIn,
      record('mine-too', { email: 'ME@customer.example' }),
      record('housemate-again', { email: 'HouseMate@customer.example', createdAt: new Date(1) }),
      record('housemate'),
      record('unverified', { isVerified: false }),
      record('no-address', { email: null }),
    ];
    expect(signInNoticeReceivers(own, records).map(ids)).toEqual([['housemate', 'housemate-again']]);
  });

  it('to all of them if the customer has no own address', () => {
    expect(signInNoticeReceivers({ ...own, address: null }, [record('a'), record('b')]).map(ids)).toEqual([
      ['a'],
      ['b'],
    ]);
  });

  it.each([
    ['the address of a mailed link', 'mail', [], null],
    ['a passkey, with the address in its record', 'key', [], 'notified'],
    ["a passkey, not to an address that was proven to be the same person's", 'key', [['key', 'mail']], null],
    ['a supplier', null, [], 'notified'],
  ] as const)('after a sign-in by %s', (_, contact, proofs, notified) => {
    const held = (['email', 'passkey'] as const).map((kind) => ({
      ...{ contact: kind === 'email' ? 'mail' : 'key', kind, recordId: 'me', duid: 'duid_a', since: new Date(0) },
    }));
    const me = record('me', { contacts: held });
    const address = ownAddress(me, contact, { held, proofs, confirmed: [] });
    expect(signInNoticeReceivers({ address, tenancy: '' }, [me])).toHaveLength(notified === null ? 0 : 1);
  });

  it('to no person who has not moved in yet', () => {
    const coming = record('coming', { moveInDate: '2999-01-01', occupancy: 'to-come' });
    expect(signInNoticeReceivers(own, [signedIn, coming])).toEqual([]);
  });

  it('to addresses of the same occupancy only', () => {
    const records = [
      record('before', { tenancy: '2019-01-01' }),
      record('same'),
      record('after', { tenancy: '2023-06-01' }),
    ];
    expect(signInNoticeReceivers(own, records).map(ids)).toEqual([['same']]);
  });
});

describe('The claim of a supplier', () => {
  it.each([
    ['1012345678', true],
    [['1098765432', '1012345678'], true],
    ['1098765432', false],
    [['1098765432'], false],
    [[], false],
    ['10123456781', false],
    ['', false],
    [1012345678, false],
    [{ mpxn: '1012345678' }, false],
    [[['1012345678']], false],
    [undefined, false],
    [null, false],
  ])('with the value %j contains the meter point 1012345678: %s', (claim, names) => {
    expect(claimNames(claim, '1012345678')).toBe(names);
  });
});

describe('A supplier sign-in', () => {
  const plain = { email: null };

  it('is the fallback: it is rejected if a verified record of the current occupancy has an e-mail address or a passkey', () => {
    expect(supplierSignInBy([record('a')])).toEqual({ allowed: false });
    expect(supplierSignInBy([record('a', { ...plain, hasPasskey: true })])).toEqual({ allowed: false });
    expect(supplierSignInBy([record('newer', plain), record('older')])).toEqual({ allowed: false });
  });

  it('uses the newest verified record of the current occupancy, or none', () => {
    expect(supplierSignInBy([record('new', plain), record('old', plain)])).toMatchObject({ record: { id: 'new' } });
    const others = [
      record('a', { isVerified: false }),
      record('b', { occupancy: 'ended' }),
      record('c', { occupancy: 'to-come', hasPasskey: true }),
    ];
    expect(supplierSignInBy(others)).toEqual({ allowed: true, record: undefined });
  });
});
