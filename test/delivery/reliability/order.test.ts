import fc from 'fast-check';
import type { Pool } from 'pg';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { type HookReceiver, type Received, hookReceiver } from '../../support/hook-receiver';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import { moveClock, plan, trialDeliveries, trialEndpoint, trialEngine } from '../../support/trial-deliveries';
import { until } from '../../support/until';

const SCRIPTS = process.env['TEST_LONG'] === undefined ? 20 : 200;
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);

/** An event of a script: it occurs after `after` requests of its endpoint, and its first `rejections` requests fail. */
const event = fc.record({
  subject: fc.constantFrom('A', 'B', 'C'),
  urgent: fc.boolean(),
  after: fc.nat({ max: 6 }),
  rejections: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 9 }) }),
  responseDelayMs: fc.nat({ max: 8 }),
});
const script = fc.array(event, { minLength: 1, maxLength: 10 });

let database: FreshDatabase;
let trial: Awaited<ReturnType<typeof trialDeliveries>>;
let pool: Pool;
let engines: Deliveries[] = [];
let receiver: HookReceiver;
const scripts = fc.sample(script, { numRuns: SCRIPTS, seed: SEED });

const eventOf = (eventId: string) => {
  const [of, number] = eventId.split('.').map(Number) as [number, number];
  return scripts[of]?.[number] as (typeof scripts)[number][number];
};
const sendsOf = (eventId: string): number => receiver.received.filter((each) => each.eventId === eventId).length;

beforeAll(async () => {
  database = await freshDatabase();
  trial = await trialDeliveries(database.url);
  pool = trial.pool;
  receiver = await hookReceiver(({ eventId }) => {
    const { rejections, responseDelayMs } = eventOf(eventId);
    return { status: sendsOf(eventId) > rejections ? 200 : 500, afterMs: responseDelayMs };
  });
  engines = await Promise.all([trialEngine(trial), trialEngine(trial)]);
});
afterAll(async () => {
  await Promise.all(engines.map((each) => each.stop()));
  await receiver?.close();
  await pool?.end();
  await database?.drop();
});

async function play(number: number, events: (typeof scripts)[number]): Promise<void> {
  const endpoint = await trialEndpoint(pool, `${receiver.url}/${number}`);
  const requests = () => receiver.received.filter(({ path }) => path === `/${number}`).length;
  for (const [index, { subject, urgent, after }] of events.entries()) {
    await until(() => (requests() >= Math.min(after, index) ? true : undefined));
    await plan(pool, endpoint, `${number}.${index}`, subject, urgent);
  }
}

/** Moves the clock day by day until every delivery has ended. */
async function letTimePass(): Promise<void> {
  for (let days = 0; days < 10; days++) {
    await moveClock(pool, days * 86_401);
    await until(async () => {
      const { rows } = await pool.query<{ due: number; pending: number }>(
        `select count(*) filter (where next_attempt_at <= register_now())::int + (select count(*) from fanout)::int as due, count(*)::int as pending
         from delivery where state = 'pending'`,
      );
      return rows[0]?.due === 0 ? rows[0] : undefined;
    });
  }
}

const lanes = (): Received[][] => {
  const lanesBy = new Map<string, Received[]>();
  for (const each of receiver.received) {
    const key = `${each.path} ${eventOf(each.eventId).subject}`;
    lanesBy.set(key, [...(lanesBy.get(key) ?? []), each]);
  }
  return [...lanesBy.values()];
};

describe(`Random sequences of events and failures on two engines (TEST_SEED=${SEED})`, () => {
  beforeAll(async () => {
    await Promise.all(scripts.map((events, number) => play(number, events)));
    await letTimePass();
  });

  it('end every delivery: accepted, or abandoned after six attempts of the schedule', async () => {
    const { rows } = await pool.query<{ event_id: string; state: string; attempt: number; attempts: number }>(
      `select event_id, state, attempt, jsonb_array_length(attempts) as attempts from delivery d`,
    );
    expect(rows).toHaveLength(scripts.flat().length);
    for (const { event_id: id, state, attempt, attempts } of rows) {
      expect([id, attempts]).toEqual([id, sendsOf(id)]);
      const { rejections } = eventOf(id);
      if (state === 'undelivered') expect([id, attempt, sendsOf(id) <= rejections]).toEqual([id, 6, true]);
      else expect([id, state, sendsOf(id)]).toEqual([id, 'delivered', rejections + 1]);
    }
  });

  it('never have two concurrent requests of a lane', () => {
    const overlapping = lanes().flatMap((lane) =>
      lane.slice(1).filter((each, n) => each.at < (lane[n]?.respondedAt ?? Number.POSITIVE_INFINITY)),
    );
    expect(overlapping).toEqual([]);
  });

  it('send the first attempts of a lane in the order of its sequence', () => {
    for (const lane of lanes()) {
      const firsts = lane.filter((each, n) => lane.findIndex(({ eventId }) => eventId === each.eventId) === n);
      expect(firsts.map(({ sequence }) => sequence)).toEqual(firsts.map((_, n) => n + 1));
    }
  });

  it('try earlier deliveries of a lane that are not yet accepted again before a later one', () => {
    for (const lane of lanes()) {
      const accepted = new Set<number>();
      const sent = new Set<number>();
      let last = 0;
      for (const { eventId, sequence } of lane) {
        if (sequence <= last) sent.clear();
        for (let earlier = 1; earlier < sequence; earlier++) {
          const isGivenUp = lane.filter((each) => each.sequence === earlier).length >= 6;
          expect([eventId, earlier, accepted.has(earlier) || sent.has(earlier) || isGivenUp]).toEqual([
            eventId,
            earlier,
            true,
          ]);
        }
        sent.add(sequence);
        last = sequence;
        const sends = lane.filter((each) => each.sequence === sequence).length;
        if (sends > eventOf(eventId).rejections) accepted.add(sequence);
      }
    }
  });
});
