import fc from 'fast-check';
import { eventFeed } from '../../../gateway/subscriptions/event-feed';
import { ALL_EVENTS, type EventLog, type LogEntry, revalidatingLog } from '../../../gateway/subscriptions/event-log';
import { eventStream } from '../../../gateway/subscriptions/event-stream';
import { RegisterError } from '../../../schema/register-error';
import { writtenText } from '../../../subgraphs/server/graph/json-text';
import { sharedResults } from '../../../gateway/subscriptions/shared-results';
import { openReader } from '../../../gateway/subscriptions/event-reader';
import { recentEvents } from '../../../gateway/subscriptions/recent-events';
import { until } from '../../support/until';

/** A growing log as the gateway reads it: each response takes one or several event-loop ticks. */
function growingLog(delays: readonly number[] = [0]) {
  const entries: LogEntry[] = [];
  let reads = 0;
  const log: EventLog = {
    async read(after, first, { owner }) {
      const delay = delays[reads % delays.length] ?? 0;
      reads += 1;
      for (let tick = 0; tick < delay; tick += 1) await new Promise((resolve) => void setImmediate(resolve));
      if (after === null) return { cursor: `before ${entries.length}`, entries: [] };
      const from = after.startsWith('before ') ? Number(after.slice(7)) : after === '' ? 0 : Number(after) + 1;
      const isRead = (entry: LogEntry) => owner === null || entry.owner === owner;
      const found = entries.slice(from).filter(isRead).slice(0, first);
      return { cursor: found.at(-1)?.cursor ?? after, entries: found };
    },
  };
  const add = (count: number, owner?: string) => {
    for (let each = 0; each < count; each += 1) {
      const number = entries.length;
      entries.push({
        id: `evt_${number}`,
        cursor: String(number),
        type: 'ACCESS_REGISTERED',
        owner: owner ?? (number % 2 ? 'odd' : null),
      });
    }
  };
  /** Returns the ids of the events of an owner after an event; of all owners for null. */
  const idsAfter = (number: number, owner: string | null) =>
    entries.slice(number + 1).flatMap((entry) => (owner === null || entry.owner === owner ? [entry.id] : []));
  return { log, add, reads: () => reads, length: () => entries.length, idsAfter };
}

const feedOver = (log: EventLog) => eventFeed({ log, onFailure: (error) => fail(error) });

const fail = (error: unknown): never => {
  throw error;
};

describe('A subscription whose cursor the log rejects after a restore', () => {
  it('ends with that error, whether up to date or behind; a later subscription starts at a valid cursor', async () => {
    const { log, add } = growingLog();
    let isLost = false;
    const away: unknown[] = [];
    const recovered: EventLog = {
      ...log,
      read: (after, first, filter) =>
        isLost && after !== null && !after.startsWith('before')
          ? Promise.reject(new RegisterError('VAL001'))
          : log.read(after, first, filter),
    };
    const feed = eventFeed({ log: recovered, onFailure: (error) => away.push(error) });
    add(2);
    const reader = await openReader({ feed, log: recovered, filter: ALL_EVENTS, after: null });
    const received: unknown[] = [];
    const stream = eventStream({
      reader,
      resultOf: ({ id }) => Promise.resolve({ kind: 'result', result: writtenText(JSON.stringify({ data: { id } })) }),
      onFailure: (error) => away.push(error),
      onEnd: () => received.push('end'),
    });
    add(1);
    const next = async () => (await stream.next()).value?.toJSON();
    expect(await next()).toEqual({ data: { id: 'evt_2' } });
    isLost = true;
    expect(await next()).toMatchObject({ errors: [{ extensions: { code: 'VAL001' } }] });
    expect([await stream.next(), received, away]).toEqual([{ done: true, value: undefined }, ['end'], []]);
    const later = await openReader({ feed, log: recovered, filter: ALL_EVENTS, after: null });
    add(1);
    expect((await later.next())?.id).toBe('evt_3');
    later.close();
    feed.close();
  });
});

