import { completeSince, lookupsByDay } from '../../../web/portal/presentation/lookups';

const HOUR = '2026-07-01T12:00:00.000Z';

/** Returns the lookups of one organisation in one hour, as the page shows them. */
const shownLookups = (...entries: readonly { kind: 'LISTING' | 'VERIFICATION'; count: number }[]) =>
  lookupsByDay(
    entries.map((entry) => ({ ...entry, organisation: 'Larkhill', hour: HOUR })),
    [],
    'en',
  ).flatMap(({ hours }) => hours.flatMap(({ lookups }) => lookups));

describe('the lookups of an organisation in one hour', () => {
  it('count one read of a list once, however many records it contained', () => {
    const listings = [1, 3, 2].map((count) => ({ kind: 'LISTING', count }) as const);
    expect(shownLookups(...listings)).toEqual([{ kind: 'LISTING', count: 3 }]);
  });

  it('count every verification', () => {
    const verifications = [1, 3].map((count) => ({ kind: 'VERIFICATION', count }) as const);
    expect(shownLookups(...verifications)).toEqual([{ kind: 'VERIFICATION', count: 4 }]);
  });
});

describe('the hour of lookups', () => {
  it.each([
    ['in summer', HOUR, '13:00–14:00'],
    ['before midnight', '2026-01-01T23:00:00.000Z', '23:00–00:00'],
    ['before the clocks go forward', '2026-03-29T00:00:00.000Z', '00:00–01:00'],
    ['after the clocks go forward', '2026-03-29T01:00:00.000Z', '02:00–03:00'],
    ['before the clocks go back', '2026-10-25T00:00:00.000Z', '01:00–02:00'],
    ['after the clocks go back', '2026-10-25T01:00:00.000Z', '01:00–02:00'],
  ])('%s is shown in clock time of Great Britain', (_, hour, shown) => {
    const [day] = lookupsByDay([{ kind: 'VERIFICATION', count: 1, organisation: 'Larkhill', hour }], [], 'en');
    expect(day?.hours.map((entry) => entry.hour)).toEqual([shown]);
  });
});

describe('lists of lookups that end at their bound', () => {
  /** As many lookups as a list may have, newest first; the last one is in the hour `earliest`. */
  const full = (earliest: string) => [...Array.from({ length: 499 }, () => ({ hour: HOUR })), { hour: earliest }];

  it('are shown from the hour on from which all of them are complete', () => {
    const lists = [full('2026-06-30T08:00:00.000Z'), full('2026-06-29T08:00:00.000Z'), [{ hour: HOUR }]];
    expect(completeSince(...lists)).toEqual({ since: '2026-06-30T09:00:00.000Z', isIncomplete: false });
  });

  it('are shown with their only hour, marked as incomplete unless it is before those that are shown', () => {
    expect(completeSince(full(HOUR))).toEqual({ since: HOUR, isIncomplete: true });
    const later = Array.from({ length: 500 }, () => ({ hour: '2026-07-02T12:00:00.000Z' }));
    expect(completeSince(full(HOUR), [...later.slice(1), { hour: '2026-07-02T08:00:00.000Z' }])).toEqual({
      since: '2026-07-02T09:00:00.000Z',
      isIncomplete: false,
    });
  });

  it('are shown completely if none reaches the bound', () => {
    expect(completeSince(full(HOUR).slice(1), [])).toEqual({ since: undefined, isIncomplete: false });
  });
});
