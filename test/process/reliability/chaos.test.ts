import { randomInt } from 'node:crypto';
import { type ChaosFixture, openChaosFixture } from '../../support/chaos/chaos-fixture';
import { type WatchedDeliveries, watchDeliveries } from '../../support/chaos/deliveries';
import {
  changesOn,
  halfDone,
  jobsDone,
  recordsExpected,
  recordsOf,
  standings,
  standingsExpected,
} from '../../support/chaos/invariants';
import { type ReceivedDelivery, type Receiver, startReceiver } from '../../support/chaos/receiver';
import { type FollowedStream, followStream } from '../../support/chaos/stream';
import { DAY_OF_CHANGES, type Writing, startWriting } from '../../support/chaos/writers';
import { graphOf } from '../../support/graph';
import { until } from '../../support/until';

/**
 * The long form is `npm run test:chaos`; `TEST_CHAOS_KILLS` and `TEST_CHAOS_POSTGRES_KILLS` set the number of kills.
 */
const IS_LONG = process.env['TEST_CHAOS'] !== undefined;
const KILLS = Number(process.env['TEST_CHAOS_KILLS'] ?? (IS_LONG ? 200 : 2));
const POSTGRES_KILLS = Number(process.env['TEST_CHAOS_POSTGRES_KILLS'] ?? (IS_LONG ? 50 : 1));
/** Minimum and maximum operations between two kills, and those permitted during a restart. */
const [MIN_BETWEEN, MAX_BETWEEN, DURING_RESTART] = [30, 80, 60];
const HOUR_MS = 3_600_000;
/** Kills between two progress lines of the long form. */
const PROGRESS_EVERY = 10;

/**
 * Percentage of requests that the receiver rejects; each delivery at most four times, so that its six attempts suffice.
 */
const REJECTED_PERCENT = 30;
const MAX_REJECTIONS = 4;
const MAX_RESPONSE_MS = 150;
/** Delay of the receiver's responses before the kill of a worker, so that the worker is delivering at the kill. */
const DELAY_MS = 3_000;
/** Time from the kill of a worker to the next attempt of the interrupted deliveries (99th percentile). */
const MAX_RESUMPTION_SECONDS = 5;

