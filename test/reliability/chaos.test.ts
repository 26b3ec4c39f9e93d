import { randomInt } from 'node:crypto';
import { type Acknowledged, makeChanges } from '../support/chaos/changes';
import { type ChaosRoom, openChaosRoom } from '../support/chaos/chaos-room';
import { type ReceivedDelivery, type Receiver, startReceiver } from '../support/chaos/receiver';
import { type FollowedStream, followStream } from '../support/chaos/stream';
import { graphOf } from '../support/graph';
import { until } from '../support/until';

/** The long form: `npm run test:chaos`. */
const IS_LONG = process.env['TEST_CHAOS'] !== undefined;
const CHANGES = IS_LONG ? 20_000 : 250;
const KILLS = IS_LONG ? 100 : 2;
const POSTGRES_KILLS = IS_LONG ? 20 : 1;
const HOURS = 3_600_000;

/** Of a hundred requests so many are refused; a delivery is refused four times at most, so that its six sends are enough. */
const REFUSED = 30;
const MOST_REFUSALS = 4;
const ANSWERED_WITHIN = 150;
/** Milliseconds for which the receiver keeps a worker waiting that is about to be killed: it is surely delivering then. */
const HELD = 3_000;
/** Seconds from the kill of a worker to the next attempt of what it was delivering (99 of 100). */
const RESUMED_WITHIN = 5;

/** What of the deliveries was in flight when something was killed: answered or under way, but not yet written down. */
const UNWRITTEN = `select w.wid, d.event_id as "eventId" from access.delivery d
  join access.webhook w on w.id = d.endpoint_id where d.state = 'pending'`;

const DELIVERIES = `select e.type, d.event_id as "eventId", w.wid, d.subject, d.sequence, d.state,
    exists (select from access.delivery later where later.endpoint_id = d.endpoint_id and later.subject = d.subject
      and later.sequence > d.sequence) as "hasSuccessor"
  from access.delivery d join access.event e on e.id = d.event_id join access.webhook w on w.id = d.endpoint_id`;

