import type { Pool } from 'pg';
import { Registry } from 'prom-client';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { outsidePlaces } from '../../../subgraphs/delivery/outside';
import { inTransaction } from '../../../subgraphs/server/transaction';
import { type HookReceiver, hookReceiver } from '../../support/hook-receiver';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import {
  TRIAL_DELIVERY_JOBS,
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
  for (const table of [
    'endpoint',
    'delivery',
    'delivery_lane',
    'delivery_attempt',
    'delivery_slot',
    'delivery_slow_endpoint',
  ]) {
    await pool.query(`delete from ${table}`);
  }
  await pool.query(`delete from ${TRIAL_DELIVERY_JOBS}._private_jobs`);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

async function receiver(...answer: Parameters<typeof hookReceiver>): Promise<HookReceiver> {
  const started = await hookReceiver(...answer);
  receivers.push(started);
  return started;
}

async function engine(...more: [Parameters<typeof trialEngine>[1]?]): Promise<void> {
  engines.push(await trialEngine(trial, ...more));
}

interface Row {
  readonly state: string;
  readonly attempt: number;
  readonly held: number;
}

const stateOf = async (event: string): Promise<Row> =>
  (await pool.query<Row>('select state, attempt, held from delivery where event_id = $1', [event])).rows[0] as Row;
const becomes = (event: string, wanted: Partial<Row>): Promise<Row> =>
  until(async () => {
    const row = await stateOf(event);
    return Object.entries(wanted).every(([name, value]) => row[name as keyof Row] === value) ? row : undefined;
  });
const pending = async (): Promise<number> =>
  Number((await pool.query(`select count(*) from delivery where state = 'pending'`)).rows[0].count);

/** How many are delivered once none is pending. */
async function allMade(): Promise<number> {
  await until(async () => ((await pending()) === 0 ? true : undefined));
  const { rows } = await pool.query(`select count(*)::int as delivered from delivery where state = 'delivered'`);
  return rows[0].delivered;
}

describe('A delivery', () => {
  it('is made once its transaction is committed, never when it is rolled back', async () => {
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

  it('waits without an attempt that counts while its source says so, and goes out when it is told to resume', async () => {
    const { url, received } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    await pool.query('update endpoint set suspended = true');
    await engine();
    await plan(pool, endpoint, 'held');
    await becomes('held', { state: 'pending', held: 1, attempt: 0 });
    expect(received).toEqual([]);
    await pool.query('update endpoint set suspended = false');
    await pool.query('select resume_deliveries($1)', [endpoint]);
    await becomes('held', { state: 'delivered' });
    const attempts = await pool.query('select from delivery_attempt where event_id = $1', ['held']);
    expect(attempts.rowCount).toBe(1);
  });

  it('is dropped when its endpoint is gone, and nothing is sent', async () => {
    await engine();
    await plan(pool, '00000000-0000-4000-8000-000000000000', 'gone');
    await becomes('gone', { state: 'superseded' });
    expect((await pool.query('select from delivery_attempt')).rowCount).toBe(0);
  });

  it('that was superseded while its attempt succeeded is delivered; one that failed stays superseded', async () => {
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
    await until(async () => {
      const { rowCount } = await pool.query(`select from delivery_attempt where event_id = 'refused'`);
      return rowCount === 1 ? true : undefined;
    });
    expect(await stateOf('refused')).toMatchObject({ state: 'superseded', attempt: 0 });
  });

  it('is sent again on demand, and its source is told so', async () => {
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

  it('that cannot be assembled is put off, and holds back its lane only until its first attempt has failed', async () => {
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
    await becomes('broken', { held: 1 });
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

describe('Jobs are only wake-ups', () => {
  it('what is due goes out without any, as in a database that was restored', async () => {
    const { url } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    await Promise.all(Array.from({ length: 40 }, (_, n) => plan(pool, endpoint, `event ${n}`)));
    await pool.query(`delete from ${TRIAL_DELIVERY_JOBS}._private_jobs`);
    await engine();
    expect(await allMade()).toBe(40);
  });

  it('a transaction adds one for each slot, however many deliveries it plans', async () => {
    const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9');
    await pool.query(`select plan_delivery($1, 'event ' || n, 'subject ' || n, false) from generate_series(1, 500) n`, [
      endpoint,
    ]);
    await pool.query(`select plan_delivery($1, 'more ' || n, 'subject ' || n, false) from generate_series(1, 500) n`, [
      endpoint,
    ]);
    const { rows } = await pool.query(`select count(*)::int as jobs from ${TRIAL_DELIVERY_JOBS}._private_jobs`);
    expect(rows).toEqual([{ jobs: 8 }]);
  });

  it('transactions that plan for the same slots do not wait for each other, whatever their order', async () => {
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
    expect(await allMade()).toBe(60);
  });
});

describe('One endpoint', () => {
  it('never has more than eight requests under way, over all engines', async () => {
    let now = 0;
    let most = 0;
    const { url, received } = await receiver(async () => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => void setTimeout(resolve, 20));
      now -= 1;
      return { status: 200 };
    });
    const endpoint = await trialEndpoint(pool, url);
    await Promise.all([engine(), engine(), engine()]);
    await Promise.all(Array.from({ length: 200 }, (_, n) => plan(pool, endpoint, `event ${n}`)));
    await allMade();
    expect([received.length, most]).toEqual([200, 8]);
  });

  it('that does not answer delays no other', async () => {
    const silent = await receiver(() => new Promise(() => undefined));
    const { url } = await receiver();
    const [slow, quick] = [await trialEndpoint(pool, silent.url), await trialEndpoint(pool, url)];
    await engine({ concurrency: 10 });
    await Promise.all(Array.from({ length: 100 }, (_, n) => plan(pool, slow, `slow ${n}`)));
    await until(() => (silent.received.length >= 8 ? true : undefined));
    const began = performance.now();
    await Promise.all(Array.from({ length: 100 }, (_, n) => plan(pool, quick, `quick ${n}`)));
    await until(async () => ((await pending()) === 100 ? true : undefined));
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(silent.received).toHaveLength(8);
  });

  it('that is slow is left to workers of its own until it is quick again', async () => {
    let wait = 2_100;
    const { url } = await receiver(() => ({ status: 200, afterMs: wait }));
    const endpoint = await trialEndpoint(pool, url);
    await engine();
    await plan(pool, endpoint, 'first', 'one');
    const slow = async () => (await pool.query('select from delivery_slow_endpoint')).rowCount;
    await until(async () => ((await slow()) === 1 ? true : undefined));
    await plan(pool, endpoint, 'second', 'one');
    wait = 0;
    expect(await allMade()).toBe(2);
    await until(async () => ((await slow()) === 0 ? true : undefined));
  });
});

describe('What is urgent', () => {
  it('goes ahead of any backlog', async () => {
    const { url, received } = await receiver(() => ({ status: 200, afterMs: 5 }));
    const endpoint = await trialEndpoint(pool, url);
    await pool.query(
      `select plan_delivery($1, 'event ' || n, 'subject ' || n, false) from generate_series(1, 3000) n`,
      [endpoint],
    );
    await engine();
    await until(() => (received.length > 100 ? true : undefined));
    await plan(pool, endpoint, 'withdrawal', 'subject 2999', true);
    const before = received.length;
    await until(() => (received.some(({ eventId }) => eventId === 'withdrawal') ? true : undefined));
    const place = received.findIndex(({ eventId }) => eventId === 'withdrawal');
    expect(place - before).toBeLessThan(500);
    const lane = received.filter(({ eventId }) => ['event 2999', 'withdrawal'].includes(eventId));
    expect(lane.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
});

describe('The engine', () => {
  it('counts attempts by how they ended, the time to the first, and what is pending', async () => {
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

  it('goes on when the database dropped all its sessions', async () => {
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
    expect(await allMade()).toBe(1);
  });

  it('forgets what ended more than 90 days ago and nothing else, and the numbers of lanes go on', async () => {
    const { url, received } = await receiver();
    const endpoint = await trialEndpoint(pool, url);
    engines.push(await trialEngine(trial));
    await plan(pool, endpoint, 'old', 'one');
    await plan(pool, endpoint, 'trial', 'trial');
    await allMade();
    await moveClock(pool, 2 * 86_400);
    await plan(pool, endpoint, 'of 89 days ago', 'other');
    await allMade();
    await engines.pop()?.stop();
    await moveClock(pool, 91 * 86_400);
    await plan(pool, endpoint, 'new', 'one');
    await engine();
    await until(async () => ((await pool.query('select from delivery')).rowCount === 2 ? true : undefined));
    await becomes('new', { state: 'delivered' });
    expect(received.find(({ eventId }) => eventId === 'new')?.sequence).toBe(2);
    const left = await pool.query('select subject from delivery_lane order by subject');
    const attempts = await pool.query('select distinct event_id from delivery_attempt order by event_id');
    const kept = [{ event_id: 'new' }, { event_id: 'of 89 days ago' }];
    expect([left.rows, attempts.rows]).toEqual([[{ subject: 'one' }, { subject: 'other' }], kept]);
  });
});

/** Receivers of one owner that do not answer. */
const SILENT = 12;
/** Milliseconds in which another owner's delivery is made, also on a busy machine: an exchange with a silent one takes 10,000. */
const SOON = 2_000;

let healthy: HookReceiver;
let silent: HookReceiver;

async function oneOfEach(): Promise<void> {
  healthy = await receiver();
  silent = await receiver(() => new Promise(() => undefined));
}

/** Endpoints of one owner that take requests and never answer, with deliveries in all of their slots. */
async function silence(endpoints: number, urgent: boolean, owner = 'silent'): Promise<void> {
  for (let n = 0; n < endpoints; n++) {
    const endpoint = await trialEndpoint(pool, `${silent.url}/${owner}-${n}`, owner);
    const text = `select plan_delivery($1, $2 || ' ' || n, $2 || ' ' || n, $3) from generate_series(1, 40) n`;
    await pool.query(text, [endpoint, `${owner} ${n}`, urgent]);
  }
}

/** Milliseconds until a delivery is made that is planned now. */
async function timeOf(endpoint: string, event: string, urgent: boolean): Promise<number> {
  const began = performance.now();
  await plan(pool, endpoint, event, event, urgent);
  const came = await until(() => healthy.received.find(({ eventId }) => eventId === event));
  return came.at - began;
}

describe(`${SILENT} receivers of one owner that do not answer`, () => {
  beforeEach(oneOfEach);

  it.each([
    ['ordinary', false],
    ['urgent', true],
  ])('delay what is %s to nobody else', async (_kind, urgent) => {
    const endpoint = await trialEndpoint(pool, healthy.url, 'healthy');
    await engine();
    await silence(SILENT, urgent);
    await until(() => (silent.received.length > 8 ? true : undefined));
    expect(await timeOf(endpoint, 'at once', urgent)).toBeLessThan(SOON);
    await until(async () =>
      (await pool.query('select from delivery_slow_endpoint')).rowCount === SILENT ? true : undefined,
    );
    expect(await timeOf(endpoint, 'while they are known', urgent)).toBeLessThan(SOON);
  });

  it('delay nobody who was slow once', async () => {
    const endpoint = await trialEndpoint(pool, healthy.url, 'healthy');
    await engine();
    await silence(SILENT, false);
    await until(() => (silent.received.length > 20 ? true : undefined));
    await pool.query('insert into delivery_slow_endpoint (endpoint_id) values ($1)', [endpoint]);
    expect(await timeOf(endpoint, 'slow once', false)).toBeLessThan(SOON);
  });
});

describe('A receiver that does not answer', () => {
  beforeEach(oneOfEach);

  it('is known as slow while it is waited for, and gets two requests at once from then on', async () => {
    const endpoint = await trialEndpoint(pool, silent.url);
    const quick = await trialEndpoint(pool, healthy.url);
    await engine();
    await plan(pool, endpoint, 'first');
    const slow = async () => (await pool.query('select from delivery_slow_endpoint')).rowCount === 1;
    await until(async () => ((await slow()) ? true : undefined), 5_000);
    await pool.query(`select plan_delivery($1, 'more ' || n, 'more ' || n, n = 1) from generate_series(1, 100) n`, [
      endpoint,
    ]);
    await until(() => (silent.received.length === 2 ? true : undefined));
    await timeOf(quick, 'meanwhile', false);
    await until(async () => {
      const { rows } = await pool.query('select count(*)::int as n from trial_delivery_jobs._private_jobs');
      return rows[0].n === 0 ? true : undefined;
    });
    expect(silent.received).toHaveLength(2);
  });

  it('is tried in all of its slots once it answers', async () => {
    let wait = 700;
    const late = await receiver(() => ({ status: 200, afterMs: wait }));
    const endpoint = await trialEndpoint(pool, late.url);
    await engine();
    await pool.query(`select plan_delivery($1, 'event ' || n, 'event ' || n, false) from generate_series(1, 60) n`, [
      endpoint,
    ]);
    await until(async () =>
      (await pool.query('select from delivery_slow_endpoint')).rowCount === 1 ? true : undefined,
    );
    wait = 0;
    await until(() => (late.received.length === 60 ? true : undefined), 8_000);
    await until(async () =>
      (await pool.query('select from delivery_slow_endpoint')).rowCount === 0 ? true : undefined,
    );
    expect(new Set(late.received.map(({ eventId }) => eventId)).size).toBe(60);
  });

  it('has the rest of its lane tried in order, one at a time', async () => {
    const late = await receiver(() => ({ status: 503, afterMs: 700 }));
    const endpoint = await trialEndpoint(pool, late.url);
    for (const event of ['one', 'two', 'three']) await plan(pool, endpoint, event, 'lane');
    await engine();
    await until(() => (late.received[2]?.answeredAt === undefined ? undefined : true));
    expect(late.received.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(late.received.slice(1).every(({ at }, n) => at >= (late.received[n]?.answeredAt ?? 0))).toBe(true);
  });
});

describe('Places for what lasts', () => {
  beforeEach(oneOfEach);

  it('are shared by owners when they become few: nobody with a share waits for who has taken the others', async () => {
    const once = await trialEndpoint(pool, healthy.url, 'other');
    await engine({ outside: 32, concurrency: 8 });
    await silence(10, false);
    await until(() => (silent.received.length > 16 ? true : undefined));
    await pool.query('insert into delivery_slow_endpoint (endpoint_id) values ($1)', [once]);
    expect(await timeOf(once, 'of another owner', false)).toBeLessThan(SOON);
  });

  it('are counted by owner', () => {
    const outside = outsidePlaces(64);
    const leave = Array.from({ length: 32 }, () => outside.enter('greedy'));
    for (const owner of ['greedy', 'other']) outside.admits(owner, false, owner);
    const admitted = () =>
      ['greedy', 'other'].flatMap((owner) => [true, false].map((slow) => outside.admits(owner, slow)));
    expect(admitted()).toEqual([false, false, true, true]);
    leave[0]?.();
    expect(admitted()).toEqual([true, true, true, true]);
    for (let n = 0; n < 33; n++) outside.enter(`owner ${n}`);
    expect([outside.enter('late'), outside.admits('late', true), outside.admits('late', false)]).toEqual([
      undefined,
      false,
      true,
    ]);
  });
});
