import {
  filterOfQuery,
  filterVariables,
  queryOfFilter,
  unreadableDataUser,
} from '../../../web/console/live/event-filter';
import { rowOf } from '../../../web/console/live/event-rows';
import { duration, utcDayAndTime, utcShortTime, utcTime } from '../../../web/console/format';
import { readLatestEvents } from '../../../web/console/live/latest-events';
import type { PageContext } from '../../../web/console/page';
import { PLOTTED_MINUTES, eventsPerMinute, minutesTable } from '../../../web/console/live/minutes';
import type { LiveEvent } from '../../../web/console/live/operation-results';

const DUID = `duid_${'a1'.repeat(12)}`;

describe('a filter of events', () => {
  it.each([
    ['nothing', {}, { types: [] }],
    ['one type', { types: 'CONSENT_WITHDRAWAL' }, { types: ['CONSENT_WITHDRAWAL'] }],
    [
      'several, each once',
      { types: ['ACCESS_REVOKED', 'ACCESS_EXPIRED', 'ACCESS_REVOKED'] },
      { types: ['ACCESS_REVOKED', 'ACCESS_EXPIRED'] },
    ],
    ['unknown types', { types: ['access.revoked', 'toString', '', 'WEBHOOK_TEST'] }, { types: ['WEBHOOK_TEST'] }],
    ['a Data User, as pasted by a user', { duid: ` ${DUID.toUpperCase()} ` }, { types: [], duid: DUID }],
    ['a malformed Data User', { duid: 'Larkhill' }, { types: [] }],
    ['two Data Users', { duid: [DUID, DUID] }, { types: [] }],
  ])('is read from a query with %s, and written back without loss', (_, query, filter) => {
    expect(filterOfQuery(query)).toEqual(filter);
    expect(filterOfQuery(Object.fromEntries([...parameters(queryOfFilter(filterOfQuery(query)))]))).toEqual(filter);
  });

  it('without types matches all events, and reports a malformed Data User', () => {
    expect(filterVariables(filterOfQuery({}))).toEqual({ types: null, duid: null });
    expect(unreadableDataUser({ duid: ' Larkhill ' })).toBe('larkhill');
    expect(unreadableDataUser({ duid: DUID })).toBeUndefined();
    expect(unreadableDataUser({ duid: ' ' })).toBeUndefined();
  });

  /** Parses a query string as the web server does. */
  function parameters(query: string): Map<string, string | string[]> {
    const all = new URLSearchParams(query);
    return new Map(
      [...all.keys()]
        .map((name) => [name, all.getAll(name)] as const)
        .map(([name, values]) => [name, name === 'duid' ? (values[0] ?? '') : values]),
    );
  }
});

describe('events per minute', () => {
  const now = new Date('2026-03-01T12:30:45.000Z');
  const plotted = (minute: string, type: string, count: number) => ({ minute, type, count });

  it('cover the last hour, including minutes without events', () => {
    const { minutes, series, total } = eventsPerMinute(
      [
        plotted('2026-03-01T12:30:00.000Z', 'ACCESS_REGISTERED', 3),
        plotted('2026-03-01T11:31:00.000Z', 'ACCESS_REGISTERED', 2),
      ],
      now,
    );
    expect(minutes).toHaveLength(PLOTTED_MINUTES);
    expect(new Date((minutes.at(-1) as number) * 1000).toISOString()).toBe('2026-03-01T12:30:00.000Z');
    expect(minutes.every((minute, index) => index === 0 || minute - (minutes[index - 1] as number) === 60)).toBe(true);
    expect(series).toEqual([
      { type: 'access.registered', counts: [2, ...Array.from({ length: 58 }, () => 0), 3], total: 5 },
    ]);
    expect(total).toBe(5);
  });

  it('are in the order of the types; an unknown type comes last', () => {
    const counts = ['NEW_KIND', 'WEBHOOK_TEST', 'ACCESS_REVOKED'].map((type) =>
      plotted('2026-03-01T12:30:00.000Z', type, 1),
    );
    expect(eventsPerMinute(counts, now).series.map(({ type }) => type)).toEqual([
      'access.revoked',
      'webhook.test',
      'NEW_KIND',
    ]);
  });

  it.each([
    ['ahead', '2027-01-01T00:00:00.000Z'],
    ['behind', '2025-01-01T00:00:00.000Z'],
  ])('follow the clock of the register if it was moved %s', (_, minute) => {
    const { minutes, total } = eventsPerMinute([plotted(minute, 'ACCESS_EXPIRED', 7)], now);
    expect(new Date((minutes.at(-1) as number) * 1000).toISOString()).toBe(minute);
    expect(total).toBe(7);
  });

  it('are a table of the minutes with events, newest first', () => {
    const table = minutesTable(
      eventsPerMinute(
        [
          plotted('2026-03-01T12:01:00.000Z', 'ACCESS_REGISTERED', 1),
          plotted('2026-03-01T12:30:00.000Z', 'ACCESS_REVOKED', 2),
        ],
        now,
      ),
    );
    expect(table).toEqual([
      { time: '12:30', counts: [0, 2] },
      { time: '12:01', counts: [1, 0] },
    ]);
  });
});

