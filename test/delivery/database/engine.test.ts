import { Client, Pool } from 'pg';
import pino from 'pino';
import { Registry } from 'prom-client';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { fanOut } from '../../../subgraphs/delivery/fan-out.repository';
import { MAX_LANES, laneLimits } from '../../../subgraphs/delivery/limits';
import { SLOW_RESPONSE_MS } from '../../../subgraphs/delivery/requests/request-slots';
import { sessionOptions } from '../../../subgraphs/server/database/database';
import { inTransaction } from '../../../subgraphs/server/database/transaction';
import { type HookReceiver, type Received, hookReceiver } from '../../support/hook-receiver';
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
  await moveClock(pool, 0);
  for (const table of ['endpoint', 'fanout', 'delivery', 'delivery_lane', 'delivery_endpoint']) {
    await pool.query(`delete from ${table}`);
  }
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

async function receiver(...response: Parameters<typeof hookReceiver>): Promise<HookReceiver> {
  const started = await hookReceiver(...response);
  receivers.push(started);
  return started;
}

async function engine(...more: [Parameters<typeof trialEngine>[1]?]): Promise<void> {
  engines.push(await trialEngine(trial, ...more));
}

interface Row {
  readonly state: string;
  readonly attempt: number;
  readonly faults: number;
  readonly attempts: number;
}

const stateOf = async (event: string): Promise<Row | undefined> => {
  const text =
    'select state, attempt, faults, jsonb_array_length(attempts) as attempts from delivery where event_id = $1';
  return (await pool.query<Row>(text, [event])).rows[0];
};
const isDeferred = async (endpoint: string): Promise<true | undefined> => {
  const text =
    'select from delivery_endpoint where id = $1 and leased_by is null and put_off_at is not null and due_at > register_now()';
  return (await pool.query(text, [endpoint])).rowCount === 1 ? true : undefined;
};
const becomes = (event: string, wanted: Partial<Row>): Promise<Row> =>
  until(async () => {
    const row = await stateOf(event);
    return row && Object.entries(wanted).every(([name, value]) => row[name as keyof Row] === value) ? row : undefined;
  });
/** Number of pending deliveries and of events without planned deliveries. */
const pending = async (): Promise<number> =>
  Number(
    (
      await pool.query(
        `select (select count(*) from delivery where state = 'pending') + (select count(*) from fanout) as count`,
      )
    ).rows[0].count,
  );

/** Waits until none is pending; returns how many are delivered. */
async function allDelivered(): Promise<number> {
  await until(async () => ((await pending()) === 0 ? true : undefined));
  const { rows } = await pool.query(`select count(*)::int as delivered from delivery where state = 'delivered'`);
  return rows[0].delivered;
}

