import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import pino from 'pino';
import { Dispatcher } from '../../../subgraphs/delivery/dispatcher';
import { type Endpoints, endpointTable } from '../../../subgraphs/delivery/endpoints.repository';
import { type LaneLimits, laneLimits } from '../../../subgraphs/delivery/limits';
import { takeOver } from '../../../subgraphs/delivery/worker.repository';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import { fanOutAll, plan, trialDeliveries, trialEndpoint } from '../../support/trial-deliveries';
import { until } from '../../support/until';

let database: FreshDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await freshDatabase();
  ({ pool } = await trialDeliveries(database.url));
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const always = (id: string) => () => id;

/** Returns limits that admit no lane until `open` is called. */
function closedLimits(): LaneLimits & { open(): void } {
  let isOpen = false;
  return { admits: () => isOpen, enter: () => () => undefined, open: () => void (isOpen = true) };
}

/** Locks a row until the returned function is called. */
async function lockedRow(row: string, id: string): Promise<() => Promise<void>> {
  const session = await pool.connect();
  await session.query('begin');
  await session.query(`select from ${row} for no key update`, [id]);
  return async () => {
    await session.query('rollback');
    session.release();
  };
}

/** Returns a dispatcher whose attempts succeed without a request, and the events that it delivered. */
function dispatcherOver(
  endpoints: Endpoints,
  { workerId = always(randomUUID()), limits = laneLimits() }: { workerId?: () => string; limits?: LaneLimits } = {},
) {
  const delivered: string[] = [];
  const dispatcher = new Dispatcher({
    endpoints,
    workerId,
    limits,
    logger: pino({ level: 'silent' }),
    attempt: async ({ eventId }) => {
      await pool.query(
        "update delivery set state = 'delivered', ended_at = register.register_now() where event_id = $1",
        [eventId],
      );
      delivered.push(eventId);
      return true;
    },
  });
  return { id: workerId(), dispatcher, delivered };
}