describe('a row of the list', () => {
  const event: LiveEvent = {
    id: `evt_${'0'.repeat(24)}`,
    cursor: 'x',
    type: 'ACCESS_REGISTERED',
    occurredAt: '2026-03-01T12:30:45.123Z',
    dataUser: { duid: DUID, displayName: 'Larkhill' },
    transition: { to: 'ACTIVE' },
    accessRecord: { discoveredAccess: null },
    affectedRecordCount: null,
    daysRemaining: null,
    effectiveDate: null,
  };

  it('shows type, time, Data User and the new state of the record', () => {
    expect(rowOf(event)).toEqual({
      id: event.id,
      type: 'access.registered',
      occurredAt: event.occurredAt,
      dayAndTime: '2026-03-01 12:30:45 UTC',
      organisation: 'Larkhill',
      duid: DUID,
      isDiscovered: false,
      state: 'ACTIVE',
      detail: '',
    });
    expect(rowOf({ ...event, type: 'CONSENT_EXPIRING', transition: null }).state).toBeUndefined();
  });

  it.each(['ACCESS_DISCOVERED', 'ACCESS_CLAIMED', 'ACCESS_EXPIRED'])(
    'shows the discovered organisation: %s',
    (type) => {
      const accessRecord = { discoveredAccess: { organisationName: 'Gadwall' } };
      expect(rowOf({ ...event, type, dataUser: null, accessRecord })).toMatchObject({
        organisation: 'Gadwall',
        duid: undefined,
        isDiscovered: true,
      });
    },
  );

  it.each([
    ['ends in 1 day', { type: 'CONSENT_EXPIRING', daysRemaining: 1 }],
    ['ends in 30 days', { type: 'CONSENT_EXPIRING', daysRemaining: 30 }],
    ['1 record, from 2026-04-01', { type: 'TENANCY_CHANGE', affectedRecordCount: 1, effectiveDate: '2026-04-01' }],
    ['2 records', { type: 'TENANCY_CHANGE', affectedRecordCount: 2 }],
  ])('has the detail: %s', (detail, change) => {
    expect(rowOf({ ...event, accessRecord: null, ...change }).detail).toBe(detail);
  });
});

describe('times', () => {
  it('are in UTC', () => {
    expect(utcTime('2026-06-01T00:30:05.999+01:00')).toBe('23:30:05');
    expect(utcDayAndTime('2026-06-01T00:30:05.999+01:00')).toBe('2026-05-31 23:30:05 UTC');
    expect(utcShortTime('2026-06-01T00:30:05.999+01:00')).toBe('31 May, 23:30');
  });

  it.each([
    [0, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3599, '59 min'],
    [3600, '1 h'],
    [3661, '1 h 1 min'],
    [86_399, '23 h 59 min'],
    [86_400, '1 d'],
    [100_000, '1 d 3 h'],
  ])('of %d seconds are formatted as %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});

describe('a live page of an empty log', () => {
  it('continues from the start of the log', async () => {
    const executeAsAccount = async (name: string) => (name === 'ReadLiveStart' ? { newest: [] } : { events: [] });
    const page = { executeAsAccount } as unknown as PageContext;
    expect(await readLatestEvents(page, { types: [] })).toMatchObject({ events: [], after: '' });
  });
});