describe('A delivery', () => {
  it('is sent once its transaction is committed, and never after a rollback', async () => {
    const { url, received } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    await engine();
    const changedMind = inTransaction(pool, async (session) => {
      await plan(session, endpoint, 'never');
      throw new Error('changed my mind');
    });
    await expect(changedMind).rejects.toThrow('changed my mind');
    await plan(pool, endpoint, 'first');
    await becomes('first', { state: 'delivered' });
    expect(received.map(({ eventId }) => eventId)).toEqual(['first']);
  });

  it('waits without counting an attempt while its source defers it, and is sent after the resumption', async () => {
    const { url, received } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    await pool.query('update endpoint set suspended = true');
    await engine();
    await plan(pool, endpoint, 'held');
    await until(() => isDeferred(endpoint));
    expect(await stateOf('held')).toEqual({ state: 'pending', attempt: 0, faults: 0, attempts: 0 });
    expect(received).toEqual([]);
    await pool.query('update endpoint set suspended = false');
    await pool.query('select resume_deliveries($1)', [endpoint]);
    await becomes('held', { state: 'delivered', attempts: 1 });
  });

  it('is dropped if its endpoint was removed, and nothing is sent', async () => {
    await engine();
    await plan(pool, '00000000-0000-4000-8000-000000000000', 'gone');
    expect(await becomes('gone', { state: 'superseded' })).toMatchObject({ attempts: 0 });
  });

  it('superseded during an attempt is delivered if that succeeds, and remains superseded if it fails', async () => {
    const { url } = await receiver(async ({ eventId }) => {
      await pool.query(`update delivery set state = 'superseded', ended_at = register_now() where event_id = $1`, [
        eventId,
      ]);
      return { status: eventId === 'accepted' ? 200 : 500 };
    });
    const endpoint = await trialEndpoint(pool, url);
    await engine();
    await plan(pool, endpoint, 'accepted');
    await plan(pool, endpoint, 'refused');
    await becomes('accepted', { state: 'delivered' });
    await becomes('refused', { attempts: 1 });
    expect(await stateOf('refused')).toMatchObject({ state: 'superseded', attempt: 0 });
  });

  it('is sent again on demand, and its source can see that', async () => {
    const { url, received } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    await engine();
    await plan(pool, endpoint, 'twice');
    await becomes('twice', { state: 'delivered' });
    expect((await pool.query(`select redeliver($1, 'unknown') as is`, [endpoint])).rows).toEqual([{ is: false }]);
    expect((await pool.query(`select redeliver($1, 'twice') as is`, [endpoint])).rows).toEqual([{ is: true }]);
    await until(() => (received.length === 2 ? true : undefined));
    await becomes('twice', { state: 'delivered' });
    expect(received.map(({ sequence, isRedelivery }) => [sequence, isRedelivery])).toEqual([
      [1, false],
      [1, true],
    ]);
  });

  it('that cannot be assembled is deferred, and delays its lane for ten failures at most', async () => {
    const { url, received } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    const sound = trialSource(pool);
    const source: typeof sound = {
      ...sound,
      assemble: async (delivery) => {
        if (delivery.eventId === 'broken') throw new Error('no such key');
        return sound.assemble(delivery);
      },
    };
    await engine({ source });
    await plan(pool, endpoint, 'broken', 'one');
    await becomes('broken', { faults: 1 });
    expect(await stateOf('broken')).toMatchObject({ attempt: 0 });
    await pool.query(`update delivery set faults = 10, next_attempt_at = register_now()`);
    await plan(pool, endpoint, 'sound', 'one');
    await becomes('sound', { state: 'delivered' });
    expect(await stateOf('broken')).toMatchObject({ state: 'pending', attempt: 0 });
    await plan(pool, endpoint, 'another', 'one');
    await becomes('another', { state: 'delivered' });
    expect(received.map(({ eventId }) => eventId)).toEqual(['sound', 'another']);
  });
});

describe('Leases of a process that has ended', () => {
  it('are taken over, including a lease that a late claim of that process acquired after its other leases were taken over', async () => {
    const { url } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    await engine();
    await pool.query('insert into delivery_endpoint (id, leased_by) values ($1, gen_random_uuid())', [endpoint]);
    await plan(pool, endpoint, 'left behind');
    expect(await allDelivered()).toBe(1);
  });
});

describe('The fan-out', () => {
  it('plans fewer events in one transaction if a statement for more of them times out', async () => {
    const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9/');
    const owner = new Client({ connectionString: database.url });
    await owner.connect();
    const replaceReceivers = (body: string) =>
      owner.query(`create or replace function trial.receivers_of(event text, only_endpoint uuid) returns setof uuid
        language sql volatile as $$ ${body} $$`);
    await replaceReceivers('select $2 from pg_sleep(0.02)');
    const hasty = new Pool({ ...sessionOptions(trial.address, '-c statement_timeout=200'), max: 1 });
    const planner = fanOut(hasty, pino({ level: 'silent' }));
    try {
      for (let n = 0; n < 25; n += 1) await plan(pool, endpoint, `event ${n}`);
      await until(async () => {
        planner.wake();
        return (await pool.query('select from fanout')).rowCount === 0 ? true : undefined;
      });
      expect((await pool.query('select from delivery')).rowCount).toBe(25);
    } finally {
      await planner.stop();
      await hasty.end();
      await replaceReceivers('select $2');
      await owner.end();
    }
  });
});

describe('Without notifications', () => {
  it('due deliveries are sent from a database that was restored while a process held leases', async () => {
    const { url } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    await Promise.all(Array.from({ length: 40 }, (_, n) => plan(pool, endpoint, `event ${n}`)));
    await fanOutAll(pool);
    await pool.query('update delivery_endpoint set leased_by = $1', [endpoint]);
    await engine();
    expect(await allDelivered()).toBe(40);
  });

  it('transactions that insert events for the same endpoint do not wait for each other, in any order', async () => {
    const { url } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    const subjects = Array.from({ length: 30 }, (_, n) => `subject ${n}`);
    await inTransaction(pool, async (one) => {
      await inTransaction(pool, async (other) => {
        for (const subject of subjects) await plan(one, endpoint, `one ${subject}`, `one ${subject}`);
        for (const subject of subjects.toReversed())
          await plan(other, endpoint, `other ${subject}`, `other ${subject}`);
      });
      await engine();
      await until(async () => ((await pending()) === 0 ? true : undefined));
    });
    expect(await allDelivered()).toBe(60);
  });
});

