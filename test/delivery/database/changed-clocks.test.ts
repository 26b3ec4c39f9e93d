import { randomUUID } from 'node:crypto';
import { Client, type Pool } from 'pg';
import { deleteExpired, resultTable } from '../../../subgraphs/delivery/deliveries.repository';
import { endpointTable } from '../../../subgraphs/delivery/endpoints.repository';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import type { LaneDelivery } from '../../../subgraphs/delivery/lane';
import { jumpedClock } from '../../support/access-database';
import { type HookReceiver, hookReceiver } from '../../support/hook-receiver';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import {
  fanOutAll,
  moveClock,
  plan,
  trialDeliveries,
  trialEndpoint,
  trialEngine,
  trialSource,
} from '../../support/trial-deliveries';
import { until } from '../../support/until';

let database: FreshDatabase;
let trial: Awaited<ReturnType<typeof trialDeliveries>>;
let pool: Pool;
/** The owner of the clock. */
let owner: Client;
let engine: Deliveries | undefined;
let receiver: HookReceiver;
let endpoint: string;

beforeAll(async () => {
  database = await freshDatabase();
  trial = await trialDeliveries(database.url);
  pool = trial.pool;
  owner = new Client(database.url);
  await owner.connect();
  receiver = await hookReceiver(() => ({ status: 200 }));
});
beforeEach(async () => {
  endpoint = await trialEndpoint(pool, receiver.url);
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  await moveClock(pool, 0);
  for (const table of ['fanout', 'delivery', 'delivery_endpoint']) await pool.query(`delete from ${table}`);
});
afterAll(async () => {
  await receiver?.close();
  await pool?.end();
  await owner?.end();
  await database?.drop();
});

const stateOf = async (event: string): Promise<string | undefined> =>
  (await pool.query<{ state: string }>('select state from delivery where event_id = $1', [event])).rows[0]?.state;
const registerNow = async (): Promise<Date> =>
  (await owner.query<{ now: Date }>('select register_now() as now')).rows[0]?.now as Date;
const isDelivered = (event: string) => until(async () => ((await stateOf(event)) === 'delivered' ? true : undefined));

describe('While the clock of the database has jumped', () => {
  it('no delivery ends that is obsolete by this clock; it is sent once the clock is corrected', async () => {
    await plan(pool, endpoint, 'kept');
    await fanOutAll(pool);
    const correct = await jumpedClock(owner, '45 days');
    try {
      engine = await trialEngine(trial, {
        source: { ...trialSource(pool), assemble: async () => ({ kind: 'drop', now: await registerNow() }) },
      });
      const isPutOff = `select from delivery where event_id = 'kept' and next_attempt_at > register_now() + interval '30 s'`;
      await until(async () => ((await pool.query(isPutOff)).rowCount === 1 ? true : undefined));
      expect(await stateOf('kept')).toBe('pending');
      await engine.stop();
    } finally {
      await correct();
    }
    engine = await trialEngine(trial);
    expect(await isDelivered('kept')).toBe(true);
  });

  it('a delivery that another one has superseded does not put off the lane of both', async () => {
    await plan(pool, endpoint, 'notice', 'lane');
    await fanOutAll(pool);
    const correct = await jumpedClock(owner, '45 days');
    try {
      const now = await registerNow();
      engine = await trialEngine(trial, {
        source: {
          ...trialSource(pool),
          async assemble(delivery) {
            if (delivery.eventId !== 'notice') return trialSource(pool).assemble(delivery);
            await pool.query("update delivery set state = 'superseded', ended_at = now() where event_id = 'notice'");
            await plan(pool, endpoint, 'withdrawal', 'lane', true);
            return { kind: 'drop', now };
          },
        },
      });
      expect(await isDelivered('withdrawal')).toBe(true);
      await engine.stop();
    } finally {
      await correct();
    }
  });

  it('the log of deliveries is not deleted', async () => {
    await plan(pool, endpoint, 'logged');
    await fanOutAll(pool);
    await pool.query(`update delivery set state = 'delivered', ended_at = register_now()`);
    const correct = await jumpedClock(owner, '100 days');
    expect(await deleteExpired(pool).finally(correct)).toBe(0);
    await moveClock(pool, 100 * 86_400);
    expect(await deleteExpired(pool)).toBe(1);
  });

  it('an event that is not urgent waits in the outbox; an urgent one is planned', async () => {
    await plan(pool, endpoint, 'ordinary');
    await plan(pool, endpoint, 'urgent', 'urgent', true);
    const correct = await jumpedClock(owner, '2 hours');
    const fanOut = () => pool.query('select from fan_out(250, $1)', [new Date()]);
    await fanOut();
    await fanOut().finally(correct);
    expect([await stateOf('urgent'), await stateOf('ordinary')]).toEqual(['pending', undefined]);
    await fanOut();
    expect(await stateOf('ordinary')).toBe('pending');
  });
});

describe('When the clock of the database is set back by less than the longest delay', () => {
  beforeEach(async () => {
    await plan(pool, endpoint, 'planned');
    await fanOutAll(pool);
    await moveClock(pool, 43_200);
  });

  it('a lane that was put off before is attempted at once', async () => {
    const { rows } = await pool.query<LaneDelivery>('select endpoint_id as "endpointId", subject from delivery');
    await resultTable(pool, async () => undefined).deferLane(rows[0] as LaneDelivery, 60, false);
    await moveClock(pool, 0);
    engine = await trialEngine(trial);
    expect(await isDelivered('planned')).toBe(true);
  });

  it('an endpoint that was released for a second, because a process had no capacity, is read at once', async () => {
    const endpoints = endpointTable(pool);
    const worker = randomUUID();
    expect(await endpoints.claim(worker, 10, [])).toEqual([endpoint]);
    const { generation = '' } = (await endpoints.readPending({ worker, id: endpoint })) ?? {};
    const deferral = { which: 'all', seconds: 1, isExternal: false } as const;
    expect(await endpoints.release({ worker, id: endpoint, generation, deferral })).toBe('released');
    await moveClock(pool, 0);
    engine = await trialEngine(trial);
    expect(await isDelivered('planned')).toBe(true);
  });

  it('a secret that was replaced before signs for 15 more minutes only', async () => {
    await pool.query(`insert into webhook_secret (replaced_at) values (register_now())`);
    await moveClock(pool, 0);
    engine = await trialEngine(trial);
    await isDelivered('planned');
    expect((await pool.query('delete from webhook_secret where replaced_at <= register_now()')).rowCount).toBe(1);
  });
});
