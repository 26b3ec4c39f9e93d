import type { Pool } from 'pg';
import type { Deliveries } from '../../subgraphs/delivery/engine';
import { type HookAnswer, type HookReceiver, type Received, hookReceiver } from '../support/hook-receiver';
import { type FreshDatabase, freshDatabase } from '../support/postgres';
import { SIX_SENDS, moveClock, plan, trialDeliveries, trialEndpoint, trialEngine } from '../support/trial-deliveries';
import { until } from '../support/until';

let database: FreshDatabase;
let pool: Pool;
let engine: Deliveries;
let receiver: HookReceiver;
let endpoint: string;
let answer: (received: Received) => HookAnswer;

beforeAll(async () => {
  database = await freshDatabase();
  const trial = await trialDeliveries(database.url);
  pool = trial.pool;
  receiver = await hookReceiver((received) =>
    received.eventId.startsWith('probe') ? { status: 200 } : answer(received),
  );
  endpoint = await trialEndpoint(pool, receiver.url);
  engine = await trialEngine(trial);
});
afterAll(async () => {
  await engine?.stop();
  await receiver?.close();
  await pool?.end();
  await database?.drop();
});

const sends = (event: string): number => receiver.received.filter(({ eventId }) => eventId === event).length;
const noted = async (event: string): Promise<number> =>
  (await pool.query('select from delivery_attempt where event_id = $1', [event])).rowCount ?? 0;

/** The result of this attempt was kept. */
const isKept = (event: string, number: number) =>
  until(async () => ((await noted(event)) === number ? true : undefined));

/** Seconds from the last attempt at an event to the next, as planned. */
async function secondsToNext(event: string): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select extract(epoch from next_attempt_at - (select max(at) from delivery_attempt where event_id = $1))::float8 as seconds
     from delivery where event_id = $1`,
    [event],
  );
  return Math.floor(rows[0]?.seconds ?? Number.NaN);
}

/** Moves the clock to so many seconds after what is planned for an event. */
async function clockToNext(event: string, after: number): Promise<void> {
  const { rows } = await pool.query<{ seconds: number }>(
    'select extract(epoch from next_attempt_at - now())::float8 as seconds from delivery where event_id = $1',
    [event],
  );
  await moveClock(pool, Math.ceil((rows[0]?.seconds ?? Number.NaN) + after));
}

let probes = 0;

/** The slot of an event has been looked at since: another of its deliveries was made. */
async function slotIsLookedAt(event: string): Promise<void> {
  const probe = `probe ${(probes += 1)}`;
  await pool.query(
    `select plan_delivery($1, $2, subject, false) from (
       select $2 || ' ' || n as subject from generate_series(1, 1000) n
       where abs(hashtextextended($2 || ' ' || n, 0) % 8) = (select slot from delivery where event_id = $3) limit 1) of_slot`,
    [endpoint, probe, event],
  );
  await until(() => (sends(probe) === 1 ? true : undefined));
  await isKept(probe, 1);
}

describe('A delivery that is refused', () => {
  it('is sent at every slot of the schedule, never before, and then given up with one alert', async () => {
    answer = () => ({ status: 500 });
    await plan(pool, endpoint, 'refused');
    for (const [number, delay] of SIX_SENDS.delays.entries()) {
      await isKept('refused', number + 1);
      expect(await secondsToNext('refused')).toBe(delay);
      await clockToNext('refused', -30);
      await slotIsLookedAt('refused');
      expect(sends('refused')).toBe(number + 1);
      await clockToNext('refused', 1);
    }
    await isKept('refused', 6);
    const { rows } = await pool.query(`select state, attempt from delivery where event_id = 'refused'`);
    expect(rows).toEqual([{ state: 'undelivered', attempt: 6 }]);
    await clockToNext('refused', 3 * 86_400);
    await slotIsLookedAt('refused');
    expect(sends('refused')).toBe(6);
    expect((await pool.query('select from alert where endpoint_id = $1', [endpoint])).rowCount).toBe(1);
  });

  it('is never sent again after it succeeded', async () => {
    answer = () => ({ status: sends('second time') === 1 ? 503 : 204 });
    await plan(pool, endpoint, 'second time');
    await isKept('second time', 1);
    await clockToNext('second time', 1);
    await isKept('second time', 2);
    await clockToNext('second time', 3 * 86_400);
    await slotIsLookedAt('second time');
    const { rows } = await pool.query(`select state, attempt from delivery where event_id = 'second time'`);
    expect([rows, sends('second time')]).toEqual([[{ state: 'delivered', attempt: 2 }], 2]);
  });

  it('waits as long as Retry-After asks, when that is longer', async () => {
    answer = () => ({ status: 429, headers: { 'retry-after': '90' } });
    await plan(pool, endpoint, 'busy');
    await isKept('busy', 1);
    expect(await secondsToNext('busy')).toBe(90);
  });

  it('is tried on the way to a later one of its lane, which does not count', async () => {
    answer = ({ eventId }) => ({ status: eventId === 'earlier' ? 500 : 200 });
    await plan(pool, endpoint, 'earlier', 'lane');
    await isKept('earlier', 1);
    const before = await pool.query(`select attempt, next_attempt_at from delivery where event_id = 'earlier'`);
    await plan(pool, endpoint, 'later', 'lane');
    await isKept('later', 1);
    expect(receiver.received.slice(-3).map(({ eventId }) => eventId)).toEqual(['earlier', 'earlier', 'later']);
    const after = await pool.query(`select attempt, next_attempt_at from delivery where event_id = 'earlier'`);
    expect(after.rows).toEqual(before.rows);
  });

  it('has each attempt in its log, with status, time and kind of failure', async () => {
    const { rows } = await pool.query(
      `select number, status, error, duration_ms >= 0 as "tookTime" from delivery_attempt where event_id = 'second time' order by number`,
    );
    expect(rows).toEqual([
      { number: 1, status: 503, error: 'refused-status', tookTime: true },
      { number: 2, status: 204, error: null, tookTime: true },
    ]);
  });
});
