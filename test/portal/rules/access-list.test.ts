import { Readable } from 'node:stream';
import { accessOf, countsOf, organisationsOf } from '../../../web/portal/presentation/access-list';
import { csvOf } from '../../../web/portal/presentation/download';
import { historyOf } from '../../../web/portal/presentation/history';
import { lookupsByDay } from '../../../web/portal/presentation/lookups';
import { translatorFor } from '../../../web/portal/request/languages';
import type { Controller, LegalBasis } from '../../../web/portal/presentation/operation-results';
import { returnLink, webLink } from '../../../web/portal/presentation/web-link';
import { customerRecord, customerVersion, discoveredRecord } from '../../support/customer-records';

const withControllers = (controllers: readonly Controller[]) =>
  customerRecord({ recordMetadata: { createdAt: '2026-01-01T00:00:00.000Z', controllerArrangement: { controllers } } });

describe('the list of organisations', () => {
  it('has one entry per organisation, with all its accesses', () => {
    const list = organisationsOf(
      [
        customerRecord({ id: '1' }),
        customerRecord({ id: '2', leadControllerName: 'Exampleford Council' }),
        customerRecord({ id: '3', legalBasis: 'UK_CONTRACT' }),
      ],
      'en',
    );
    expect(list.map(({ name, accesses }) => [name, accesses.map(({ id }) => id)])).toEqual([
      ['Larkhill Energy Advice Ltd', ['1', '3']],
      ['Exampleford Council', ['2']],
    ]);
  });

  it('starts with unregistered organisations, even if one of the same name is registered', () => {
    const list = organisationsOf([customerRecord(), discoveredRecord('Larkhill Energy Advice Ltd')], 'en');
    expect(list.map(({ isDiscovered }) => isDiscovered)).toEqual([true, false]);
    expect(list[0]?.accesses[0]).toMatchObject({
      seen: { first: '1 May 2026', last: '11 June 2026' },
      dataTypes: ['ANNUAL_CONSUMPTION'],
      canBeWithdrawn: false,
    });
  });

  it('has counts of organisations, accesses by consent and by other bases, and unregistered accesses', () => {
    const list = organisationsOf(
      [
        customerRecord(),
        customerRecord({ legalBasis: 'UK_EXPLICIT_CONSENT' }),
        customerRecord({ leadControllerName: 'Exampleford Council', legalBasis: 'UK_PUBLIC_TASK' }),
        discoveredRecord('Nobody Knows Ltd'),
      ],
      'en',
    );
    expect(countsOf(list)).toEqual({ organisations: 2, byConsent: 2, byOther: 1, discovered: 1 });
  });
});

