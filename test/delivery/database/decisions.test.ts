import { Client, type Pool } from 'pg';
import { Registry } from 'prom-client';
import { WEBHOOK_SCHEDULE } from '../../../subgraphs/access/webhooks/webhook';
import { inTransaction } from '../../../subgraphs/server/database/transaction';
import type { DeliverySource } from '../../../subgraphs/delivery/delivery';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { type HeldHandshakes, heldHandshakes } from '../../support/held-handshakes';
import { type HookResponse, type HookReceiver, type Received, hookReceiver } from '../../support/hook-receiver';
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

const ROUNDS = process.env['TEST_LONG'] === undefined ? 40 : 400;

let database: FreshDatabase;
let trial: Awaited<ReturnType<typeof trialDeliveries>>;
let pool: Pool;
let engine: Deliveries | undefined;
let receiver: HookReceiver;
let endpoint: string;
let respond: (received: Received) => HookResponse | Promise<HookResponse>;

beforeAll(async () => {
  database = await freshDatabase();
  trial = await trialDeliveries(database.url);
  pool = trial.pool;
  receiver = await hookReceiver((received) => respond(received));
});
beforeEach(async () => {
  respond = () => ({ status: 200 });
  endpoint = await trialEndpoint(pool, receiver.url);
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  await moveClock(pool, 0);
  for (const table of ['fanout', 'delivery', 'delivery_endpoint', 'alert']) await pool.query(`delete from ${table}`);
});
afterAll(async () => {
  await receiver?.close();
  await pool?.end();
  await database?.drop();
});

interface Row {
  readonly state: string;
  readonly attempt: number;
  readonly faults: number;
  readonly seconds: number;
  readonly attempts: number;
}

const rowOf = async (event: string): Promise<Row | undefined> => {
  const { rows } = await pool.query<Row>(
    `select state, attempt, faults, round(extract(epoch from next_attempt_at - register_now()))::int as seconds,
       jsonb_array_length(attempts) as attempts
     from delivery where event_id = $1`,
    [event],
  );
  return rows[0];
};
const becomes = (event: string, wanted: Partial<Row>): Promise<Row> =>
  until(async () => {
    const row = await rowOf(event);
    return row && Object.entries(wanted).every(([name, value]) => row[name as keyof Row] === value) ? row : undefined;
  });
const isDeferred = async (): Promise<true | undefined> => {
  const text = 'select from delivery_endpoint where id = $1 and leased_by is null and put_off_at is not null';
  return (await pool.query(text, [endpoint])).rowCount === 1 ? true : undefined;
};
const sends = (event: string): number => receiver.received.filter(({ eventId }) => eventId === event).length;

/** Returns a gate that the test opens. */
function gate(): { readonly reached: Promise<void>; readonly open: () => void; pass(): Promise<void> } {
  let open = () => {};
  let reach = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  return { reached, open, pass: () => (reach(), opened) };
}

/** Returns the trial's source, whose first result waits at a gate. */
function gated(entry: ReturnType<typeof gate>): DeliverySource {
  const sound = trialSource(pool);
  let isFirst = true;
  return {
    ...sound,
    async assemble(delivery) {
      const assembled = await sound.assemble(delivery);
      if (isFirst) {
        isFirst = false;
        await entry.pass();
      }
      return assembled;
    },
  };
}

const resume = (session: Pick<Pool, 'query'>) => async () => {
  await session.query('update endpoint set suspended = false where id = $1', [endpoint]);
  await session.query('select resume_deliveries($1)', [endpoint]);
};

