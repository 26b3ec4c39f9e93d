import type { Pool } from 'pg';
import { WEBHOOK_SCHEDULE } from '../../../subgraphs/access/webhooks/retry-schedule';
import { inTransaction } from '../../../subgraphs/server/transaction';
import type { DeliverySource } from '../../../subgraphs/delivery/delivery';
import type { Deliveries } from '../../../subgraphs/delivery/engine';
import { type HookAnswer, type HookReceiver, type Received, hookReceiver } from '../../support/hook-receiver';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import {
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
let answer: (received: Received) => HookAnswer | Promise<HookAnswer>;

beforeAll(async () => {
  database = await freshDatabase();
  trial = await trialDeliveries(database.url);
  pool = trial.pool;
  receiver = await hookReceiver((received) => answer(received));
});
beforeEach(async () => {
  answer = () => ({ status: 200 });
  endpoint = await trialEndpoint(pool, receiver.url);
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
  await moveClock(pool, 0);
  for (const table of ['delivery', 'delivery_attempt', 'alert']) await pool.query(`delete from ${table}`);
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

const rowOf = async (event: string): Promise<Row> => {
  const { rows } = await pool.query<Row>(
    `select state, attempt, faults, round(extract(epoch from next_attempt_at - register_now()))::int as seconds,
       (select count(*)::int from delivery_attempt a where a.event_id = d.event_id) as attempts
     from delivery d where event_id = $1`,
    [event],
  );
  return rows[0] as Row;
};
const becomes = (event: string, wanted: Partial<Row>): Promise<Row> =>
  until(async () => {
    const row = await rowOf(event);
    return Object.entries(wanted).every(([name, value]) => row[name as keyof Row] === value) ? row : undefined;
  });
const sends = (event: string): number => receiver.received.filter(({ eventId }) => eventId === event).length;

/** A gate that a test opens. */
function gate(): { readonly reached: Promise<void>; readonly open: () => void; pass(): Promise<void> } {
  let open = () => {};
  let reach = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  return { reached, open, pass: () => (reach(), opened) };
}

/** The trial's source whose answers pass through a gate. */
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
  it('goes out at once, though a worker had just found it suspended', async () => {
    const entry = gate();
    await pool.query('update endpoint set suspended = true');
    engine = await trialEngine(trial, { source: gated(entry) });
    await plan(pool, endpoint, 'late');
    await entry.reached;
    await resume(pool)();
    entry.open();
    expect(await becomes('late', { state: 'delivered' })).toMatchObject({ attempts: 1 });
  });

  it('is not put off again while the resumption is about to be committed', async () => {
    await pool.query('update endpoint set suspended = true');
    await plan(pool, endpoint, 'between');
    await inTransaction(pool, async (session) => {
      await resume(session)();
      engine = await trialEngine(trial);
      await until(async () => {
        const { rowCount } = await pool.query(`select from pg_locks where locktype = 'advisory' and not granted`);
        return rowCount === 0 ? undefined : true;
      });
    });
    expect(await becomes('between', { state: 'delivered' })).toMatchObject({ attempts: 1 });
  });

  it(`waits no more in any of ${ROUNDS} rounds of suspension, event and resumption at once`, async () => {
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
      const { rowCount } = await pool.query(`select from delivery where state = 'pending'`);
      return rowCount === 0 ? true : undefined;
    });
    expect((await pool.query(`select from delivery where state = 'delivered'`)).rowCount).toBe(10 * ROUNDS);
  });

  it('is taken in one order with others: nobody who holds, resumes or supersedes waits in a circle', async () => {
    const subjects = Array.from({ length: 30 }, (_, n) => `subject ${String(n).padStart(2, '0')}`);
    for (const subject of subjects.toReversed()) {
      for (const n of [1, 2]) await plan(pool, endpoint, `${subject}.${n}`, subject);
    }
    await pool.query('update delivery set held = 1');
    const supersede = () =>
      inTransaction(pool, async (session) => {
        for (const subject of subjects) {
          await session.query('update delivery set held = held + 1 where endpoint_id = $1 and subject = $2', [
            endpoint,
            subject,
          ]);
        }
      });
    for (let round = 0; round < 20; round++) {
      const holds = subjects.map((subject) =>
        pool.query('select hold_deliveries($1, $2, 0, null, null)', [endpoint, subject]),
      );
      await Promise.all([supersede(), pool.query('select resume_deliveries($1)', [endpoint]), ...holds]);
    }
    await pool.query('select end_deliveries($1)', [endpoint]);
    expect((await pool.query(`select from delivery where state = 'pending'`)).rowCount).toBe(0);
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

  it('since the database is away waits, which counts for nothing, before its first attempt and after', async () => {
    let isAway = false;
    const away = () => Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    const sound = trialSource(pool);
    const source: DeliverySource = {
      ...sound,
      assemble: (delivery) => (isAway ? Promise.reject(away()) : sound.assemble(delivery)),
    };
    answer = () => ({ status: 503 });
    engine = await trialEngine(trial, { source });
    await plan(pool, endpoint, 'patient');
    await becomes('patient', { attempt: 1 });
    isAway = true;
    for (let looks = 1; looks <= 12; looks++) {
      await pool.query(`update delivery set next_attempt_at = register_now() where event_id = 'patient'`);
      await pool.query('select wake_deliveries(endpoint_id, slot, urgent, now()) from delivery');
      await until(async () => {
        const { rows } = await pool.query(`select held from delivery where event_id = 'patient'`);
        return rows[0].held === looks ? true : undefined;
      });
    }
    expect(await rowOf('patient')).toMatchObject({ state: 'pending', attempt: 1, faults: 0, attempts: 1 });
    expect(sends('patient')).toBe(1);
  });

  it('for a fault of its own is put off and given up at last, with one alert and no attempt in the log', async () => {
    engine = await trialEngine(trial, { source: failing(() => new Error('no such key')) });
    await plan(pool, endpoint, 'broken');
    for (let faults = 1; faults <= 15; faults++) {
      await becomes('broken', { faults });
      await pool.query(`update delivery set next_attempt_at = register_now() where event_id = 'broken'`);
      await pool.query('select wake_deliveries(endpoint_id, slot, urgent, now()) from delivery');
    }
    expect(await becomes('broken', { state: 'undelivered' })).toMatchObject({ attempt: 0, faults: 16, attempts: 0 });
    expect((await pool.query('select from alert where endpoint_id = $1', [endpoint])).rowCount).toBe(1);
  });

  it('waits longer and longer once its faults persist, and counts none of them when it goes out', async () => {
    let isBroken = true;
    const sound = trialSource(pool);
    const source: DeliverySource = {
      ...sound,
      assemble: (delivery) => (isBroken ? Promise.reject(new Error('no such key')) : sound.assemble(delivery)),
    };
    await plan(pool, endpoint, 'mended');
    await pool.query('update delivery set faults = 11');
    engine = await trialEngine(trial, { source });
    expect((await becomes('mended', { faults: 12 })).seconds).toBeGreaterThan(290);
    isBroken = false;
    answer = () => ({ status: 503 });
    await pool.query('select resume_deliveries($1)', [endpoint]);
    expect(await becomes('mended', { attempt: 1 })).toMatchObject({ faults: 0, attempts: 1 });
  });
});

describe('A delivery that is asked for once more while an attempt is under way', () => {
  const askedDuring = async (event: string, status: number, attempt = 0): Promise<void> => {
    const entry = gate();
    answer = async () => {
      if (sends(event) === 1) await entry.pass();
      return { status: sends(event) === 1 ? status : 200 };
    };
    await plan(pool, endpoint, event);
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
  ])('%s is made once more, at once', async (which, status, attempt) => {
    await askedDuring(which, status, attempt);
    await until(() => (sends(which) === 2 ? true : undefined));
    await becomes(which, { state: 'delivered', attempts: 2 });
    expect(receiver.received.filter(({ eventId }) => eventId === which).map((each) => each.isRedelivery)).toEqual([
      false,
      true,
    ]);
    expect((await pool.query('select from alert')).rowCount).toBe(0);
  });
});

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
  beforeEach(async () => {
    engine = await trialEngine(trial);
  });

  /** Answers all but probes of slots. */
  const answerBy = (how: typeof answer) => {
    answer = (received) => (received.eventId.startsWith('probe') ? { status: 200 } : how(received));
  };

  it('is sent at every slot of the schedule, never before, and then given up with one alert', async () => {
    answerBy(() => ({ status: 500 }));
    await plan(pool, endpoint, 'refused');
    for (const [number, delay] of WEBHOOK_SCHEDULE.delays.entries()) {
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

  it('is never sent again after it succeeded; its log has each attempt, with status, time and kind of failure', async () => {
    answerBy(() => ({ status: sends('second time') === 1 ? 503 : 204 }));
    await plan(pool, endpoint, 'second time');
    await isKept('second time', 1);
    await clockToNext('second time', 1);
    await isKept('second time', 2);
    await clockToNext('second time', 3 * 86_400);
    await slotIsLookedAt('second time');
    const { rows } = await pool.query(`select state, attempt from delivery where event_id = 'second time'`);
    expect([rows, sends('second time')]).toEqual([[{ state: 'delivered', attempt: 2 }], 2]);
    const attempts = await pool.query(
      `select number, status, error, duration_ms >= 0 as "tookTime" from delivery_attempt where event_id = 'second time' order by number`,
    );
    expect(attempts.rows).toEqual([
      { number: 1, status: 503, error: 'refused-status', tookTime: true },
      { number: 2, status: 204, error: null, tookTime: true },
    ]);
  });

  it('waits as long as Retry-After asks, when that is longer', async () => {
    answerBy(() => ({ status: 429, headers: { 'retry-after': '90' } }));
    await plan(pool, endpoint, 'busy');
    await isKept('busy', 1);
    expect(await secondsToNext('busy')).toBe(90);
  });

  it('is tried on the way to a later one of its lane, which does not count', async () => {
    answerBy(({ eventId }) => ({ status: eventId === 'earlier' ? 500 : 200 }));
    await plan(pool, endpoint, 'earlier', 'lane');
    await isKept('earlier', 1);
    const before = await pool.query(`select attempt, next_attempt_at from delivery where event_id = 'earlier'`);
    await plan(pool, endpoint, 'later', 'lane');
    await isKept('later', 1);
    expect(receiver.received.slice(-3).map(({ eventId }) => eventId)).toEqual(['earlier', 'earlier', 'later']);
    const after = await pool.query(`select attempt, next_attempt_at from delivery where event_id = 'earlier'`);
    expect(after.rows).toEqual(before.rows);
  });
});