describe('an access', () => {
  it.each<[LegalBasis, string, boolean, 'object' | 'ask']>([
    ['UK_CONSENT', 'can be withdrawn', true, 'ask'],
    ['UK_EXPLICIT_CONSENT', 'can be withdrawn', true, 'ask'],
    ['UK_PUBLIC_TASK', 'cannot be withdrawn, but the customer may object', false, 'object'],
    ['UK_LEGITIMATE_INTERESTS', 'cannot be withdrawn, but the customer may object', false, 'object'],
    ['UK_LEGAL_OBLIGATION', 'cannot be withdrawn, but the customer may ask about it', false, 'ask'],
    ['UK_CONTRACT', 'cannot be withdrawn, but the customer may ask about it', false, 'ask'],
  ])('with the legal basis %s %s', (legalBasis, _, canBeWithdrawn, objection) => {
    expect(accessOf(customerRecord({ legalBasis }), 'en')).toMatchObject({ canBeWithdrawn, objection });
  });

  it.each(['REVOKED', 'EXPIRED', 'DISCOVERED'] as const)('that is %s cannot be withdrawn', (state) => {
    expect(accessOf(customerRecord({ state }), 'en').canBeWithdrawn).toBe(false);
  });

  it('shows the contact and the privacy rights of every controller', () => {
    const controllers = [
      { name: 'A', role: 'LEAD', contactUrl: 'https://a.example/c', privacyRightsUrl: 'https://a.example/r' },
      { name: 'B', role: 'JOINT', contactUrl: 'https://b.example/c', privacyRightsUrl: null },
    ] as const;
    expect(accessOf(withControllers(controllers), 'en').controllers).toEqual([
      { name: 'A', role: 'LEAD', contact: 'https://a.example/c', rights: 'https://a.example/r' },
      { name: 'B', role: 'JOINT', contact: 'https://b.example/c', rights: undefined },
    ]);
  });

  it('shows one notice for all controllers, or that of each', () => {
    expect(accessOf(customerRecord(), 'en').terms).toEqual([
      { link: 'https://larkhill.example/terms', version: '3', controller: undefined },
    ]);
    const notices = ['A', 'B'].map((controllerName) => ({
      controllerName,
      termsUrl: `https://${controllerName.toLowerCase()}.example/terms`,
      noticeVersion: '1',
    }));
    expect(accessOf(customerRecord({ notice: { sharedNotice: null, notices } }), 'en').terms).toEqual([
      { link: 'https://a.example/terms', version: '1', controller: 'A' },
      { link: 'https://b.example/terms', version: '1', controller: 'B' },
    ]);
  });

  it('of Interface B shows terms without a version, and its purpose in the language of the page, also a former one', async () => {
    const purpose = 'Consent registered through the earlier interface';
    const termsUrl = 'https://larkhill.example/terms';
    const nodes = [customerVersion(), customerVersion({ purpose })];
    const versions = { nodes, nextCursor: null };
    const notice = { sharedNotice: { termsUrl, noticeVersion: 'unversioned' }, notices: null };
    const record = customerRecord({ purpose, notice, versions });
    expect(accessOf(record, 'en')).toMatchObject({ purpose, terms: [{ link: termsUrl, version: undefined }] });
    const translated = 'Cydsyniad a gofrestrwyd drwy’r rhyngwyneb cynharach';
    expect(accessOf(record, 'cy')).toMatchObject({ purpose: translated, changes: [{ purpose: translated }] });
    const table = (await Readable.from(csvOf(Readable.from([record]), 'cy', translatorFor('cy'))).toArray()).join('');
    expect(table).toContain(`,"${translated}",`);
    expect(table).not.toContain('unversioned');
  });

  it('shows days in Great Britain, in the language of the page', () => {
    const record = customerRecord({ registeredAt: '2026-06-30T23:30:00.000Z', expiry: '2026-12-31T23:30:00.000Z' });
    expect(accessOf(record, 'en')).toMatchObject({ registered: '1 July 2026', expiry: '31 December 2026' });
    expect(accessOf(record, 'cy')).toMatchObject({ registered: '1 Gorffennaf 2026', expiry: '31 Rhagfyr 2026' });
  });

  it.each([
    ['midnight in summer', '2026-06-30T23:00:00.000Z', '30 June 2026', '30 Mehefin 2026'],
    ['midnight in winter', '2027-01-01T00:00:00.000Z', '31 December 2026', '31 Rhagfyr 2026'],
    ['just after midnight', '2026-06-30T23:00:00.001Z', '1 July 2026', '1 Gorffennaf 2026'],
  ])(
    'that expires at %s lasts until the day before that instant, also a former expiry',
    (_, expiry, english, welsh) => {
      const versions = { nodes: [customerVersion(), customerVersion({ expiry })], nextCursor: null };
      for (const [language, day] of [['en', english] as const, ['cy', welsh] as const])
        expect(accessOf(customerRecord({ expiry, versions }), language)).toMatchObject({
          expiry: day,
          changes: [{ expiry: day }],
        });
      const ended = customerRecord({ state: 'EXPIRED', expiry: '2026-06-30T23:00:00.000Z' });
      expect(historyOf([ended], 'en')).toMatchObject([{ ended: '30 June 2026' }]);
    },
  );

  it('names the Data User if it is not the organisation itself', () => {
    expect(accessOf(customerRecord(), 'en').registeredBy).toBeUndefined();
    const [duid, contactUrl] = ['duid_000000000000000000000002', 'https://gateway.example'];
    const dataUser = { duid, displayName: 'Meter Gateway Ltd', contactUrl };
    expect(accessOf(customerRecord({ dataUser }), 'en').registeredBy).toEqual({
      name: 'Meter Gateway Ltd',
      contact: 'https://gateway.example',
    });
  });
});