describe('A subscription whose event fails again and again', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  /** A stream of two events. Its executions fail until `isAvailable`. */
  async function failingStream() {
    const { log, add } = growingLog();
    const feed = feedOver(log);
    const reader = await openReader({ feed, log, filter: ALL_EVENTS, after: null });
    const service = { isAvailable: false };
    const attempts: [string, boolean][] = [];
    const stream = eventStream({
      reader,
      resultOf: async ({ id }, { isRetry }) => {
        attempts.push([id, isRetry]);
        return service.isAvailable ? { kind: 'result', result: writtenText(`"${id}"`) } : { kind: 'unavailable' };
      },
      onFailure: fail,
      onEnd: () => undefined,
    });
    add(2);
    const received: unknown[] = [];
    const next = () => void stream.next().then(({ value }) => received.push(value?.toJSON()));
    return { feed, service, attempts, received, next };
  }

  const MINUTES = 60_000;

  it('ends with SYS002 after five minutes, so that its client can select less', async () => {
    const { feed, attempts, received, next } = await failingStream();
    next();
    await jest.advanceTimersByTimeAsync(4.9 * MINUTES);
    expect(received).toEqual([]);
    await jest.advanceTimersByTimeAsync(0.2 * MINUTES);
    expect(received).toMatchObject([{ data: null, errors: [{ extensions: { code: 'SYS002' } }] }]);
    expect(new Set(attempts.map(String))).toEqual(new Set(['evt_0,false', 'evt_0,true']));
    next();
    await jest.advanceTimersByTimeAsync(0);
    expect(received[1]).toBeUndefined();
    feed.close();
  });

  it('receives all events after an outage that is shorter, and the next outage is as long', async () => {
    const { feed, service, received, next } = await failingStream();
    for (const id of ['evt_0', 'evt_1']) {
      service.isAvailable = false;
      next();
      await jest.advanceTimersByTimeAsync(4.9 * MINUTES);
      service.isAvailable = true;
      await jest.advanceTimersByTimeAsync(1_000);
      expect(received.at(-1)).toBe(id);
    }
    feed.close();
  });
});

describe('Events that are executed again while a dependency does not respond', () => {
  const pending = () => new Promise<never>(() => undefined);

  it('take one place of each owner, and leave places to the first executions of this owner and of others', async () => {
    const shared = sharedResults();
    const started: string[] = [];
    const begin = (owner: string, event: string, isRetry: boolean) =>
      void shared.of(`${owner} ${event}`, { owner, since: 0, isRetry, isWanted: () => true }, () => {
        started.push(`${owner} ${event}`);
        return pending();
      });
    for (let each = 1; each <= 8; each += 1) begin('one', `retry ${each}`, true);
    for (let owner = 2; owner <= 20; owner += 1) begin(`owner ${owner}`, 'retry', true);
    begin('one', 'new', false);
    begin('another', 'new', false);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(started.filter((each) => each.startsWith('one retry'))).toEqual(['one retry 1']);
    expect(started).toEqual(expect.arrayContaining(['one new', 'another new']));
  });
});

describe('A subscription that begins after a cursor', () => {
  it('receives everything after it, in order and once, even if events arrive while it catches up', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_300 }),
        fc.nat({ max: 1_300 }),
        fc.array(fc.nat({ max: 600 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        fc.constantFrom(null, 'odd'),
        async (before, position, batches, delays, isFollowed, owner) => {
          const filter = { owner, types: null };
          const { log, add, idsAfter } = growingLog(delays);
          add(before);
          const feed = feedOver(log);
          const follower = isFollowed ? await openReader({ feed, log, filter: ALL_EVENTS, after: null }) : undefined;
          const after = Math.min(position, before - 1);
          if (isFollowed) add(batches[0] as number); // the feed has not polled it when the reader starts
          const opening = openReader({ feed, log, filter, after: String(after) });
          for (const batch of batches) {
            await new Promise((resolve) => void setImmediate(resolve));
            add(batch);
          }
          const reader = await opening;
          const received: string[] = [];
          const reading = (async () => {
            for (let entry = await reader.next(); entry; entry = await reader.next()) received.push(entry.id);
          })();
          const expected = () => idsAfter(after, owner);
          await until(() => (received.length >= expected().length ? true : undefined));
          add(3);
          await until(() => (received.length >= expected().length ? true : undefined));
          reader.close();
          follower?.close();
          feed.close();
          await reading;
          expect(received).toEqual(expected());
        },
      ),
      { numRuns: process.env['TEST_LONG'] === undefined ? 25 : 300 },
    );
  }, 300_000);

  it('reads no events of other owners in order to catch up', async () => {
    const { log, add, reads } = growingLog();
    add(1, 'own');
    add(10_000, 'other');
    add(1, 'own');
    const feed = feedOver(log);
    const reader = await openReader({ feed, log, filter: { owner: 'own', types: null }, after: '' });
    expect((await reader.next())?.id).toBe('evt_0');
    expect((await reader.next())?.id).toBe('evt_10001');
    expect(reads()).toBeLessThan(5);
    reader.close();
    feed.close();
  });

  it('does not receive the event of its cursor again when this gateway has not read it yet', async () => {
    const { log, add } = growingLog();
    add(1);
    const feed = feedOver(log);
    const follower = await openReader({ feed, log, filter: ALL_EVENTS, after: null });
    add(1);
    const reader = await openReader({ feed, log, filter: ALL_EVENTS, after: '1' });
    const next = reader.next();
    await until(() => (follower.upcoming(1).length > 0 ? true : undefined));
    add(1);
    expect((await next)?.id).toBe('evt_2');
    reader.close();
    follower.close();
    feed.close();
  });
});

