import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { type HookReceiver, hookReceiver } from '../../support/hook-receiver';
import { type FreshDatabase, controlledPostgres, freshDatabase } from '../../support/postgres';
import { plan, trialDeliveries, trialEndpoint, trialEngine } from '../../support/trial-deliveries';
import { until } from '../../support/until';

const IS_LONG = process.env['TEST_LONG'] !== undefined;
const KILLS = IS_LONG ? 100 : 1;
/** Limit of the 99th percentile of the times from a kill to the last repeated request. */
const RESUMED_WITHIN_MS = 5_000;
const POSTGRES_KILLS = IS_LONG ? 30 : 2;
const EVENTS = 40;

let database: FreshDatabase;
let trial: Awaited<ReturnType<typeof trialDeliveries>>;
let survivor: Deliveries | undefined;
let receiver: HookReceiver;

/** If true, requests get no response. */
let silent = false;

beforeAll(async () => {
  database = await freshDatabase();
  trial = await trialDeliveries(database.url);
  receiver = await hookReceiver(() => (silent ? new Promise(() => undefined) : { status: 200 }));
});
afterAll(async () => {
  await survivor?.stop();
  await receiver?.close();
  await trial?.pool.end();
  await database?.drop();
});

async function engineProcess(): Promise<ChildProcess> {
  const script = join(REPOSITORY_ROOT, 'test/support/delivery-process.ts');
  const register = join(REPOSITORY_ROOT, 'test/support/swc-register.js');
  const child = spawn(process.execPath, ['-r', register, script, database.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (text: Buffer) => (printed += text.toString()));
  await until(() => (printed.includes('ready') ? true : undefined));
  return child;
}

/** Sends more notifications than the connection of a process that reads none holds. */
async function fillConnections(pool: Pool): Promise<void> {
  await pool.query(`select pg_notify('trial_deliveries', n || repeat('-', 7900)) from generate_series(1, 3000) n`);
}

describe('Deliveries of a process that is killed', () => {
  it('are sent by another process within five seconds, and only those in progress are sent twice', async () => {
    const { pool } = trial;
    const times: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const endpoint = await trialEndpoint(pool, `${receiver.url}/${kill}`);
      const doomed = await engineProcess();
      const received = () => receiver.received.filter(({ path }) => path === `/${kill}`);
      silent = true;
      for (let n = 0; n < EVENTS; n++) await plan(pool, endpoint, `${kill} event ${n}`);
      await until(() => (received().length === 8 ? true : undefined));
      survivor = await trialEngine(trial);
      silent = false;
      const underWay = received().map(({ eventId }) => eventId);
      doomed.kill('SIGKILL');
      await once(doomed, 'exit');
      const killedAt = performance.now();
      await until(async () => {
        const { rowCount } = await pool.query(
          `select event_id from delivery where state = 'pending' union all select event_id from fanout`,
        );
        return rowCount === 0 ? true : undefined;
      });
      const after = received().slice(underWay.length);
      const again = after.filter(({ eventId }) => underWay.includes(eventId));
      expect(again.map(({ eventId }) => eventId).toSorted()).toEqual(underWay.toSorted());
      times.push(Math.max(...again.map(({ at }) => at)) - killedAt);
      expect(after).toHaveLength(EVENTS);
      await survivor.stop();
      survivor = undefined;
    }
    const p99 = times.toSorted((one, other) => one - other)[Math.ceil(KILLS * 0.99) - 1];
    if (IS_LONG) process.stdout.write(`resumed after ${Math.round(p99 as number)} ms in 99 of ${KILLS} kills\n`);
    expect(p99).toBeLessThan(RESUMED_WITHIN_MS);
  }, 1_200_000);
});

describe('Deliveries of a process that is paused', () => {
  it('are sent by another process, and not again by either one when it continues', async () => {
    const { pool } = trial;
    const endpoint = await trialEndpoint(pool, `${receiver.url}/stopped`);
    const stopped = await engineProcess();
    const received = () => receiver.received.filter(({ path }) => path === '/stopped');
    silent = true;
    for (let n = 0; n < EVENTS; n++) await plan(pool, endpoint, `stopped ${n}`);
    await until(() => (received().length === 8 ? true : undefined));
    stopped.kill('SIGSTOP');
    await fillConnections(pool);
    silent = false;
    survivor = await trialEngine(trial);
    const isMade = async () => {
      const { rowCount } = await pool.query(`select from delivery where state = 'pending'`);
      return rowCount === 0 ? true : undefined;
    };
    await until(isMade);
    expect(received()).toHaveLength(EVENTS + 8);
    stopped.kill('SIGCONT');
    await survivor.stop();
    survivor = undefined;
    await plan(pool, endpoint, 'after');
    await until(() => (received().some(({ eventId }) => eventId === 'after') ? true : undefined));
    await until(isMade);
    expect(received()).toHaveLength(EVENTS + 9);
    stopped.kill('SIGKILL');
    await once(stopped, 'exit');
  });
});

describe('A process that is paused', () => {
  it('does not hold back vacuum: PostgreSQL ends the session that waits to send notifications to it', async () => {
    const { pool } = trial;
    const stopped = await engineProcess();
    stopped.kill('SIGSTOP');
    try {
      await fillConnections(pool);
      const blocked = async () => {
        const text = `select from pg_stat_activity where datname = current_database() and wait_event = 'ClientWrite' and backend_xmin is not null`;
        return (await pool.query(text)).rowCount;
      };
      await until(async () => (await blocked()) || undefined);
      expect(await until(async () => (await blocked()) === 0 || undefined)).toBe(true);
    } finally {
      stopped.kill('SIGKILL');
      await once(stopped, 'exit');
    }
  });
});

describe('Deliveries in progress when PostgreSQL is killed', () => {
  it('are all sent in the end, and no more of them twice than were in progress', async () => {
    const [kills, endpoints, each] = [POSTGRES_KILLS, 3, IS_LONG ? 500 : 150];
    const postgres = await controlledPostgres();
    const { address, pool } = await trialDeliveries((await freshDatabase(postgres)).url);
    const hooks = await hookReceiver(() => ({ status: 200, afterMs: 5 }));
    const engine = await trialEngine({ address, pool });
    try {
      for (let n = 0; n < endpoints; n++) {
        const endpoint = await trialEndpoint(pool, hooks.url);
        const text = `select plan_delivery($1, $2 || '.' || n, 'subject ' || n / 3, n % 10 = 0) from generate_series(1, $3::int) n`;
        await pool.query(text, [endpoint, String(n), each]);
      }
      for (let kill = 1; kill <= kills; kill++) {
        await until(() => (hooks.received.length > (kill * endpoints * each) / (kills + 1) ? true : undefined));
        await postgres.kill();
        await postgres.start();
      }
      await until(async () => {
        const pending = pool.query(
          `select event_id from delivery where state = 'pending' union all select event_id from fanout`,
        );
        return (await pending.catch(() => undefined))?.rowCount === 0 ? true : undefined;
      });
      const events = new Set(hooks.received.map(({ eventId }) => eventId));
      expect(events.size).toBe(endpoints * each);
      expect(hooks.received.length - events.size).toBeLessThanOrEqual(kills * endpoints * 8);
    } finally {
      await engine.stop();
      await hooks.close();
      await pool.end();
      await postgres.remove();
    }
  }, 300_000);
});