describe('A register in which all processes are killed repeatedly', () => {
  let fixture: ChaosFixture;
  let receiver: Receiver;
  let deliveries: WatchedDeliveries;
  let stream: FollowedStream;
  let writing: Writing;
  const killed = { services: 0, postgres: 0 };
  const lost: unknown[] = [];
  const duplicated: unknown[] = [];
  const resumptions: number[] = [];
  const startedAt = performance.now();
  let isDelaying = false;

  beforeAll(async () => {
    fixture = await openChaosFixture();
    const rejections = new Map<string, number>();
    receiver = await startReceiver((delivery) => {
      const rejected = rejections.get(delivery) ?? 0;
      const isRejected = rejected < MAX_REJECTIONS && randomInt(100) < REJECTED_PERCENT;
      if (isRejected) rejections.set(delivery, rejected + 1);
      return { status: isRejected ? 503 : 204, after: isDelaying ? DELAY_MS : randomInt(MAX_RESPONSE_MS) };
    });
    const { dataUser, duid } = fixture.by;
    deliveries = await watchDeliveries([dataUser, duid], receiver, ['/first', '/second', '/third'], fixture.rows);
    const asAdmin = graphOf(fixture.register, await fixture.admin());
    const { data } = await asAdmin('{ latestRegisterEvents(first: 1) { cursor } }');
    stream = followStream(fixture.register.gateway, fixture.admin, data.latestRegisterEvents[0].cursor);
    writing = startWriting(fixture.by);
    await killAtRandom();
    await writing.stop();
    await Promise.all(fixture.services.map((service) => service.running()));
    report('writers have ended; remaining jobs and deliveries run');
    await jobsDone(fixture.rows);
    await dashboardCaughtUp();
    await deliverAll();
  }, 12 * HOUR_MS);
  afterAll(async () => {
    if (fixture !== undefined && stream !== undefined) await summary();
    await stream?.close();
    await fixture?.close();
    await receiver?.close();
  });

  /** Spreads the kills over the workload: each after a random number of acknowledged operations. */
  async function killAtRandom(): Promise<void> {
    const victims = [
      ...Array.from({ length: KILLS }, (_, index) => () => killService(index)),
      ...Array.from({ length: POSTGRES_KILLS }, () => killPostgres),
    ].toSorted(() => Math.random() - 0.5);
    for (const [index, kill] of victims.entries()) {
      const enough = writing.operations() + randomInt(MIN_BETWEEN, MAX_BETWEEN);
      writing.allow(enough + DURING_RESTART);
      await until(() => {
        for (const service of fixture.services) service.rejectCrash();
        return writing.operations() >= enough || undefined;
      }, 300_000);
      await kill();
      if ((index + 1) % PROGRESS_EVERY === 0) {
        const counts = `${writing.operations()} operations acknowledged, ${receiver.received.length} requests received`;
        report(`${index + 1} of ${victims.length} kills, ${counts}, ${resumptions.length} deliveries resumed`);
      }
    }
  }

  /** Prints a progress line in the long form. */
  function report(line: string): void {
    if (!IS_LONG) return;
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    process.stderr.write(`chaos, minute ${minutes}: ${line}\n`);
  }

  async function summary(): Promise<void> {
    const [counts] = await fixture.rows<{ events: number; deliveries: number }>(
      `select (select count(*)::int from access.event) as events, (select count(*)::int from access.delivery) as deliveries`,
    );
    const restarts = fixture.services.reduce((sum, service) => sum + service.restarts(), 0);
    report(
      [
        `kills: ${killed.services} of services, ${killed.postgres} of PostgreSQL`,
        `restarts: ${restarts} of services, ${killed.postgres} of PostgreSQL`,
        `operations acknowledged: ${writing.operations()}`,
        `events: ${counts?.events}`,
        `deliveries: ${counts?.deliveries}, in ${receiver.received.length} requests`,
        `subscription: ${stream.events.length} events, resumed ${stream.resumed()} times`,
        `lost: ${lost.length}`,
        `duplicated: ${duplicated.length}`,
      ].join('; '),
    );
  }

  /** The first two kills are of the two workers, so that the short form also checks interrupted deliveries. */
  async function killService(index: number): Promise<void> {
    const workers = fixture.services.filter(({ name }) => name.startsWith('access'));
    const service = (workers[index] ??
      fixture.services[randomInt(fixture.services.length)]) as ChaosFixture['services'][number];
    isDelaying = workers.includes(service);
    writing.allow(writing.operations() + DURING_RESTART);
    if (isDelaying) await until(() => underWay().length >= 4 || undefined).catch(() => undefined);
    let open: ReceivedDelivery[] = [];
    let at = 0;
    await deliveries.noteInFlight(async () => {
      open = underWay();
      at = performance.now();
      await service.kill();
      killed.services += 1;
      isDelaying = false;
      await until(() => open.every(({ status, torn }) => status !== undefined || torn) || undefined);
    });
    const torn = open.filter((each) => each.torn);
    await Promise.all([service.running(), ...torn.map((each) => resumption(each, at))]);
  }

  /** Returns deliveries without a response. If there are several, the killed worker was making one of them. */
  function underWay(): ReceivedDelivery[] {
    return receiver.received.filter(({ status, torn }) => status === undefined && !torn);
  }

  async function killPostgres(): Promise<void> {
    await deliveries.noteInFlight(async () => {
      await fixture.postgres.kill();
      killed.postgres += 1;
      await fixture.postgres.start();
    });
  }

  /** Records the time until an interrupted delivery is repeated. One that was superseded in flight is not repeated. */
  async function resumption({ delivery, eventId }: ReceivedDelivery, killedAt: number): Promise<void> {
    const next = await until(async () => {
      const made = receiver.received.find((each) => each.delivery === delivery && each.at > killedAt);
      return made ?? ((await isSuperseded(eventId)) ? null : undefined);
    }, 60_000).catch(() => undefined);
    if (next !== null) resumptions.push(next === undefined ? Infinity : (next.at - killedAt) / 1000);
  }

  async function isSuperseded(eventId: string): Promise<boolean> {
    const text = `select from access.delivery where event_id = $1 and state = 'superseded'`;
    return (await fixture.rows(text, [eventId]).catch(() => [])).length > 0;
  }

  /** Waits until the dashboard has received all events. Must precede the moves of the clock, which expire its token. */
  async function dashboardCaughtUp(): Promise<void> {
    const [last] = await fixture.rows<{ id: string }>(
      'select id from access.event order by era desc, tx desc, position desc limit 1',
    );
    await until(() => stream.events.at(-1) === last?.id || undefined, 10 * 60_000);
  }

  /** Moves the clock past each delay of the retry schedule until no delivery is pending. */
  async function deliverAll(): Promise<void> {
    let offset = 0;
    for (const seconds of [0, 61, 301, 1_801, 7_201, 86_401]) {
      offset += seconds;
      await fixture.rows('select register.set_clock_offset($1)', [offset]);
      await deliveries.done(30 * 60_000);
    }
  }

  it('has lost and duplicated no acknowledged change', async () => {
    const { acknowledged } = writing;
    const found = await recordsOf(fixture.rows, 'Registered');
    const expected = recordsExpected(acknowledged);
    lost.push(...missingOf(expected, found));
    duplicated.push(...missingOf(found, expected));
    expect(found).toEqual(expected);
    expect(await changesOn(fixture.rows, DAY_OF_CHANGES)).toEqual(
      acknowledged.changes.map(() => ({ announced: true, events: 1 })),
    );
    const irs = acknowledged.anonymised.map(({ ir }) => ir);
    expect(await standings(fixture.rows, irs)).toEqual(standingsExpected(acknowledged.anonymised));
    for (const made of Object.values(acknowledged)) expect([...made].length).toBeGreaterThan(0);
  });

  it('has no incomplete operation, and one event for each change', async () => {
    const counts = await halfDone(fixture.rows);
    duplicated.push(...Array.from({ length: counts['eventsTwice'] ?? 0 }));
    expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((name) => [name, 0])));
  });

  it('has delivered every event to every webhook, or superseded it by a later event of the same record', async () => {
    const missing = await deliveries.missing();
    lost.push(...missing);
    expect(missing).toEqual([]);
  });

  it('has repeated only deliveries that were in flight at a kill', () => {
    const twice = deliveries.doubled();
    duplicated.push(...twice);
    expect(twice).toEqual([]);
  });

  it('has sent the same bytes at each attempt', () => {
    expect(deliveries.changed()).toEqual([]);
  });

  it('has repeated the interrupted deliveries of a killed worker within seconds', () => {
    expect(resumptions.length).toBeGreaterThan(0);
    const worst = resumptions.toSorted((one, other) => one - other).at(Math.ceil(resumptions.length * 0.99) - 1) ?? 0;
    expect(worst).toBeLessThanOrEqual(MAX_RESUMPTION_SECONDS);
  });

  it('has sent every event once and in order to a dashboard that resumes after its last cursor', async () => {
    const logged = await fixture.rows<{ id: string }>('select id from access.event order by era, tx, position');
    const first = logged.findIndex(({ id }) => id === stream.events[0]);
    const expected = logged.slice(first).map(({ id }) => id);
    expect(first).toBeGreaterThan(0);
    lost.push(...missingOf(expected, stream.events));
    duplicated.push(...missingOf(stream.events, expected));
    expect(stream.events).toEqual(expected);
    if (IS_LONG) expect(stream.resumed()).toBeGreaterThan(0);
  });
});

/** Returns the elements of `all` that `among` lacks, as often as they are missing. */
function missingOf(all: readonly unknown[], among: readonly unknown[]): unknown[] {
  const left = new Map<string, number>();
  for (const each of among) left.set(JSON.stringify(each), (left.get(JSON.stringify(each)) ?? 0) + 1);
  return all.filter((each) => {
    const text = JSON.stringify(each);
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}
