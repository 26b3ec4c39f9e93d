import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Client, type Pool } from 'pg';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { endpointTable } from '../../../subgraphs/delivery/endpoints.repository';
import { MAX_DELIVERIES_PER_LANE } from '../../../subgraphs/delivery/endpoints.sql';
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

describe('An endpoint whose deliveries cannot be read', () => {
  /** Adds ended deliveries: PostgreSQL reads a table of two rows as a whole, also the row of the other endpoint. */
  async function fillTable(): Promise<void> {
    const ended = await trialEndpoint(pool, 'http://127.0.0.1:9/');
    await pool.query(`select plan_delivery($1, 'ended ' || n, 'ended ' || n, false) from generate_series(1, 2000) n`, [
      ended,
    ]);
    await fanOutAll(pool);
    await owner.query(`update delivery set state = 'delivered', ended_at = register_now()`);
    await owner.query('vacuum analyze delivery');
  }

  it('does not hold up the endpoints that are read with it', async () => {
    receiver = await hookReceiver();
    const endpoints = [await trialEndpoint(pool, receiver.url), await trialEndpoint(pool, receiver.url)];
    await fillTable();
    for (const [n, endpoint] of endpoints.entries()) await plan(pool, endpoint, `event ${n}`);
    await fanOutAll(pool);
    await owner.query(`
      create function is_readable(event text, state text) returns boolean language plpgsql as $$
        begin if event = 'event 0' and state = 'pending' then raise 'unreadable'; end if; return true; end $$;
      create policy readable on delivery using (is_readable(event_id, state));
      alter table delivery enable row level security`);
    engine = await trialEngine(trial);
    await until(async () => {
      const { rowCount } = await owner.query(`select from delivery where event_id = 'event 1' and state = 'delivered'`);
      return rowCount === 1 ? true : undefined;
    });
    await owner.query('alter table delivery disable row level security');
    await until(() => isDelivered(['event 0']));
    expect(receiver.received.map(({ eventId }) => eventId)).toEqual(['event 1', 'event 0']);
  });
});

describe('A lane with more deliveries than one read returns', () => {
  const events = Array.from({ length: 2 * MAX_DELIVERIES_PER_LANE + 3 }, (_, n) => `event ${n}`);

  const backlog = async (url: string): Promise<string> => {
    const endpoint = await trialEndpoint(pool, url);
    for (const event of events) await plan(pool, endpoint, event, 'backlog');
    await fanOutAll(pool);
    return endpoint;
  };

  it('is read in parts', async () => {
    const lease = { worker: randomUUID(), id: await backlog('http://127.0.0.1:9/') };
    const table = endpointTable(pool);
    await table.claim(lease.worker, 1, []);
    const { deliveries = [] } = (await table.readPending(lease)) ?? {};
    const second = await table.readRest(lease.worker, deliveries);
    const third = await table.readRest(lease.worker, second);
    const read = [deliveries, second, third].map((part) => part.map(({ eventId }) => eventId));
    expect(read.map(({ length }) => length)).toEqual([MAX_DELIVERIES_PER_LANE, MAX_DELIVERIES_PER_LANE, 3]);
    expect(read.flat()).toEqual(events);
    expect(await table.readRest(lease.worker, third)).toEqual([]);
    expect(await table.readRest(randomUUID(), deliveries)).toEqual([]);
  });

  it('is sent in its order', async () => {
    receiver = await hookReceiver();
    await backlog(receiver.url);
    engine = await trialEngine(trial);
    await until(() => isDelivered(events));
    expect(receiver.received.map(({ eventId }) => eventId)).toEqual(events);
  });

  it('is tried again from its first delivery up to the last one that is due, also if only that one is due', async () => {
    const due = events.length - 2;
    receiver = await hookReceiver(({ sequence }) => ({ status: sequence === due + 1 ? 200 : 500 }));
    await backlog(receiver.url);
    const defer = `update delivery set attempt = 1, next_attempt_at = register_now() + interval '1 hour' where event_id <> $1`;
    await pool.query(defer, [events[due]]);
    engine = await trialEngine(trial);
    await until(() => isDelivered(events.slice(due, due + 1)));
    expect(receiver.received.map(({ eventId }) => eventId)).toEqual(events.slice(0, due + 1));
    const { rows } = await pool.query(`select distinct attempt from delivery where state = 'pending'`);
    expect(rows).toEqual([{ attempt: 1 }]);
  });
});