describe('The lease of an endpoint', () => {
  it('runs its lanes although its next claim returns before its release does', async () => {
    const table = endpointTable(pool);
    const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9/');
    let claims = 0;
    let isReleasedOnce = false;
    const endpoints: Endpoints = {
      ...table,
      // The claim returns no leases that the dispatcher has not requested.
      async claim(worker, most) {
        const claimed = await table.claim(worker, most, [endpoint]);
        claims += claimed.length;
        return claimed;
      },
      async release(release) {
        const outcome = await table.release(release);
        if (!isReleasedOnce) {
          isReleasedOnce = true;
          await plan(pool, endpoint, 'second');
          await fanOutAll(pool);
          dispatcher.tick();
          await until(() => (claims === 2 ? true : undefined));
          await new Promise((resolve) => setImmediate(resolve)); // the dispatcher has processed the claim
        }
        return outcome;
      },
    };
    const { dispatcher, delivered } = dispatcherOver(endpoints);
    await plan(pool, endpoint, 'first');
    await fanOutAll(pool);
    dispatcher.tick();
    await until(() => {
      dispatcher.tick(); // the engine calls it every second
      return delivered.length === 2 ? true : undefined;
    });
    expect(delivered).toEqual(['first', 'second']);
    await dispatcher.stop();
  });

  it('runs its lanes although a read of the previous worker returns later', async () => {
    const table = endpointTable(pool);
    const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9/');
    const workers = [randomUUID(), randomUUID()];
    let reads = 0;
    const endpoints: Endpoints = {
      ...table,
      // The claim must not return leases that the dispatcher has lost.
      claim: (worker, max) => table.claim(worker, max, [endpoint]),
      async readPending(lease) {
        reads += 1;
        if (reads > 1) return table.readPending(lease);
        workers.shift(); // the session of the first worker is lost
        await pool.query('update delivery_endpoint set leased_by = null where id = $1', [lease.id]);
        await until(() => {
          dispatcher.tick();
          return reads > 1 ? true : undefined;
        });
        return table.readPending(lease);
      },
    };
    const { dispatcher, delivered } = dispatcherOver(endpoints, { workerId: () => workers[0] as string });
    await plan(pool, endpoint, 'before');
    await fanOutAll(pool);
    dispatcher.tick();
    await until(() => (delivered.length === 1 ? true : undefined));
    await plan(pool, endpoint, 'after');
    await fanOutAll(pool);
    await until(() => {
      dispatcher.tick();
      return delivered.length === 2 ? true : undefined;
    });
    expect(delivered).toEqual(['before', 'after']);
    await dispatcher.stop();
  });

  it.each(['is woken', 'is claimed again'])(
    'runs its lanes although the endpoint %s during a release because the limits admit none of them',
    async (event) => {
      const table = endpointTable(pool);
      const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9/');
      const names = Array.from({ length: 30 }, (_, n) => `${event} ${n}`);
      const limits = closedLimits();
      let releases = 0;
      let claims = 0;
      const endpoints: Endpoints = {
        ...table,
        async claim(...claim) {
          const claimed = await table.claim(...claim);
          claims += claimed.length;
          return claimed;
        },
        async release(release) {
          releases += 1;
          if (releases > 1) return table.release(release);
          if (event === 'is woken') await pool.query('select wake_endpoint($1)', [endpoint]);
          const released = await table.release(release);
          if (event === 'is woken') return released;
          await pool.query('select wake_endpoint($1)', [endpoint]);
          dispatcher.tick();
          await until(() => (claims === 2 ? true : undefined));
          await new Promise((resolve) => setImmediate(resolve)); // the dispatcher has processed the claim
          return released;
        },
      };
      const { dispatcher, delivered } = dispatcherOver(endpoints, { limits });
      for (const name of names) await plan(pool, endpoint, name, name);
      await fanOutAll(pool);
      const ticks = setInterval(() => dispatcher.tick(), 100);
      await until(() => (releases > 0 && (event === 'is woken' || claims > 1) ? true : undefined));
      limits.open();
      await until(() => (delivered.length === names.length ? true : undefined));
      clearInterval(ticks);
      expect(delivered.toSorted()).toEqual(names.toSorted());
      await dispatcher.stop();
    },
  );

  it('runs its lanes although the claim that acquired it returned no result', async () => {
    const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9/');
    const { id, dispatcher, delivered } = dispatcherOver(endpointTable(pool));
    await plan(pool, endpoint, 'third');
    await fanOutAll(pool);
    await pool.query('update delivery_endpoint set leased_by = $1 where id = $2', [id, endpoint]);
    dispatcher.tick();
    await until(() => (delivered.length === 1 ? true : undefined));
    expect(delivered).toEqual(['third']);
    await dispatcher.stop();
  });

  it('is retained if the endpoint was woken since its last read, whatever its deferral', async () => {
    const table = endpointTable(pool);
    const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9/');
    const lease = { worker: randomUUID(), id: endpoint };
    await plan(pool, endpoint, 'deferred');
    await fanOutAll(pool);
    expect(await table.claim(lease.worker, 1, [])).toEqual([endpoint]);
    const generation = (await table.readPending(lease))?.generation as string;
    await pool.query('select resume_deliveries($1)', [endpoint]);
    const deferral = { which: 'all', seconds: 600, isExternal: true } as const;
    expect(await table.release({ ...lease, generation, deferral })).toBe('retained');
    const now = (await table.readPending(lease))?.generation as string;
    expect(await table.release({ ...lease, generation: now, deferral })).toBe('released');
  });

  it('returns 128 lanes to a read, also if several deliveries of each are due', async () => {
    const table = endpointTable(pool);
    const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9/');
    const lease = { worker: randomUUID(), id: endpoint };
    for (let subject = 0; subject < 130; subject += 1)
      for (const event of ['first', 'second', 'third'])
        await plan(pool, endpoint, `${event} of ${subject}`, `subject ${subject}`);
    await fanOutAll(pool);
    await table.claim(lease.worker, 1, []);
    const deliveries = (await table.readPending(lease))?.deliveries ?? [];
    expect(new Set(deliveries.map(({ subject }) => subject)).size).toBe(128);
    const numbers = deliveries.map(({ sequence }) => sequence);
    expect(numbers).toEqual(Array.from({ length: 128 }, () => [1, 2, 3]).flat());
  });

  it.each([
    ['by its worker, which stops', (worker: string) => endpointTable(pool).releaseAll(worker)],
    ['by another process, once its worker has ended', () => takeOver(pool)],
  ])('is released %s, without a wait for endpoints that a fan-out has locked', async (_, release) => {
    const [worker, free, locked] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [free, locked])
      await pool.query('insert into delivery_endpoint (id, leased_by) values ($1, $2)', [id, worker]);
    const leased = async () =>
      (await pool.query('select id from delivery_endpoint where leased_by = $1', [worker])).rows.map(({ id }) => id);
    const unlock = await lockedRow('delivery_endpoint where id = $1', locked);
    await release(worker).finally(unlock);
    expect(await leased()).toEqual([locked]);
    await takeOver(pool);
    expect(await leased()).toEqual([]);
  });

  it('of a removed endpoint ends its deliveries, without a wait for those that a fan-out has locked', async () => {
    const table = endpointTable(pool);
    const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9/');
    const lease = { worker: randomUUID(), id: endpoint };
    for (const event of ['free', 'locked']) await plan(pool, endpoint, `${event} at the removal`, event);
    await fanOutAll(pool);
    await pool.query('select end_deliveries($1)', [endpoint]);
    await table.claim(lease.worker, 1_000, []);
    const pending = async () =>
      (
        await pool.query(`select subject from delivery where endpoint_id = $1 and state = 'pending'`, [endpoint])
      ).rows.map(({ subject }) => subject);
    const unlock = await lockedRow(`delivery where endpoint_id = $1 and subject = 'locked'`, endpoint);
    const read = await table.readPending(lease).finally(unlock);
    expect(await pending()).toEqual(['locked']);
    expect(await table.release({ ...lease, generation: read?.generation as string, deferral: undefined })).toBe(
      'released-due',
    );
    await table.claim(lease.worker, 1_000, []);
    await table.readPending(lease);
    expect(await pending()).toEqual([]);
  });

  it('is read and released for its own worker, also in one statement with the leases of another', async () => {
    const table = endpointTable(pool);
    const leases = [randomUUID(), randomUUID()].map((worker) => ({ worker, id: randomUUID() }));
    for (const { worker, id } of leases)
      await pool.query('insert into delivery_endpoint (id, leased_by) values ($1, $2)', [id, worker]);
    const reads = await Promise.all(leases.map((lease) => table.readPending(lease)));
    expect(reads.map((read) => read?.deliveries)).toEqual([[], []]);
    const releases = leases.map((lease, index) =>
      table.release({ ...lease, generation: reads[index]?.generation as string, deferral: undefined }),
    );
    expect(await Promise.all(releases)).toEqual(['released', 'released']);
  });
});