describe('One endpoint', () => {
  it('never has more than eight concurrent requests, over all engines', async () => {
    let now = 0;
    let most = 0;
    let release = () => {};
    const eightRun = new Promise<void>((resolve) => (release = resolve));
    const { url, received } = await receiver(async () => {
      most = Math.max(most, (now += 1));
      if (now === 8) release();
      await eightRun;
      await new Promise((resolve) => void setTimeout(resolve, 20));
      now -= 1;
      return { status: 200 };
    });
    const endpoint = await trialEndpoint(pool, url);
    await planLanes(endpoint, 'first', 8);
    await fanOutAll(pool);
    await Promise.all([engine(), engine(), engine()]);
    const planTwenty = async (first: number) => {
      for (let n = first; n < first + 20; n += 1) await plan(pool, endpoint, `event ${n}`);
    };
    await Promise.all(Array.from({ length: 10 }, (_, tenth) => planTwenty(tenth * 20)));
    await allDelivered();
    expect([received.length, most]).toEqual([208, 8]);
  });

  it('that does not respond delays no other', async () => {
    const silent = await receiver(() => new Promise(() => undefined));
    const { url } = await receiver();
    const [slow, quick] = [await trialEndpoint(pool, silent.url), await trialEndpoint(pool, url)];
    await Promise.all(Array.from({ length: 100 }, (_, n) => plan(pool, slow, `slow ${n}`)));
    await fanOutAll(pool); // an endpoint that has not responded for 500 ms gets fewer requests
    await engine({ exchangeMs: ENDLESS_MS });
    await until(() => (silent.received.length >= 8 ? true : undefined));
    await Promise.all(Array.from({ length: 100 }, (_, n) => plan(pool, quick, `quick ${n}`)));
    await until(async () => ((await pending()) === 100 ? true : undefined));
    expect(silent.received).toHaveLength(8); // their requests have not ended
  });

  it('that is slow has two concurrent requests until it is fast again', async () => {
    let wait = 700;
    let now = 0;
    let most = 0;
    const { url, received } = await receiver(async () => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => void setTimeout(resolve, wait));
      now -= 1;
      return { status: 200 };
    });
    const endpoint = await trialEndpoint(pool, url);
    await engine();
    await plan(pool, endpoint, 'first');
    await becomes('first', { state: 'delivered' });
    await Promise.all(Array.from({ length: 20 }, (_, n) => plan(pool, endpoint, `slow ${n}`)));
    await until(() => (received.length >= 5 ? true : undefined));
    expect(most).toBe(2);
    wait = 50;
    expect(await allDelivered()).toBe(21);
    await Promise.all(Array.from({ length: 40 }, (_, n) => plan(pool, endpoint, `quick ${n}`)));
    expect(await allDelivered()).toBe(61);
    expect(most).toBe(8);
  });
});

describe('The engine', () => {
  it('counts attempts by outcome, the time to the first attempt, and pending deliveries', async () => {
    const { url } = await receiver(({ eventId }) => ({ status: eventId === 'refused' ? 500 : 200 }));
    const endpoint = await trialEndpoint(pool, url);
    const metrics = new Registry();
    await engine({ metrics });
    for (const event of ['one', 'two', 'refused']) await plan(pool, endpoint, event);
    await becomes('refused', { attempt: 1 });
    await until(async () => ((await pending()) === 1 ? true : undefined));
    const text = await metrics.metrics();
    expect(text).toContain('delivery_attempts_total{result="delivered"} 2');
    expect(text).toContain('delivery_attempts_total{result="refused-status"} 1');
    expect(text).toContain('delivery_first_attempt_seconds_count 3');
    expect(text).toContain('deliveries_pending 1');
  });

  it('continues after the database has closed all its sessions', async () => {
    const { url } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    await engine();
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()',
    );
    await until(() =>
      plan(pool, endpoint, 'after').then(
        () => true,
        () => undefined,
      ),
    );
    expect(await allDelivered()).toBe(1);
  });

  it('deletes only deliveries that ended more than 90 days ago, and continues the sequences of lanes', async () => {
    const { url, received } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    engines.push(await trialEngine(trial));
    await plan(pool, endpoint, 'old', 'one');
    await plan(pool, endpoint, 'trial', 'trial');
    await allDelivered();
    await moveClock(pool, 2 * 86_400);
    await plan(pool, endpoint, 'of 89 days ago', 'other');
    await allDelivered();
    await engines.pop()?.stop();
    await moveClock(pool, 91 * 86_400);
    await plan(pool, endpoint, 'new', 'one');
    await engine();
    await until(async () => ((await pool.query('select from delivery')).rowCount === 2 ? true : undefined));
    await becomes('new', { state: 'delivered' });
    expect(received.find(({ eventId }) => eventId === 'new')?.sequence).toBe(2);
    const lanes = await pool.query('select subject, last_sequence from delivery_lane order by subject');
    const kept = await pool.query('select event_id from delivery order by event_id');
    expect(lanes.rows).toEqual([{ subject: 'one', last_sequence: 1 }]);
    expect(kept.rows).toEqual([{ event_id: 'new' }, { event_id: 'of 89 days ago' }]);
  });
});

