import type { Pool } from 'pg';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { type HookReceiver, type Received, hookReceiver } from '../../support/hook-receiver';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import { plan, trialDeliveries, trialEndpoint, trialEngine } from '../../support/trial-deliveries';
import { until } from '../../support/until';

/** Duration of a response of a slow receiver, which gets two requests at a time. */
const SLOW_MS = 600;

let database: FreshDatabase;
let trial: Awaited<ReturnType<typeof trialDeliveries>>;
let pool: Pool;
const engines: Deliveries[] = [];
const receivers: HookReceiver[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  trial = await trialDeliveries(database.url);
  pool = trial.pool;
});
afterEach(async () => {
  await Promise.all([
    ...engines.splice(0).map((each) => each.stop()),
    ...receivers.splice(0).map((each) => each.close()),
  ]);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** Starts an engine with a receiver and a backlog of ordinary deliveries, each in a lane of its own. */
async function backlog(lanes: number, respond: Parameters<typeof hookReceiver>[0]) {
  const receiver = await hookReceiver(respond);
  receivers.push(receiver);
  const { url, received } = receiver;
  const endpoint = await trialEndpoint(pool, url);
  const text = `select plan_delivery($1::uuid, $1::uuid || ' event ' || n, 'subject ' || n, false) from generate_series(1, $2::int) n`;
  await pool.query(text, [endpoint, lanes]);
  engines.push(await trialEngine(trial, { schedule: { delays: [1] } }));
  return { endpoint, received };
}

/** Returns the requests of an event. */
const requestsOf = (received: readonly Received[], event: string) =>
  received.filter(({ eventId }) => eventId === event);

describe('An urgent delivery', () => {
  it('is sent before any backlog', async () => {
    const { endpoint, received } = await backlog(3_000, () => ({ status: 200, afterMs: 5 }));
    await until(() => (received.length > 100 ? true : undefined));
    await plan(pool, endpoint, 'withdrawal', 'subject 2999', true);
    const before = received.length;
    await until(() => requestsOf(received, 'withdrawal')[0]);
    const place = received.findIndex(({ eventId }) => eventId === 'withdrawal');
    expect(place - before).toBeLessThan(500);
    const lane = received.filter(({ eventId }) => [`${endpoint} event 2999`, 'withdrawal'].includes(eventId));
    expect(lane.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('is sent again before the backlog of a slow receiver as soon as its retry is due', async () => {
    const { endpoint, received } = await backlog(200, ({ eventId }) => ({
      status: eventId === 'refused once' && requestsOf(received, eventId).length === 1 ? 503 : 200,
      afterMs: SLOW_MS,
    }));
    await until(() => (received.length > 8 ? true : undefined));
    await plan(pool, endpoint, 'refused once', 'refused once', true);
    await until(() => requestsOf(received, 'refused once')[0]);
    const before = received.length;
    await until(() => requestsOf(received, 'refused once')[1]);
    expect(received.length - before).toBeLessThan(25);
  });

  it('is sent before the backlog of a slow receiver after the earlier delivery of its lane', async () => {
    const { endpoint, received } = await backlog(200, () => ({ status: 200, afterMs: SLOW_MS }));
    await until(() => (received.length > 8 ? true : undefined));
    await plan(pool, endpoint, 'notice', 'record', true);
    await until(() => requestsOf(received, 'notice')[0]);
    await plan(pool, endpoint, 'withdrawal of the record', 'record', true);
    const before = received.length;
    await until(() => requestsOf(received, 'withdrawal of the record')[0]);
    expect(received.length - before).toBeLessThan(25);
  });
});
