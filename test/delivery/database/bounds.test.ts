import { once } from 'node:events';
import { Client, type Pool } from 'pg';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { type HookReceiver, hookReceiver } from '../../support/hook-receiver';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import { fanOutAll, plan, trialDeliveries, trialEndpoint, trialEngine } from '../../support/trial-deliveries';
import { until } from '../../support/until';

let database: FreshDatabase;
let trial: Awaited<ReturnType<typeof trialDeliveries>>;
let pool: Pool;
let owner: Client;
let engine: Deliveries | undefined;
let receiver: HookReceiver | undefined;

beforeAll(async () => {
  database = await freshDatabase();
  trial = await trialDeliveries(database.url);
  pool = trial.pool;
  owner = new Client({ connectionString: database.url, options: '-c search_path=trial,register' });
  await owner.connect();
});
afterEach(async () => {
  await engine?.stop();
  await receiver?.close();
  engine = receiver = undefined;
  for (const table of ['endpoint', 'delivery', 'delivery_endpoint']) await owner.query(`delete from ${table}`);
});
afterAll(async () => {
  await owner?.end();
  await pool?.end();
  await database?.drop();
});

const isDelivered = async (events: readonly string[]) => {
  const text = `select from delivery where event_id = any($1) and state = 'delivered'`;
  return (await pool.query(text, [events])).rowCount === events.length ? true : undefined;
};

describe('The attempts of a delivery', () => {
  const ago = (minutes: number, error: string | null) => ({
    at: new Date(Date.now() - minutes * 60_000).toISOString(),
    status: error === null ? 200 : 500,
    durationMs: 7,
    error,
  });

  it('that are stored are the last 100 and the last successful one before them', async () => {
    receiver = await hookReceiver(() => ({ status: 500 }));
    const endpoint = await trialEndpoint(pool, receiver.url);
    await plan(pool, endpoint, 'redelivered');
    await fanOutAll(pool);
    const [first, success, ...failures] = Array.from({ length: 152 }, (_, n) =>
      ago(200 - n, n < 2 ? null : 'refused-status'),
    );
    const earlier = [first, success, ...failures];
    await pool.query(`update delivery set attempts = $1, redelivered_at = register_now()`, [JSON.stringify(earlier)]);
    engine = await trialEngine(trial);
    const stored = await until(async () => {
      const { rows } = await pool.query<{ attempts: { at: string }[] }>(
        `select attempts from delivery where attempt = 1`,
      );
      return rows[0]?.attempts;
    });
    expect(stored.slice(0, -1)).toEqual([success, ...failures.slice(-99)]);
    expect(stored.at(-1)).toMatchObject({ status: 500, error: 'refused-status' });
  });
});

describe('A result that the database does not accept', () => {
  it('does not hold up the results that arrive with it', async () => {
    await owner.query(`
      create function reject_poison() returns trigger language plpgsql as $$
        begin if new.event_id = 'poison' then raise 'poison'; end if; return new; end $$;
      create trigger reject_poison before update of attempts on delivery for each row execute function reject_poison()`);
    const innocent = Array.from({ length: 20 }, (_, n) => `innocent ${n}`);
    const events = [...innocent.slice(10), 'poison', ...innocent.slice(0, 10)];
    const all = new AbortController();
    const allReceived = once(all.signal, 'abort');
    receiver = await hookReceiver(async () => {
      if (receiver?.received.length === events.length) all.abort();
      await allReceived;
      return { status: 200 };
    });
    for (const event of events) await plan(pool, await trialEndpoint(pool, receiver.url), event);
    engine = await trialEngine(trial);
    await until(() => isDelivered(innocent));
    await owner.query('drop trigger reject_poison on delivery');
    await until(() => isDelivered(['poison']));
    expect(receiver.received).toHaveLength(events.length);
  });
});