describe('The release of an endpoint with a deferral', () => {
  it('reads the next delivery that is not deferred, however many are due', async () => {
    const endpoint = await trialEndpoint(pool, 'http://127.0.0.1:9/');
    const endpoints = endpointTable(pool);
    const [worker, due] = [randomUUID(), 20_000];
    await plan(pool, endpoint, 'first');
    await fanOutAll(pool);
    await pool.query(
      `insert into delivery (endpoint_id, event_id, subject, sequence, urgent, state, next_attempt_at)
       select $1, 'due ' || n, 'due ' || n, 1, n % 2 = 0, 'pending', register_now() from generate_series(1, ${due}) n`,
      [endpoint],
    );
    await endpoints.claim(worker, 1_000, []);
    const { generation = '' } = (await endpoints.readPending({ worker, id: endpoint })) ?? {};
    const statements = jest.spyOn(pool, 'query');
    const deferral = { which: 'all', seconds: 600, isExternal: true } as const;
    await endpoints.release({ worker, id: endpoint, generation: `-${generation}`, deferral });
    const [{ text, values }] = statements.mock.calls[0] as unknown as [{ text: string; values: unknown[][] }];
    statements.mockRestore();
    const explained = text.replace(/^/, 'explain (analyze, format json) ');
    const { rows } = await pool.query(explained, [values[0], values[1], [generation], ...values.slice(3)]);
    expect(mostRows(rows[0]['QUERY PLAN'][0].Plan)).toBeLessThan(100);
    await pool.query('delete from delivery where endpoint_id = $1', [endpoint]);
  });

  interface PlanNode {
    readonly 'Actual Rows': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly PlanNode[];
  }
  /** Returns the most rows that a node of a plan has read. */
  const mostRows = (node: PlanNode): number =>
    Math.max(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), ...(node.Plans ?? []).map(mostRows));
});