describe('A register in which everything is killed, again and again', () => {
  let room: ChaosRoom;
  let receiver: Receiver;
  let stream: FollowedStream;
  let acknowledged: Acknowledged;
  const wids = new Map<string, string>();
  const inFlight = new Set<string>();
  const resumptions: number[] = [];
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
    for (const path of ['/first', '/second', '/third']) {
      const { status, body } = await room.dataUser.rest('POST', '/v1/webhooks', {
        'callback-url': `${receiver.url}${path}`,
        'alert-email': 'alerts@larkhill.example',
      });
      if (status !== 201) throw new Error(`the subscription was answered ${status}: ${JSON.stringify(body)}`);
      wids.set(String(body['webhook'].wid), path);
    }
    const { data } = await graphOf(room.register, room.admin)('{ latestRegisterEvents(first: 1) { cursor } }');
    stream = followStream(room.register.gateway, room.admin, data.latestRegisterEvents[0].cursor);
    const changes = makeChanges(room, CHANGES);
    await killAtRandom();
    acknowledged = await changes;
    await Promise.all(room.services.map((service) => service.running()));
    await dashboardHasAll();
    await deliverAll();
  }, 3 * HOURS);
  afterAll(async () => {
    await stream?.close();
    await room?.close();
    await receiver?.close();
  });

  /** Kills spread over the changes: each when a few more deliveries have come in. */
  async function killAtRandom(): Promise<void> {
    const victims = [
      ...Array.from({ length: KILLS }, (_, index) => () => killService(index)),
      ...Array.from({ length: POSTGRES_KILLS }, () => killPostgres),
    ].toSorted(() => Math.random() - 0.5);
    for (const kill of victims) {
      const before = receiver.received.length;
      await until(() => receiver.received.length >= before + 20 || undefined, 60_000);
      await kill();
    }
  }

  /** The first two kills are of the two workers, so that what they were delivering is looked at in the short form, too. */
  async function killService(index: number): Promise<void> {
    const workers = room.services.filter(({ name }) => name.startsWith('access'));
    const service = (workers[index] ?? room.services[randomInt(room.services.length)]) as ChaosRoom['services'][number];
    isHolding = workers.includes(service);
    if (isHolding) await until(() => underWay().length >= 4 || undefined).catch(() => undefined);
    const open = underWay();
    const at = performance.now();
    await service.kill();
    isHolding = false;
    await until(() => open.every(({ status, torn }) => status !== undefined || torn) || undefined);
    const torn = open.filter((each) => each.torn);
    await noteInFlight();
    for (const each of torn) inFlight.add(each.delivery);
    await Promise.all([service.running(), ...torn.map((each) => resumption(each, at))]);
  }

  /** Deliveries that the receiver has not answered yet: with some of them, a worker that is killed was making one. */
  function underWay(): ReceivedDelivery[] {
    return receiver.received.filter(({ status, torn }) => status === undefined && !torn);
  }

  async function killPostgres(): Promise<void> {
    await room.postgres.kill();
    await room.postgres.start();
    await noteInFlight();
  }

  async function noteInFlight(): Promise<void> {
    const unwritten = await until(() => room.rows<{ wid: string; eventId: string }>(UNWRITTEN).catch(() => undefined));
    const answered = new Set(receiver.received.filter(({ status }) => status !== 503).map(({ delivery }) => delivery));
    for (const { wid, eventId } of unwritten) {
      const delivery = `${wids.get(wid)} ${eventId}`;
      if (answered.has(delivery)) inFlight.add(delivery);
    }
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
    await until(() => stream.events.at(-1) === last?.id || undefined, 60_000);
  }

  /** Moves the clock over the slots of the retry schedule until nothing is pending. */
  async function deliverAll(): Promise<void> {
    let offset = 0;
    for (const seconds of [0, 61, 301, 1_801, 7_201, 86_401]) {
      offset += seconds;
      await room.rows('select register.set_clock_offset($1)', [offset]);
      await until(async () => {
        const due = await room.rows<{ due: number }>(
          `select count(*)::int as due from access.delivery where state = 'pending' and next_attempt_at <= register.register_now()`,
        );
        return due[0]?.due === 0 || undefined;
      }, 15 * 60_000);
    }
  }

  const allDeliveries = () =>
    room.rows<{
      type: string;
      eventId: string;
      wid: string;
      subject: string;
      sequence: number;
      state: string;
      hasSuccessor: boolean;
    }>(DELIVERIES);
  const nameOf = ({ wid, eventId }: { wid: string; eventId: string }) => `${wids.get(wid)} ${eventId}`;
  const taken = () => receiver.received.filter(({ status }) => status === 204);

  it('has lost no change that it acknowledged', async () => {
    const keysOf = (type: string) =>
      new Set(
        taken()
          .filter((each) => each.type === type)
          .map(({ subject }) => subject),
      );
    const withdrawals = keysOf('consent.withdrawal');
    expect(acknowledged.withdrawn.filter((key) => !withdrawals.has(key))).toEqual([]);
    const [rows] = await room.rows<{ records: number; expiring: number }>(
      `select (select count(*)::int from access.access_record where document->>'purpose' like 'Chaos %') as records,
         (select count(distinct record_id)::int from access.event where type = 'consent.expiring') as expiring`,
    );
    expect(acknowledged.registered).toHaveLength(CHANGES);
    expect(new Set(acknowledged.registered).size).toBe(CHANGES);
    expect(rows).toEqual({ records: CHANGES, expiring: CHANGES });
  });

  it('has delivered every event to every subscription, or superseded it by a later one of the same record', async () => {
    const deliveries = await allDeliveries();
    const received = new Set(taken().map(({ delivery }) => delivery));
    const wrong = deliveries.filter((each) => {
      if (each.state === 'delivered') return !received.has(nameOf(each));
      return !(each.state === 'superseded' && each.type === 'consent.expiring' && each.hasSuccessor);
    });
    expect(wrong).toEqual([]);
    const events = await room.rows<{ count: number }>(
      `select count(*)::int as count from access.event e where (type = 'consent.expiring' and not exists
           (select from access.delivery d where d.event_id = e.id and d.endpoint_id = e.webhook_id))
         or (type = 'consent.withdrawal' and (select count(*) from access.delivery d where d.event_id = e.id) <> 3)`,
    );
    expect(events).toEqual([{ count: 0 }]);
  });

  it('has sent again what was in flight at a kill, and nothing else', () => {
    const times = new Map<string, number>();
    for (const { delivery } of taken()) times.set(delivery, (times.get(delivery) ?? 0) + 1);
    const duplicates = [...times].filter(([, count]) => count > 1).map(([delivery]) => delivery);
    expect(duplicates.filter((delivery) => !inFlight.has(delivery))).toEqual([]);
  });

  it('has sent the same bytes each time', () => {
    const bodies = new Map<string, Set<string>>();
    for (const { delivery, bodyHash } of receiver.received) {
      bodies.set(delivery, (bodies.get(delivery) ?? new Set()).add(bodyHash));
    }
    expect([...bodies].filter(([, hashes]) => hashes.size > 1)).toEqual([]);
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
    expect(stream.events).toEqual(expected);
    if (IS_LONG) expect(stream.resumed()).toBeGreaterThan(0);
  });
});