/** Number of receivers of one owner that do not respond. */
const SILENT = 12;
/** Timeout of a request that no test reaches. */
const ENDLESS_MS = 600_000;
/** Milliseconds after which an endpoint without a response counts as slow, with a margin. */
const LATE = SLOW_RESPONSE_MS + 200;

let healthy: HookReceiver;
let silent: HookReceiver;

async function oneOfEach(): Promise<void> {
  healthy = await receiver();
  silent = await receiver(() => new Promise(() => undefined));
}

/** Adds endpoints of one owner that accept requests and never respond, with deliveries in many lanes; returns their ids. */
async function silence(endpoints: number, urgent: boolean, owner = 'silent', lanes = 40): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < endpoints; n++) {
    const endpoint = await trialEndpoint(pool, `${silent.url}/${owner}-${n}`, owner);
    await planLanes(endpoint, `${owner} ${n}`, lanes, urgent);
    ids.push(endpoint);
  }
  return ids;
}

/** Plans deliveries of one endpoint, each in a lane of its own. */
async function planLanes(endpoint: string, name: string, lanes: number, urgent = false): Promise<void> {
  const text = `select plan_delivery($1, $2 || ' ' || n, $2 || ' ' || n, $3) from generate_series(1, $4::int) n`;
  await pool.query(text, [endpoint, name, urgent, lanes]);
}

/** Returns an endpoint of a healthy receiver that has just responded late, so that the engine counts it as slow. */
async function slowOnce(owner: string, maxLanes = MAX_LANES): Promise<string> {
  let wait = 700;
  healthy = await receiver(() => ({ status: 200, afterMs: wait }));
  const endpoint = await trialEndpoint(pool, healthy.url, owner);
  await engine({ maxLanes, exchangeMs: ENDLESS_MS });
  await plan(pool, endpoint, `${owner} was late`);
  await becomes(`${owner} was late`, { state: 'delivered' });
  wait = 0;
  return endpoint;
}

/** Plans a delivery and waits for its arrival. One that waits for the end of a request without a response never arrives. */
async function arrivalOf(endpoint: string, event: string, urgent = false): Promise<Received> {
  await plan(pool, endpoint, event, event, urgent);
  return until(() => healthy.received.find(({ eventId }) => eventId === event));
}

/** Resolves when every request to the silent receiver is late, and at least this many endpoints have one. */
async function silentRequestsAreLate(endpoints: number): Promise<void> {
  await until(() => {
    const reached = new Set(silent.received.map(({ path }) => path));
    const areLate = silent.received.every(({ at }) => performance.now() - at > LATE);
    return areLate && reached.size >= endpoints ? true : undefined;
  });
}

describe(`${SILENT} receivers of one owner that do not respond`, () => {
  beforeEach(oneOfEach);

  it.each([
    ['ordinary', false],
    ['urgent', true],
  ])('delay nothing that is %s for other owners', async (_kind, urgent) => {
    const endpoint = await trialEndpoint(pool, healthy.url, 'healthy');
    await engine({ exchangeMs: ENDLESS_MS });
    await silence(SILENT, urgent);
    await until(() => (silent.received.length > 8 ? true : undefined));
    expect(await arrivalOf(endpoint, 'at once', urgent)).toMatchObject({ sequence: 1 });
    await silentRequestsAreLate(1);
    expect(await arrivalOf(endpoint, 'while they are known', urgent)).toMatchObject({ sequence: 1 });
  });

  it('do not delay a receiver of another owner that was slow once', async () => {
    const endpoint = await slowOnce('healthy');
    await silence(SILENT, false);
    await until(() => (silent.received.length > 20 ? true : undefined));
    expect(await arrivalOf(endpoint, 'slow once')).toMatchObject({ sequence: 1 });
  });
});