describe('A delivery whose endpoint is resumed', () => {
  it('is sent immediately, even if a worker has just read it as suspended', async () => {
    const entry = gate();
    await pool.query('update endpoint set suspended = true');
    engine = await trialEngine(trial, { source: gated(entry) });
    await plan(pool, endpoint, 'late');
    await entry.reached;
    await resume(pool)();
    entry.open();
    expect(await becomes('late', { state: 'delivered' })).toMatchObject({ attempts: 1 });
  });

  it('is not deferred again while the resumption is being committed', async () => {
    await pool.query('update endpoint set suspended = true');
    engine = await trialEngine(trial);
    await plan(pool, endpoint, 'between');
    await until(() => isDeferred());
    await inTransaction(pool, async (session) => {
      await resume(session)();
      await plan(pool, endpoint, 'meanwhile');
      await until(async () => {
        const { rowCount } = await pool.query(
          `select from pg_stat_activity where datname = current_database() and query like '%fan_out%'
           and cardinality(pg_blocking_pids(pid)) > 0`,
        );
        return rowCount === 0 ? undefined : true;
      });
    });
    for (const event of ['between', 'meanwhile'])
      expect(await becomes(event, { state: 'delivered' })).toMatchObject({ attempts: 1 });
  });

  it(`is sent in each of ${ROUNDS} rounds of concurrent suspension, event and resumption`, async () => {
    engine = await trialEngine(trial);
    for (let round = 0; round < ROUNDS; round++) {
      await pool.query('update endpoint set suspended = true where id = $1', [endpoint]);
      const planned = inTransaction(pool, async (session) => {
        for (let n = 0; n < 10; n++) await plan(session, endpoint, `round ${round}.${n}`);
      });
      await Promise.all([planned, pool.query('select pg_sleep($1)', [(round % 10) / 500])]);
      await inTransaction(pool, (session) => resume(session)());
    }
    await until(async () => {
      const { rowCount } = await pool.query(
        `select event_id from delivery where state = 'pending' union all select event_id from fanout`,
      );
      return rowCount === 0 ? true : undefined;
    });
    expect((await pool.query(`select from delivery where state = 'delivered'`)).rowCount).toBe(10 * ROUNDS);
  });

  it('is planned, resumed, requested again and claimed concurrently with others without a deadlock', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => trialEndpoint(pool, receiver.url)));
    const all = [endpoint, ...others].toSorted();
    engine = await trialEngine(trial);
    for (let round = 0; round < 20; round++) {
      const resumeAll = inTransaction(pool, async (session) => {
        for (const each of all) await session.query('select resume_deliveries($1)', [each]);
      });
      const plans = others.map((each) => plan(pool, each, `${round} at ${each}`));
      const again = others.map((each) => pool.query('select redeliver($1, $2)', [each, `${round - 1} at ${each}`]));
      await Promise.all([resumeAll, ...plans, ...again]);
    }
    await until(async () => {
      const { rowCount } = await pool.query(
        `select event_id from delivery where state = 'pending' union all select event_id from fanout`,
      );
      return rowCount === 0 ? true : undefined;
    });
    expect((await pool.query(`select from delivery where state = 'delivered'`)).rowCount).toBe(100);
  });
});

describe('An endpoint that is ended', () => {
  it('ends all its pending deliveries, however late they are due, and sends nothing', async () => {
    await pool.query('update endpoint set suspended = true where id = $1', [endpoint]);
    for (let n = 0; n < 20; n++) await plan(pool, endpoint, `unwanted ${n}`);
    await fanOutAll(pool);
    await pool.query(`update delivery set next_attempt_at = register_now() + interval '1 day' where sequence = 1`);
    engine = await trialEngine(trial);
    await pool.query('select end_deliveries($1)', [endpoint]);
    await until(async () => {
      const { rowCount } = await pool.query(`select from delivery where state = 'superseded'`);
      return rowCount === 20 ? true : undefined;
    });
    expect(receiver.received.some(({ eventId }) => eventId.startsWith('unwanted'))).toBe(false);
  });
});

