import type { Pool } from 'pg';
import type { Deliveries } from '../../subgraphs/delivery/engine';
import { outsidePlaces } from '../../subgraphs/delivery/outside';
import { type HookReceiver, hookReceiver } from '../support/hook-receiver';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { plan, trialDeliveries, trialEndpoint, trialEngine } from '../support/trial-deliveries';
import { until } from '../support/until';

const SILENT = 12;
/** Milliseconds in which somebody else's delivery is made, also on a busy machine: an exchange with who is silent takes 10,000. */
const SOON = 2_000;

let database: FreshDatabase;
let trial: Awaited<ReturnType<typeof trialDeliveries>>;
let pool: Pool;
let engine: Deliveries | undefined;
let healthy: HookReceiver;
let silent: HookReceiver;

beforeEach(async () => {
  database = await freshDatabase();
  trial = await trialDeliveries(database.url);
  pool = trial.pool;
  healthy = await hookReceiver();
  silent = await hookReceiver(() => new Promise(() => undefined));
});
afterEach(async () => {
  await Promise.all([silent?.close(), healthy?.close()]);
  await engine?.stop();
  engine = undefined;
  await pool?.end();
  await database?.drop();
});

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
  const came = await until(() => healthy.received.find(({ eventId }) => eventId === event), 15_000);
  return came.at - began;
}

describe(`${SILENT} receivers of one owner that do not answer`, () => {
  it.each([
    ['ordinary', false],
    ['urgent', true],
  ])('delay what is %s to nobody else', async (_kind, urgent) => {
    const endpoint = await trialEndpoint(pool, healthy.url, 'healthy');
    engine = await trialEngine(trial);
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
    engine = await trialEngine(trial);
    await silence(SILENT, false);
    await until(() => (silent.received.length > 20 ? true : undefined));
    await pool.query('insert into delivery_slow_endpoint (endpoint_id) values ($1)', [endpoint]);
    expect(await timeOf(endpoint, 'slow once', false)).toBeLessThan(SOON);
  });
});

describe('A receiver that does not answer', () => {
  it('is known as slow while it is waited for, and gets two requests at once from then on', async () => {
    const endpoint = await trialEndpoint(pool, silent.url);
    const quick = await trialEndpoint(pool, healthy.url);
    engine = await trialEngine(trial);
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
    const late = await hookReceiver(() => ({ status: 200, afterMs: wait }));
    const endpoint = await trialEndpoint(pool, late.url);
    engine = await trialEngine(trial);
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
    await late.close();
  });

  it('has the rest of its lane tried in order, one at a time', async () => {
    const late = await hookReceiver(() => ({ status: 503, afterMs: 700 }));
    const endpoint = await trialEndpoint(pool, late.url);
    for (const event of ['one', 'two', 'three']) await plan(pool, endpoint, event, 'lane');
    engine = await trialEngine(trial);
    await until(() => (late.received[2]?.answeredAt === undefined ? undefined : true));
    expect(late.received.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(late.received.slice(1).every(({ at }, n) => at >= (late.received[n]?.answeredAt ?? 0))).toBe(true);
    await late.close();
  });
});

describe('Places for what lasts', () => {
  it('are shared by owners when they become few: nobody with a share waits for who has taken the others', async () => {
    const once = await trialEndpoint(pool, healthy.url, 'other');
    engine = await trialEngine(trial, { outside: 32, concurrency: 8 });
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