describe('A receiver that does not respond', () => {
  beforeEach(oneOfEach);

  it('counts as slow during the first timeout, and has two concurrent requests from then on', async () => {
    const endpoint = await trialEndpoint(pool, silent.url);
    const quick = await trialEndpoint(pool, healthy.url);
    await engine();
    await plan(pool, endpoint, 'first');
    await until(() => (silent.received.some(({ at }) => performance.now() - at > LATE) ? true : undefined));
    await pool.query(`select plan_delivery($1, 'more ' || n, 'more ' || n, n = 1) from generate_series(1, 100) n`, [
      endpoint,
    ]);
    await until(() => (silent.received.length === 2 ? true : undefined));
    for (let n = 0; n < 5; n++) await arrivalOf(quick, `meanwhile ${n}`);
    expect(silent.received).toHaveLength(2);
  });

  it('receives a withdrawal at once, although all its requests and the lanes of slow receivers are in use', async () => {
    const endpoint = await trialEndpoint(pool, silent.url);
    await engine({ maxLanes: { ...MAX_LANES, slow: 1 }, exchangeMs: ENDLESS_MS });
    await planLanes(endpoint, 'ordinary', 40);
    await silentRequestsAreLate(1);
    await plan(pool, endpoint, 'withdrawal', 'withdrawal', true);
    expect(await until(() => silent.received.find((each) => each.eventId === 'withdrawal'))).toBeDefined();
  });

  it('receives everything once it responds', async () => {
    let wait = 700;
    const late = await receiver(() => ({ status: 200, afterMs: wait }));
    const endpoint = await trialEndpoint(pool, late.url);
    await engine();
    await pool.query(`select plan_delivery($1, 'event ' || n, 'event ' || n, false) from generate_series(1, 60) n`, [
      endpoint,
    ]);
    await until(() => (late.received[0]?.respondedAt === undefined ? undefined : true));
    wait = 0;
    await until(() => (late.received.length === 60 ? true : undefined));
    expect(new Set(late.received.map(({ eventId }) => eventId)).size).toBe(60);
  });

  it('receives the rest of its lane in order, one at a time', async () => {
    const late = await receiver(() => ({ status: 503, afterMs: 700 }));
    const endpoint = await trialEndpoint(pool, late.url);
    for (const event of ['one', 'two', 'three']) await plan(pool, endpoint, event, 'lane');
    await engine();
    await until(() => (late.received[2]?.respondedAt === undefined ? undefined : true));
    expect(late.received.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(late.received.slice(1).every(({ at }, n) => at >= (late.received[n]?.respondedAt ?? 0))).toBe(true);
  });
});

describe('Limits of a process', () => {
  beforeEach(oneOfEach);

  it('are shared by owners when capacity is scarce: no owner waits for the shares of others', async () => {
    const once = await slowOnce('other', { ...MAX_LANES, slow: 16 });
    const quick = await trialEndpoint(pool, healthy.url, 'quick');
    const endpoints = await silence(10, false, 'silent', 1);
    await silentRequestsAreLate(10);
    for (const [n, endpoint] of endpoints.entries()) await planLanes(endpoint, `more ${n}`, 2);
    for (let n = 0; n < 3; n++) await arrivalOf(quick, `meanwhile ${n}`); // until then the engine has read the lanes
    expect(await arrivalOf(once, 'of another owner')).toMatchObject({ sequence: 1 });
  });

  it('on quick lanes are free again once the responses of other owners are late', async () => {
    const endpoint = await trialEndpoint(pool, healthy.url, 'healthy');
    for (const owner of ['one', 'two', 'three', 'four']) await silence(1, false, owner);
    await fanOutAll(pool);
    await engine({ maxLanes: { ...MAX_LANES, quick: 8 }, exchangeMs: ENDLESS_MS });
    await until(() => (silent.received.length >= 8 ? true : undefined));
    expect(await arrivalOf(endpoint, 'beside late ones')).toMatchObject({ sequence: 1 });
  });

  it('apply by owner: one owner may use a quarter while half is in use', () => {
    const limits = laneLimits({ ...MAX_LANES, slow: 64 });
    const leave = Array.from({ length: 32 }, () => limits.enter('slow', 'greedy'));
    const admitted = () => ['greedy', 'other'].map((owner) => limits.admits('slow', owner));
    expect([...admitted(), limits.admits('quick', 'greedy')]).toEqual([false, true, true]);
    leave[0]?.();
    expect(admitted()).toEqual([true, true]);
    for (let n = 0; n < 33; n++) limits.enter('slow', `owner ${n}`);
    expect(limits.admits('slow', 'late')).toBe(false);
  });
});