describe('A subscription from now on', () => {
  it('receives only events that match its filter', async () => {
    const { log, add } = growingLog();
    const feed = feedOver(log);
    const reader = await openReader({ feed, log, filter: { owner: 'odd', types: null }, after: null });
    add(4);
    expect([(await reader.next())?.id, (await reader.next())?.id]).toEqual(['evt_1', 'evt_3']);
    reader.close();
    feed.close();
  });

  it('that falls far behind reads the log itself, and misses no event', async () => {
    const { log, add, length } = growingLog();
    add(1);
    const feed = feedOver(log);
    const slow = await openReader({ feed, log, filter: ALL_EVENTS, after: null });
    const quick = await openReader({ feed, log, filter: ALL_EVENTS, after: null });
    add(12_000);
    let last = await quick.next();
    while (last?.id !== `evt_${length() - 1}`) last = await quick.next();
    const received: (string | undefined)[] = [];
    while (received.length < 12_000) received.push((await slow.next())?.id);
    expect(received).toEqual(Array.from({ length: 12_000 }, (_, index) => `evt_${index + 1}`));
    slow.close();
    quick.close();
    feed.close();
  });

  it('ends immediately when it is closed while it waits', async () => {
    const { log } = growingLog();
    const feed = feedOver(log);
    const reader = await openReader({ feed, log, filter: ALL_EVENTS, after: null });
    const next = reader.next();
    reader.close();
    expect(await next).toBeUndefined();
    feed.close();
  });
});

describe('The feed of a gateway', () => {
  it('reads the log once for all listeners, and never without listeners', async () => {
    const { log, reads } = growingLog();
    const feed = feedOver(log);
    const readers = await Promise.all(
      Array.from({ length: 50 }, () => openReader({ feed, log, filter: ALL_EVENTS, after: null })),
    );
    const started = performance.now();
    const readBefore = reads();
    await until(() => (reads() > readBefore + 3 ? true : undefined));
    expect(reads() - readBefore).toBeLessThan((performance.now() - started) / 100 + 3);
    for (const reader of readers) reader.close();
    let last = reads();
    const isQuiet = async () => {
      const now = reads();
      const quiet = now === last;
      last = now;
      return quiet;
    };
    await until(async () => {
      await isQuiet();
      await new Promise((resolve) => void setTimeout(resolve, 250));
      return (await isQuiet()) ? true : undefined;
    });
  });

  it('sends no events before all callers are revalidated, and sends them after that', async () => {
    const { log: unchecked, add } = growingLog();
    let isDatabaseUnavailable = true;
    let checks = 0;
    const checkCallers = async () => {
      checks += 1;
      if (isDatabaseUnavailable) throw new Error('access is away');
    };
    const failures: unknown[] = [];
    const log = revalidatingLog(unchecked, checkCallers);
    const feed = eventFeed({ log, onFailure: (error) => void failures.push(error) });
    const reader = await openReader({ feed, log, filter: ALL_EVENTS, after: null });
    add(1);
    await until(() => (checks >= 2 ? true : undefined));
    expect([reader.upcoming(1), failures.length]).toEqual([[], 1]);
    isDatabaseUnavailable = false;
    expect((await reader.next())?.id).toBe('evt_0');
    reader.close();
    feed.close();
  });
});

describe('Recent events', () => {
  const entry = (number: number): LogEntry => ({
    id: `evt_${number}`,
    cursor: `c${number}`,
    type: 'ACCESS_REVOKED',
    owner: null,
  });

  it('keep their numbers when older ones are dropped', () => {
    const recent = recentEvents(2);
    recent.append([0, 1, 2, 3].map(entry));
    expect([recent.first(), recent.end()]).toEqual([0, 4]);
    recent.append([entry(4)]);
    expect([recent.first(), recent.end(), recent.at(2), recent.at(3)?.id]).toEqual([3, 5, undefined, 'evt_3']);
    expect([recent.numberOf('c2'), recent.numberOf('c4')]).toEqual([undefined, 4]);
  });
});