describe('An urgent delivery', () => {
  it('is sent after the earlier one of its lane, although ordinary deliveries of its endpoint are deferred', async () => {
    const sound = trialSource(pool);
    const assembled: string[] = [];
    const source: DeliverySource = {
      ...sound,
      async assemble(delivery) {
        assembled.push(delivery.eventId);
        return delivery.eventId === 'ordinary' ? { kind: 'suspended' } : sound.assemble(delivery);
      },
    };
    let respondFirst: (response: HookResponse) => void = () => undefined;
    respond = ({ eventId }) =>
      eventId === 'first' ? new Promise((resolve) => void (respondFirst = resolve)) : { status: 200 };
    engine = await trialEngine(trial, { source });
    await plan(pool, endpoint, 'first', 'record', true);
    await until(() => (sends('first') === 1 ? true : undefined));
    await plan(pool, endpoint, 'second', 'record', true);
    await plan(pool, endpoint, 'ordinary');
    await until(() => (assembled.includes('ordinary') ? true : undefined));
    respondFirst({ status: 200 });
    await becomes('second', { state: 'delivered' });
    expect(await rowOf('ordinary')).toMatchObject({ state: 'pending', attempts: 0 });
  });
});

describe('A delivery during whose TLS handshake', () => {
  let handshakes: HeldHandshakes;
  let metrics: Registry;
  beforeEach(async () => {
    metrics = new Registry();
    handshakes = await heldHandshakes(Number(new URL(receiver.url).port));
  });
  afterEach(() => handshakes.close());

  /** Plans a delivery; changes its endpoint while the handshake of the connection waits. */
  const changedDuringHandshake = async (event: string, change: string, ...values: string[]) => {
    await pool.query('update endpoint set url = $2 where id = $1', [endpoint, `${handshakes.url}/slow`]);
    engine = await trialEngine(trial, { metrics });
    await plan(pool, endpoint, event);
    await handshakes.isReached();
    await pool.query(`update endpoint set ${change} where id = $1`, [endpoint, ...values]);
    handshakes.release();
  };

  /** Returns the number of first attempts in the metrics. */
  const firstAttempts = async () =>
    Number(/^delivery_first_attempt_seconds_count (\d+)$/m.exec(await metrics.metrics())?.[1]);

  it('the endpoint is suspended is not sent and counts no attempt', async () => {
    await changedDuringHandshake('suspended', 'suspended = true');
    await until(() => isDeferred());
    expect(await rowOf('suspended')).toMatchObject({ state: 'pending', attempt: 0, attempts: 0 });
    expect(sends('suspended')).toBe(0);
    expect(await firstAttempts()).toBe(0);
  });

  it('the endpoint receives another URL is sent to that URL only', async () => {
    await changedDuringHandshake('moved', 'url = $2', `${receiver.url}/new`);
    expect(await becomes('moved', { state: 'delivered' })).toMatchObject({ attempts: 1 });
    expect(receiver.received.filter(({ eventId }) => eventId === 'moved').map(({ path }) => path)).toEqual(['/new']);
    expect(await firstAttempts()).toBe(1);
  });

  it('nothing changes is sent once', async () => {
    await changedDuringHandshake('unchanged', 'suspended = false');
    expect(await becomes('unchanged', { state: 'delivered' })).toMatchObject({ attempts: 1 });
    expect(sends('unchanged')).toBe(1);
  });
});

