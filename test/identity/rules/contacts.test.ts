import {
  type ContactEvidence,
  contactGroups,
  contactsOf,
  contestants,
  currentContacts,
  isContested,
  isRejected,
} from '../../../subgraphs/identity/contacts/contacts';
import { customerContacts, mayJudge } from '../../../subgraphs/identity/contacts/customer-contacts';
import { scopeOf } from '../../../subgraphs/identity/sign-in/customer-session';
import {
  type OccupantRecord,
  changeAfter,
  changeBefore,
  tenancyOf,
} from '../../../subgraphs/identity/occupancy/occupancy';
import type { HeldContact } from '../../../subgraphs/identity/contacts/contact';

let clock = 0;
/** A contact of a record; each is younger than those before. */
const held = (contact: string, recordId: string, duid = 'x'): HeldContact => ({
  ...{ contact, recordId, duid },
  kind: contact.startsWith('passkey') ? 'passkey' : 'email',
  since: new Date((clock += 1000)),
});
const facts = (change: Partial<ContactEvidence>): ContactEvidence => ({
  held: [],
  proofs: [],
  confirmed: [],
  ...change,
});
const groupsOf = (change: Partial<ContactEvidence>) =>
  contactGroups(facts(change)).map((group) => [...group].toSorted());

const record = (
  id: string,
  contacts: readonly HeldContact[],
  change: Partial<OccupantRecord> = {},
): OccupantRecord => ({
  ...{
    id,
    contacts,
    unrejected: contacts,
    ir: `ir_${id}`,
    duid: 'x',
    createdAt: new Date(0),
    meterPointId: 'here',
    mpxn: '1012345678',
  },
  ...{ moveInDate: '2021-04-01', address: null, email: null, storedEmail: `${id}@customer.example`, hasPasskey: false },
  ...{ mayAddPasskey: true },
  ...{ isVerified: true, occupancy: 'current', tenancy: '', changes: [], rejected: [], proofs: [], confirmed: [] },
  ...{ verdicts: new Map(), isClosing: false, isClosed: false },
  ...change,
});

describe('The contacts of an occupancy count as one person', () => {
  it('if there is none or one', () => {
    expect(groupsOf({})).toEqual([]);
    expect(groupsOf({ held: [held('rowan', 'r1')] })).toEqual([['rowan']]);
  });

  it('if they are the same address, whichever Data Users registered it', () => {
    expect(groupsOf({ held: [held('rowan', 'r1'), held('rowan', 'r2', 'y')] })).toEqual([['rowan']]);
  });

  it('if they were proven to belong together, also through a third', () => {
    const all = [held('rowan', 'r1'), held('isla', 'r2'), held('passkey', 'r3'), held('other', 'r4')];
    const proofs = [
      ['rowan', 'passkey'],
      ['passkey', 'isla'],
    ] as const;
    expect(groupsOf({ held: all, proofs })).toEqual([['isla', 'passkey', 'rowan'], ['other']]);
  });

  it('if a customer signed in at the supplier confirmed all of them, without those that have no verdict', () => {
    const all = [held('rowan', 'r1'), held('isla', 'r2'), held('other', 'r3')];
    expect(groupsOf({ held: all, confirmed: ['rowan', 'isla'] })).toEqual([['isla', 'rowan'], ['other']]);
    expect(groupsOf({ held: all, confirmed: ['other'] })).toEqual([['rowan'], ['isla'], ['other']]);
  });

  it('if only one record has contacts', () => {
    expect(groupsOf({ held: [held('rowan', 'r1'), held('passkey', 'r1')] })).toEqual([['passkey', 'rowan']]);
  });

  it("but not because a Data User put them into one of several records: it could combine a customer's address with its own passkey", () => {
    const all = [held('rowan', 'r1'), held('rowan', 'r2', 'y'), held('passkey', 'r2', 'y')];
    expect(groupsOf({ held: all })).toEqual([['rowan'], ['passkey']]);
    expect(groupsOf({ held: all, proofs: [['rowan', 'passkey']] })).toEqual([['passkey', 'rowan']]);
  });

  it.each([
    ['the oldest', () => 0],
    ['the one before', (index: number) => index - 1],
  ])('if each of 10,000 was proven to belong to %s, within a second of the processor', (_, other) => {
    const all = Array.from({ length: 10_000 }, (__, index) => held(`passkey ${index}`, `r${index}`));
    const nameOf = (index: number) => all[index]?.contact as string;
    const proofs = all.slice(1).map(({ contact }, index) => [nameOf(other(index + 1)), contact] as const);
    const start = process.cpuUsage();
    expect(contactGroups(facts({ held: all, proofs }))).toEqual([new Set(all.map(({ contact }) => contact))]);
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });

  it('but not by a proof of a contact that no record contains any more', () => {
    const proofs = [
      ['rowan', 'gone'],
      ['gone', 'isla'],
    ] as const;
    expect(groupsOf({ held: [held('rowan', 'r1'), held('isla', 'r2')], proofs })).toEqual([['rowan'], ['isla']]);
  });
});