describe('the changes of an access', () => {
  const changed = (change: Parameters<typeof customerVersion>[0], ...others: ReturnType<typeof customerVersion>[]) => {
    const after = customerVersion({ recordedAt: '2026-04-30T23:30:00.000Z', ...change });
    return customerRecord({
      versions: { nodes: [after, customerVersion(), ...others], nextCursor: null },
    });
  };
  const changesIn = (record: ReturnType<typeof customerRecord>) => accessOf(record, 'en').changes;

  it('are none before it was replaced', () => {
    expect(changesIn(customerRecord())).toEqual([]);
  });

  it.each([
    ['purpose', { purpose: 'Sell data' }, { purpose: 'Find a better tariff' }],
    ['data types', { dataTypes: ['HH_CONSUMPTION', 'HH_EXPORT'] as const }, { dataTypes: ['HH_CONSUMPTION'] }],
    ['expiry', { expiry: '2026-12-31T00:00:00.000Z' }, { expiry: null }],
    ['legal basis', { legalBasis: 'UK_EXPLICIT_CONSENT' as const }, { legalBasis: 'UK_CONSENT' }],
    ['controller', { leadControllerName: 'Fernhill Ltd' }, { leadController: 'Larkhill Insight Ltd' }],
  ])('show the day in Great Britain and the former %s', (_, change, former) => {
    expect(changesIn(changed(change as Parameters<typeof customerVersion>[0]))).toEqual([
      { on: '1 May 2026', ...former, hasFormerValues: true, sections: [] },
    ]);
  });

  it('show which sections changed', () => {
    expect(changesIn(changed({ replacedSections: ['CONTROLLERS', 'NOTICE', 'RECIPIENTS'] }))).toEqual([
      { on: '1 May 2026', hasFormerValues: false, sections: ['CONTROLLERS', 'NOTICE', 'RECIPIENTS'] },
    ]);
  });

  it('are in the order newest first', () => {
    const first = customerVersion({ recordedAt: '2026-02-01T00:00:00.000Z', purpose: 'First' });
    expect(changesIn(changed({ purpose: 'Third' }, first)).map(({ on, purpose }) => [on, purpose])).toEqual([
      ['1 May 2026', 'Find a better tariff'],
      ['28 March 2026', 'First'],
    ]);
  });

  it('do not include the reports on a discovered access', () => {
    const versions = { nodes: [customerVersion(), customerVersion()], nextCursor: null };
    expect(changesIn(discoveredRecord('Gadwall Analytics', { versions }))).toEqual([]);
  });
});

describe('the history', () => {
  it.each([
    ['withdrawn', 'REVOKED', 'WITHDRAWN', '2026-07-01T09:00:00.000Z', '1 July 2026'],
    ['organisation', 'REVOKED', 'REVOKED', '2026-07-02T09:00:00.000Z', '2 July 2026'],
    ['expiry', 'EXPIRED', 'EXPIRED', null, '3 July 2026'],
    ['organisation', 'EXPIRED', 'REPLACED', null, '4 July 2026'],
    ['terminated', 'REVOKED', 'DATA_USER_TERMINATED', '2026-07-02T23:30:00.000Z', '3 July 2026'],
  ] as const)('names the end "%s" for a record that is %s because of %s', (endedBy, state, cause, revokedAt, ended) => {
    const record = customerRecord({
      state,
      expiry: '2026-07-03T09:00:00.000Z',
      accessEvent: { revokedAt },
      transitions: {
        nodes: [
          { at: '2026-01-01T00:00:00.000Z', cause: 'REGISTERED' },
          { at: '2026-07-04T09:00:00.000Z', cause },
        ],
      },
    });
    expect(historyOf([record], 'en')).toMatchObject([{ endedBy, ended, name: 'Larkhill Energy Advice Ltd' }]);
  });
});