describe('A delivery that cannot be assembled', () => {
  const failing = (fault: () => Error): DeliverySource => {
    const sound = trialSource(pool);
    return {
      ...sound,
      assemble: async (delivery) => {
        if (delivery.eventId === 'broken') throw fault();
        return sound.assemble(delivery);
      },
    };
  };

  it('because the database is unavailable waits without counting an attempt', async () => {
    let isDatabaseUnavailable = false;
    let calls = 0;
    const away = () => Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    const sound = trialSource(pool);
    const source: DeliverySource = {
      ...sound,
      assemble: (delivery) => {
        calls += 1;
        return isDatabaseUnavailable ? Promise.reject(away()) : sound.assemble(delivery);
      },
    };
    respond = () => ({ status: 503 });
    engine = await trialEngine(trial, { source });
    await plan(pool, endpoint, 'patient');
    await becomes('patient', { attempt: 1 });
    isDatabaseUnavailable = true;
    for (let polls = 1; polls <= 12; polls++) {
      await pool.query(`update delivery set next_attempt_at = register_now() where event_id = 'patient'`);
      const assembled = calls;
      await pool.query('select wake_endpoint($1)', [endpoint]);
      await until(() => (calls > assembled ? true : undefined));
    }
    expect(await rowOf('patient')).toMatchObject({ state: 'pending', attempt: 1, faults: 0, attempts: 1 });
    expect(sends('patient')).toBe(1);
  });

  it('because of its own data is deferred and finally abandoned, with one alert and no attempt in the log', async () => {
    engine = await trialEngine(trial, { source: failing(() => new Error('no such key')) });
    await plan(pool, endpoint, 'broken');
    for (let faults = 1; faults <= 15; faults++) {
      await becomes('broken', { faults });
      await pool.query(`update delivery set next_attempt_at = register_now() where event_id = 'broken'`);
      await pool.query('select wake_endpoint($1)', [endpoint]);
    }
    expect(await becomes('broken', { state: 'undelivered' })).toMatchObject({ attempt: 0, faults: 16, attempts: 0 });
    expect((await pool.query('select from alert where endpoint_id = $1', [endpoint])).rowCount).toBe(1);
  });

  it('waits longer after each failure, and counts no attempt for them once it is sent', async () => {
    let isBroken = true;
    const sound = trialSource(pool);
    const source: DeliverySource = {
      ...sound,
      assemble: (delivery) => (isBroken ? Promise.reject(new Error('no such key')) : sound.assemble(delivery)),
    };
    await plan(pool, endpoint, 'mended');
    await fanOutAll(pool);
    await pool.query('update delivery set faults = 11');
    engine = await trialEngine(trial, { source });
    expect((await becomes('mended', { faults: 12 })).seconds).toBeGreaterThan(290);
    isBroken = false;
    respond = () => ({ status: 503 });
    await pool.query('update delivery set next_attempt_at = register_now()');
    await pool.query('select wake_endpoint($1)', [endpoint]);
    expect(await becomes('mended', { attempt: 1 })).toMatchObject({ faults: 0, attempts: 1 });
  });
});

describe('An attempt whose result cannot be recorded', () => {
  it('has the time of its request in the log, however late it is recorded', async () => {
    const owner = new Client({ connectionString: database.url });
    await owner.connect();
    respond = async () => {
      await owner.query('alter table trial.delivery rename column attempts to unavailable');
      return { status: 200 };
    };
    await plan(pool, endpoint, 'unrecorded');
    engine = await trialEngine(trial);
    const OUTAGE_MS = 1_500;
    const sentAt = await until(() => receiver.received.find(({ eventId }) => eventId === 'unrecorded')?.at);
    await until(() => performance.now() - sentAt > OUTAGE_MS || undefined);
    await owner.query('alter table trial.delivery rename column unavailable to attempts');
    await owner.end();
    await becomes('unrecorded', { state: 'delivered' });
    const { rows } = await pool.query<{ age: number }>(
      `select (extract(epoch from register_now() - (attempts -> 0 ->> 'at')::timestamptz) * 1000)::float8 as age from delivery`,
    );
    expect(rows[0]?.age).toBeGreaterThan(OUTAGE_MS / 2); // the statement itself may wait, but not for an outage
  });
});

describe('A delivery that is requested again during an attempt', () => {
  const sendDuring = async (event: string, status: number, attempt = 0): Promise<void> => {
    const entry = gate();
    respond = async () => {
      if (sends(event) === 1) await entry.pass();
      return { status: sends(event) === 1 ? status : 200 };
    };
    await plan(pool, endpoint, event);
    await fanOutAll(pool);
    await pool.query('update delivery set attempt = $2 where event_id = $1', [event, attempt]);
    engine = await trialEngine(trial);
    await entry.reached;
    await pool.query('select redeliver($1, $2)', [endpoint, event]);
    entry.open();
  };

  it.each([
    ['that succeeds', 200, 0],
    ['that fails', 503, 0],
    ['that is the last of its schedule', 503, 5],
  ])('%s is sent again immediately', async (which, status, attempt) => {
    await sendDuring(which, status, attempt);
    await until(() => (sends(which) === 2 ? true : undefined));
    await becomes(which, { state: 'delivered', attempts: 2 });
    expect(receiver.received.filter(({ eventId }) => eventId === which).map((each) => each.isRedelivery)).toEqual([
      false,
      true,
    ]);
    expect((await pool.query('select from alert')).rowCount).toBe(0);
  });
});

