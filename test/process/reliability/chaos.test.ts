import { randomInt } from 'node:crypto';
import { type ChaosRoom, openChaosRoom } from '../../support/chaos/chaos-room';
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

/** The long form is `npm run test:chaos`; `TEST_CHAOS_KILLS` and `TEST_CHAOS_POSTGRES_KILLS` change its counts. */
const IS_LONG = process.env['TEST_CHAOS'] !== undefined;
const KILLS = Number(process.env['TEST_CHAOS_KILLS'] ?? (IS_LONG ? 200 : 2));
const POSTGRES_KILLS = Number(process.env['TEST_CHAOS_POSTGRES_KILLS'] ?? (IS_LONG ? 50 : 1));
/** Operations between two kills, at least and at most, and those that may come while something starts again. */
const [LEAST, MOST, MEANWHILE] = [30, 80, 60];
const HOURS = 3_600_000;
/** Kills after which the long form says how far it is. */
const PROGRESS_EVERY = 10;

/** Of a hundred requests so many are refused; a delivery is refused four times at most, so that its six sends are enough. */
const REFUSED = 30;
const MOST_REFUSALS = 4;
const ANSWERED_WITHIN = 150;
/** Milliseconds for which the receiver keeps a worker waiting that is about to be killed: it is surely delivering then. */
const HELD = 3_000;
/** Seconds from the kill of a worker to the next attempt of what it was delivering (99 of 100). */
const RESUMED_WITHIN = 5;