describe('A contest', () => {
  it('is caused by the oldest contact of each group but the first', () => {
    const [first, second, third] = [held('rowan', 'r1'), held('isla', 'r2', 'y'), held('ivor', 'r3', 'z')];
    const again = held('isla', 'r4', 'w');
    const known = facts({ held: [again, third, second, first] });
    const groups = contactGroups(known);
    expect(isContested(groups)).toBe(true);
    expect(contestants(known, groups)).toEqual([second, third]);
  });

  it('is between verified records of a tenancy, without a person who has not moved in yet', () => {
    const changes = [{ day: '2024-01-01', began: new Date(0) }];
    const at = (id: string, change: Partial<OccupantRecord> = {}) =>
      record(id, [held(id, id)], { tenancy: '2024-01-01', changes, ...change });
    const all = [
      at('rowan'),
      at('former', { tenancy: '', occupancy: 'ended' }),
      at('coming', { occupancy: 'to-come' }),
      at('unverified', { isVerified: false }),
    ];
    expect(currentContacts(all).groups).toHaveLength(1);
    expect(contactsOf(all, '').groups).toHaveLength(1);
    expect(currentContacts([...all, at('isla')]).groups).toHaveLength(2);
  });
});

describe('The scope of a session', () => {
  const here = { movedIn: '2021-04-01', changes: [] };
  const [rowan, isla] = [held('rowan', 'r1'), held('isla', 'r2')];
  const both = [
    record('r1', [rowan], { moveInDate: '2021-05-01' }),
    record('r2', [isla]),
    record('r3', [held('rowan', 'r3')]),
  ];

  it('at a contested occupancy consists of the access linked to the records of its own contact', () => {
    const scope = scopeOf({ ...here, recordId: 'r1', contact: 'rowan' }, both);
    expect(scope).toMatchObject({ isCurrent: true, isContested: true, ownRecordIds: ['r1', 'r3'] });
    expect(scopeOf({ ...here, recordId: 'r2', contact: 'isla' }, both).ownRecordIds).toEqual(['r2']);
  });

  it('is everything if the contacts were proven to be one person', () => {
    const proven = both.map((each) => ({ ...each, proofs: [['isla', 'rowan']] as const }));
    expect(scopeOf({ ...here, recordId: 'r1', contact: 'rowan' }, proven)).toMatchObject({
      isContested: false,
      ownRecordIds: ['r1', 'r2', 'r3'],
    });
  });

  it('includes, after a supplier sign-in, records linked to confirmed contacts while others are contested', () => {
    const request = { ...here, recordId: null, contact: null };
    expect(scopeOf(request, both)).toMatchObject({ isContested: true, ownRecordIds: [] });
    const judged = both.map((each) => ({ ...each, confirmed: ['isla'] }));
    expect(scopeOf(request, judged)).toMatchObject({ isContested: true, ownRecordIds: ['r2'] });
  });

  it('includes a closed record only by a contact of the session, not because a Data User put both into the only live record', () => {
    const all = [
      record('c', [held('rowan', 'c')], { isClosed: true }),
      record('l', [held('rowan', 'l'), held('passkey', 'l')]),
    ];
    const ownOf = (contact: string) => scopeOf({ ...here, recordId: 'l', contact }, all).ownRecordIds;
    expect(ownOf('passkey')).toEqual(['l']);
    expect(ownOf('rowan')).toEqual(['c', 'l']);
  });

  it('includes a closed record of a contact that was proven to be the same person, but not by a confirmation of a contact without a live record', () => {
    const all = [record('c', [held('former', 'c')], { isClosed: true, moveInDate: '2020-01-01' }), ...both];
    const whole = (change: Partial<OccupantRecord>, contact: string | null) =>
      scopeOf(
        { ...here, recordId: null, contact },
        all.map((each) => ({ ...each, ...change })),
      );
    expect(whole({ proofs: [['former', 'isla']] }, 'isla').ownRecordIds).toEqual(['c', 'r2']);
    const confirmed = { confirmed: ['former', 'isla', 'rowan'] };
    for (const contact of ['isla', null])
      expect(whole(confirmed, contact)).toMatchObject({ ownRecordIds: ['r1', 'r2', 'r3'], since: '2021-04-01' });
  });

  it('starts with the earliest move-in date of the own records, which a newer record does not change', () => {
    const scope = scopeOf({ ...here, movedIn: '2025-01-01', recordId: 'r3', contact: 'rowan' }, both);
    expect(scope.since).toBe('2021-04-01');
  });

  it('at an ended occupancy is what is linked to its own records, contested or not', () => {
    const changes = [{ day: '2023-01-01', began: new Date('2023-01-01T12:00Z') }];
    const scope = scopeOf({ ...here, changes, recordId: 'r1', contact: 'rowan' }, both);
    expect(scope).toMatchObject({ isCurrent: false, isContested: false, ownRecordIds: ['r1', 'r3'] });
    expect(scope).toMatchObject({ beganAt: null, endedAt: new Date('2023-01-01T12:00Z') });
  });
});