const noted = async (event: string): Promise<number | undefined> => (await rowOf(event))?.attempts;

/** Waits until an attempt's result is stored. */
const isStored = (event: string, number: number) =>
  until(async () => ((await noted(event)) === number ? true : undefined));

/** Returns the seconds from the last attempt of an event to the next, as scheduled. */
async function secondsToNext(event: string): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select extract(epoch from next_attempt_at - (attempts -> -1 ->> 'at')::timestamptz)::float8 as seconds
     from delivery where event_id = $1`,
    [event],
  );
  return Math.floor(rows[0]?.seconds ?? Number.NaN);
}

/** Moves the clock to `after` seconds after the next attempt of an event. */
async function clockToNext(event: string, after: number): Promise<void> {
  const { rows } = await pool.query<{ seconds: number }>(
    'select extract(epoch from next_attempt_at - now())::float8 as seconds from delivery where event_id = $1',
    [event],
  );
  await moveClock(pool, Math.ceil((rows[0]?.seconds ?? Number.NaN) + after));
}

let probes = 0;

/** Waits until the worker has read the endpoint again: a probe has been delivered. */
async function endpointIsRead(): Promise<void> {
  const probe = `probe ${(probes += 1)}`;
  await plan(pool, endpoint, probe);
  await until(() => (sends(probe) === 1 ? true : undefined));
  await isStored(probe, 1);
}

describe('A delivery that the receiver rejects', () => {
  beforeEach(async () => {
    engine = await trialEngine(trial);
  });

  /** Sets the responses to all requests except probes. */
  const respondWith = (how: typeof respond) => {
    respond = (received) => (received.eventId.startsWith('probe') ? { status: 200 } : how(received));
  };

  it('is sent at each time of the schedule, never earlier, and then abandoned with one alert', async () => {
    respondWith(() => ({ status: 500 }));
    await plan(pool, endpoint, 'refused');
    for (const [number, delay] of WEBHOOK_SCHEDULE.delays.entries()) {
      await isStored('refused', number + 1);
      expect(await secondsToNext('refused')).toBe(delay);
      await clockToNext('refused', -30);
      await endpointIsRead();
      expect(sends('refused')).toBe(number + 1);
      await clockToNext('refused', 1);
    }
    await isStored('refused', 6);
    const { rows } = await pool.query(`select state, attempt from delivery where event_id = 'refused'`);
    expect(rows).toEqual([{ state: 'undelivered', attempt: 6 }]);
    await clockToNext('refused', 3 * 86_400);
    await endpointIsRead();
    expect(sends('refused')).toBe(6);
    expect((await pool.query('select from alert where endpoint_id = $1', [endpoint])).rowCount).toBe(1);
  });

  it('is never sent again after a success; its log has each attempt, with status, time and kind of failure', async () => {
    respondWith(() => ({ status: sends('second time') === 1 ? 503 : 204 }));
    await plan(pool, endpoint, 'second time');
    await isStored('second time', 1);
    await clockToNext('second time', 1);
    await isStored('second time', 2);
    await clockToNext('second time', 3 * 86_400);
    await endpointIsRead();
    const { rows } = await pool.query(`select state, attempt from delivery where event_id = 'second time'`);
    expect([rows, sends('second time')]).toEqual([[{ state: 'delivered', attempt: 2 }], 2]);
    const attempts = await pool.query(
      `select status, error, "durationMs" >= 0 as "tookTime"
       from delivery, jsonb_to_recordset(attempts) as made(status integer, error text, "durationMs" integer) where event_id = 'second time'`,
    );
    expect(attempts.rows).toEqual([
      { status: 503, error: 'refused-status', tookTime: true },
      { status: 204, error: null, tookTime: true },
    ]);
  });

  it('waits for the time of Retry-After if that is longer', async () => {
    respondWith(() => ({ status: 429, headers: { 'retry-after': '90' } }));
    await plan(pool, endpoint, 'busy');
    await isStored('busy', 1);
    expect(await secondsToNext('busy')).toBe(90);
  });

  it('is tried before a later one of its lane, which does not count as an attempt', async () => {
    respondWith(({ eventId }) => ({ status: eventId === 'earlier' ? 500 : 200 }));
    await plan(pool, endpoint, 'earlier', 'lane');
    await isStored('earlier', 1);
    const before = await pool.query(`select attempt, next_attempt_at from delivery where event_id = 'earlier'`);
    await plan(pool, endpoint, 'later', 'lane');
    await isStored('later', 1);
    expect(receiver.received.slice(-3).map(({ eventId }) => eventId)).toEqual(['earlier', 'earlier', 'later']);
    const after = await pool.query(`select attempt, next_attempt_at from delivery where event_id = 'earlier'`);
    expect(after.rows).toEqual(before.rows);
  });
});

describe('When the clock of the database is set back', () => {
  const schedule = { delays: [1, 7_200] };
  beforeEach(() => moveClock(pool, 86_400));

  it('a first attempt that was planned before is made at once', async () => {
    await plan(pool, endpoint, 'planned');
    await fanOutAll(pool);
    await moveClock(pool, 0);
    engine = await trialEngine(trial);
    expect(await becomes('planned', { state: 'delivered' })).toMatchObject({ attempts: 1 });
  });

  it('a retry that was planned before is made after the delay of the schedule; one that waits for Retry-After still waits', async () => {
    respond = ({ eventId }) =>
      eventId === 'busy' ? { status: 429, headers: { 'retry-after': '90' } } : { status: 500 };
    engine = await trialEngine(trial, { schedule });
    await plan(pool, endpoint, 'failed');
    await becomes('failed', { attempt: 1 });
    await moveClock(pool, 0);
    await plan(pool, endpoint, 'busy');
    await becomes('busy', { attempt: 1 });
    expect((await becomes('failed', { attempt: 2 })).seconds).toBeGreaterThan(7_000);
    expect((await rowOf('busy'))?.seconds).toBeGreaterThan(30);
  });

  it('a delivery is corrected although very many wait for their retries, which still wait', async () => {
    await plan(pool, endpoint, 'planned');
    await fanOutAll(pool);
    await moveClock(pool, 0);
    await pool.query(
      `insert into delivery (endpoint_id, event_id, subject, sequence, urgent, state, attempt, attempts, next_attempt_at)
       select $1, 'waits ' || n, 'waits ' || n, 1, false, 'pending', 1,
         jsonb_build_array(jsonb_build_object('at', register_now(), 'status', 500, 'durationMs', 1, 'error', 'refused-status')),
         register_now() + interval '90 s' from generate_series(1, 2500) n`,
      [endpoint],
    );
    engine = await trialEngine(trial, { schedule });
    await becomes('planned', { state: 'delivered' });
    const { rowCount } = await pool.query(
      `select from delivery where next_attempt_at > register_now() + interval '30 s'`,
    );
    expect(rowCount).toBe(2_500);
  });

  it('an endpoint that was deferred before is read again', async () => {
    await pool.query('update endpoint set suspended = true where id = $1', [endpoint]);
    engine = await trialEngine(trial);
    await plan(pool, endpoint, 'deferred');
    await until(() => isDeferred());
    await engine.stop();
    await pool.query('update endpoint set suspended = false where id = $1', [endpoint]);
    await moveClock(pool, 0);
    engine = await trialEngine(trial);
    expect(await becomes('deferred', { state: 'delivered' })).toMatchObject({ attempts: 1 });
  });
});