describe('A register in which everything is killed, again and again', () => {
  let room: ChaosRoom;
  let receiver: Receiver;
  let deliveries: WatchedDeliveries;
  let stream: FollowedStream;
  let writing: Writing;
  const killed = { services: 0, postgres: 0 };
  const lost: unknown[] = [];
  const doubled: unknown[] = [];
  const resumptions: number[] = [];
  const begunAt = performance.now();
  let isHolding = false;

  beforeAll(async () => {
    room = await openChaosRoom();
    const refusals = new Map<string, number>();
    receiver = await startReceiver((delivery) => {
      const refused = refusals.get(delivery) ?? 0;
      const refuse = refused < MOST_REFUSALS && randomInt(100) < REFUSED;
      if (refuse) refusals.set(delivery, refused + 1);
      return { status: refuse ? 503 : 204, after: isHolding ? HELD : randomInt(ANSWERED_WITHIN) };
    });
    const { dataUser, duid } = room.by;
    deliveries = await watchDeliveries([dataUser, duid], receiver, ['/first', '/second', '/third'], room.rows);
    const asAdmin = graphOf(room.register, await room.admin());
    const { data } = await asAdmin('{ latestRegisterEvents(first: 1) { cursor } }');
    stream = followStream(room.register.gateway, room.admin, data.latestRegisterEvents[0].cursor);
    writing = startWriting(room.by);
    await killAtRandom();
    await writing.stop();
    await Promise.all(room.services.map((service) => service.running()));
    say('writers have ended; the jobs and the deliveries that are left are made');
    await jobsDone(room.rows);
    await dashboardHasAll();
    await deliverAll();
  }, 12 * HOURS);
  afterAll(async () => {
    if (room !== undefined && stream !== undefined) await summary();
    await stream?.close();
    await room?.close();
    await receiver?.close();
  });

  /** Kills spread over the workload: each when some more operations were acknowledged. */
  async function killAtRandom(): Promise<void> {
    const victims = [
      ...Array.from({ length: KILLS }, (_, index) => () => killService(index)),
      ...Array.from({ length: POSTGRES_KILLS }, () => killPostgres),
    ].toSorted(() => Math.random() - 0.5);
    for (const [index, kill] of victims.entries()) {
      const enough = writing.operations() + randomInt(LEAST, MOST);
      writing.allow(enough + MEANWHILE);
      await until(() => writing.operations() >= enough || undefined, 300_000);
      await kill();
      if ((index + 1) % PROGRESS_EVERY === 0) {
        const counts = `${writing.operations()} operations acknowledged, ${receiver.received.length} requests received`;
        say(`${index + 1} of ${victims.length} kills, ${counts}, ${resumptions.length} deliveries resumed`);
      }
    }
  }

  /** The long form tells what it does. */
  function say(line: string): void {
    if (!IS_LONG) return;
    const minutes = ((performance.now() - begunAt) / 60_000).toFixed(1);
    process.stderr.write(`chaos, minute ${minutes}: ${line}\n`);
  }

  async function summary(): Promise<void> {
    const [counts] = await room.rows<{ events: number; deliveries: number }>(
      `select (select count(*)::int from access.event) as events, (select count(*)::int from access.delivery) as deliveries`,
    );
    const restarts = room.services.reduce((sum, service) => sum + service.restarts(), 0);
    say(
      [
        `kills: ${killed.services} of services, ${killed.postgres} of PostgreSQL`,
        `restarts: ${restarts} of services, ${killed.postgres} of PostgreSQL`,
        `operations acknowledged: ${writing.operations()}`,
        `events: ${counts?.events}`,
        `deliveries: ${counts?.deliveries}, in ${receiver.received.length} requests`,
        `subscription: ${stream.events.length} events, resumed ${stream.resumed()} times`,
        `lost: ${lost.length}`,
        `doubled: ${doubled.length}`,
      ].join('; '),
    );
  }

  /** The first two kills are of the two workers, so that what they were delivering is looked at in the short form, too. */
  async function killService(index: number): Promise<void> {
    const workers = room.services.filter(({ name }) => name.startsWith('access'));
    const service = (workers[index] ?? room.services[randomInt(room.services.length)]) as ChaosRoom['services'][number];
    isHolding = workers.includes(service);
    writing.allow(writing.operations() + MEANWHILE);
    if (isHolding) await until(() => underWay().length >= 4 || undefined).catch(() => undefined);
    const open = underWay();
    const at = performance.now();
    await service.kill();
    killed.services += 1;
    isHolding = false;
    await until(() => open.every(({ status, torn }) => status !== undefined || torn) || undefined);
    const torn = open.filter((each) => each.torn);
    await deliveries.noteInFlight();
    await Promise.all([service.running(), ...torn.map((each) => resumption(each, at))]);
  }

  /** Deliveries that the receiver has not answered yet: with some of them, a worker that is killed was making one. */
  function underWay(): ReceivedDelivery[] {
    return receiver.received.filter(({ status, torn }) => status === undefined && !torn);
  }

  async function killPostgres(): Promise<void> {
    await room.postgres.kill();
    killed.postgres += 1;
    await room.postgres.start();
    await deliveries.noteInFlight();
  }

  /** What was superseded while it was in flight is not made again. */
  async function resumption({ delivery, eventId }: ReceivedDelivery, killedAt: number): Promise<void> {
    const next = await until(async () => {
      const made = receiver.received.find((each) => each.delivery === delivery && each.at > killedAt);
      return made ?? ((await isSuperseded(eventId)) ? null : undefined);
    }, 60_000).catch(() => undefined);
    if (next !== null) resumptions.push(next === undefined ? Infinity : (next.at - killedAt) / 1000);
  }

  async function isSuperseded(eventId: string): Promise<boolean> {
    const text = `select from access.delivery where event_id = $1 and state = 'superseded'`;
    return (await room.rows(text, [eventId]).catch(() => [])).length > 0;
  }

  /** The dashboard has caught up; it is waited for before the clock is moved, since its token expires with it. */
  async function dashboardHasAll(): Promise<void> {
    const [last] = await room.rows<{ id: string }>(
      'select id from access.event order by era desc, tx desc, position desc limit 1',
    );
    await until(() => stream.events.at(-1) === last?.id || undefined, 10 * 60_000);
  }

  /** Moves the clock over the slots of the retry schedule until nothing is pending. */
  async function deliverAll(): Promise<void> {
    let offset = 0;
    for (const seconds of [0, 61, 301, 1_801, 7_201, 86_401]) {
      offset += seconds;
      await room.rows('select register.set_clock_offset($1)', [offset]);
      await deliveries.done(30 * 60_000);
    }
  }

  it('has lost no change that it acknowledged, and made none of them twice', async () => {
    const { acknowledged } = writing;
    const found = await recordsOf(room.rows, 'Registered');
    const expected = recordsExpected(acknowledged);
    lost.push(...missingOf(expected, found));
    doubled.push(...missingOf(found, expected));
    expect(found).toEqual(expected);
    expect(await changesOn(room.rows, DAY_OF_CHANGES)).toEqual(
      acknowledged.changes.map(() => ({ announced: true, told: 1 })),
    );
    const irs = acknowledged.anonymised.map(({ ir }) => ir);
    expect(await standings(room.rows, irs)).toEqual(standingsExpected(acknowledged.anonymised));
    for (const made of Object.values(acknowledged)) expect([...made].length).toBeGreaterThan(0);
  });

  it('has nothing half done, and has told every event once', async () => {
    const counts = await halfDone(room.rows);
    doubled.push(...Array.from({ length: counts['eventsTwice'] ?? 0 }));
    expect(counts).toEqual(Object.fromEntries(Object.keys(counts).map((name) => [name, 0])));
  });

  it('has delivered every event to every webhook, or superseded it by a later one of the same record', async () => {
    const missing = await deliveries.missing();
    lost.push(...missing);
    expect(missing).toEqual([]);
  });

  it('has sent again what was in flight at a kill, and nothing else', () => {
    const twice = deliveries.doubled();
    doubled.push(...twice);
    expect(twice).toEqual([]);
  });

  it('has sent the same bytes each time', () => {
    expect(deliveries.changed()).toEqual([]);
  });

  it('has gone on within seconds with what a killed worker was delivering', () => {
    expect(resumptions.length).toBeGreaterThan(0);
    const worst = resumptions.toSorted((one, other) => one - other).at(Math.ceil(resumptions.length * 0.99) - 1) ?? 0;
    expect(worst).toBeLessThanOrEqual(RESUMED_WITHIN);
  });

  it('has shown every event once and in order to a dashboard that resumed after its last cursor', async () => {
    const logged = await room.rows<{ id: string }>('select id from access.event order by era, tx, position');
    const first = logged.findIndex(({ id }) => id === stream.events[0]);
    const expected = logged.slice(first).map(({ id }) => id);
    expect(first).toBeGreaterThan(0);
    lost.push(...missingOf(expected, stream.events));
    doubled.push(...missingOf(stream.events, expected));
    expect(stream.events).toEqual(expected);
    if (IS_LONG) expect(stream.resumed()).toBeGreaterThan(0);
  });
});

/** Those that are not among others, as often as they are missing. */
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