describe('The tenancies of a meter point', () => {
  const changes = ['2020-01-01', '2023-06-01'].map((day) => ({ day, began: new Date(day) }));

  it.each([
    ['2019-12-31', undefined, '2020-01-01', ''],
    ['2020-01-01', '2020-01-01', '2023-06-01', '2020-01-01'],
    ['2023-05-31', '2020-01-01', '2023-06-01', '2020-01-01'],
    ['2023-06-01', '2023-06-01', undefined, '2023-06-01'],
  ])('place the day %s after the change of %s and before that of %s', (day, before, after, tenancy) => {
    expect(changeBefore(day, changes)?.day).toBe(before);
    expect(changeAfter(day, changes)?.day).toBe(after);
    expect(tenancyOf(day, changes)).toBe(tenancy);
  });
});

describe('The contacts that a customer reads', () => {
  const [rowan, isla, ivor] = [held('rowan', 'rowan'), held('isla', 'isla', 'y'), held('ivor', 'ivor', 'z')];
  const atMeterPoint = [
    record('rowan', [rowan]),
    record('isla', [isla]),
    record('ivor', [], { rejected: [ivor], isVerified: false }),
  ];
  const shownTo = (session: { contact: string | null; means: 'magic-link' | 'supplier' }) =>
    customerContacts({ atMeterPoint, tenancy: '', ...session }).map(({ contact, standing, shown }) => [
      contact,
      standing,
      shown,
    ]);

  it('are the own ones, and the others masked', () => {
    expect(shownTo({ contact: 'rowan', means: 'magic-link' })).toEqual([
      ['rowan', 'own', 'r***@c***.example'],
      ['isla', 'other', 'i***@c***.example'],
    ]);
  });

  it('include rejected ones if the customer signed in at the supplier', () => {
    expect(shownTo({ contact: null, means: 'supplier' }).map(([, standing]) => standing)).toEqual([
      'other',
      'other',
      'rejected',
    ]);
  });

  it('may be judged by a customer signed in at the supplier, while the occupancy lasts', () => {
    expect(mayJudge({ means: 'supplier', isCurrent: true })).toBe(true);
    expect(mayJudge({ means: 'supplier', isCurrent: false })).toBe(false);
    expect(mayJudge({ means: 'passkey', isCurrent: true })).toBe(false);
  });
});

describe('A record with rejected contacts', () => {
  it('gives no access if no other contact is left', () => {
    const ivor = held('ivor', 'r1');
    expect(isRejected({ rejected: [ivor], email: null, hasPasskey: false })).toBe(true);
    expect(isRejected({ rejected: [ivor], email: null, hasPasskey: true })).toBe(false);
    expect(isRejected({ rejected: [ivor], email: 'rowan@customer.example', hasPasskey: false })).toBe(false);
    expect(isRejected({ rejected: [], email: null, hasPasskey: false })).toBe(false);
  });
});