describe('the history of a discovered access', () => {
  const discoveredHistory = (change: Parameters<typeof discoveredRecord>[1]) =>
    historyOf([discoveredRecord('Nobody Knows Ltd', change)], 'en');

  it('shows when the organisation registered', () => {
    const nodes = [
      { at: '2026-05-02T08:00:00.000Z', cause: 'DISCOVERED' },
      { at: '2026-06-30T23:30:00.000Z', cause: 'CLAIMED' },
    ] as const;
    const claimed = { endedBy: 'claimed', ended: '1 July 2026', name: 'Nobody Knows Ltd' };
    expect(discoveredHistory({ transitions: { nodes } })).toMatchObject([claimed]);
    expect(
      discoveredHistory({ transitions: { nodes }, state: 'EXPIRED', expiry: '2026-08-01T00:00:00.000Z' }),
    ).toMatchObject([claimed]);
  });

  it('shows that it was not seen again', () => {
    expect(discoveredHistory({ state: 'EXPIRED', expiry: '2026-08-01T00:00:00.000Z' })).toMatchObject([
      { endedBy: 'notSeenAgain', ended: '1 August 2026' },
    ]);
  });
});

describe('the list of lookups', () => {
  it('is grouped by day, hour and organisation, newest first, for both kinds of lookups', () => {
    const at = (hour: string) => `2026-06-30T${hour}:00:00.000Z`;
    const days = lookupsByDay(
      [
        { organisation: 'Data Co', kind: 'VERIFICATION', hour: at('22'), count: 2 },
        { organisation: null, kind: 'VERIFICATION', hour: at('22'), count: 1 },
        { organisation: 'Data Co', kind: 'VERIFICATION', hour: at('22'), count: 3 },
        { organisation: 'Data Co', kind: 'LISTING', hour: at('23'), count: 1 },
      ],
      [{ dataUser: { displayName: 'Data Co' }, kind: 'EXISTENCE_CHECK', hour: at('22'), count: 4 }],
      'en',
    );
    expect(days).toEqual([
      {
        day: '1 July 2026',
        hours: [{ hour: '00:00–01:00', organisation: 'Data Co', lookups: [{ kind: 'LISTING', count: 1 }] }],
      },
      {
        day: '30 June 2026',
        hours: [
          { hour: '23:00–00:00', organisation: undefined, lookups: [{ kind: 'VERIFICATION', count: 1 }] },
          {
            hour: '23:00–00:00',
            organisation: 'Data Co',
            lookups: [
              { kind: 'VERIFICATION', count: 5 },
              { kind: 'EXISTENCE_CHECK', count: 4 },
            ],
          },
        ],
      },
    ]);
  });
});

describe('a link of a page', () => {
  it.each(['javascript:alert(1)', 'data:text/html,x', 'not an address', '', null])('is never %j', (address) => {
    expect(webLink(address)).toBeUndefined();
  });

  it('back to a Data User keeps its query, and reports a withdrawal only after one', () => {
    expect(returnLink('https://larkhill.example/back?x=1')).toBe('https://larkhill.example/back?x=1');
    expect(returnLink('https://larkhill.example/back?x=1', 'withdrawn')).toBe(
      'https://larkhill.example/back?x=1&dar-action=withdrawn',
    );
    expect(returnLink('https://larkhill.example/back?next=a%20b&flag#top', 'withdrawn')).toBe(
      'https://larkhill.example/back?next=a%20b&flag&dar-action=withdrawn#top',
    );
    expect(returnLink(null, 'withdrawn')).toBeUndefined();
  });
});
