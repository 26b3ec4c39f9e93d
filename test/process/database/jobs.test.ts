import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Pool } from 'pg';
import pino from 'pino';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import type { DatabaseAddress } from '../../../subgraphs/server/database-login';
import { type FetchAhead, type Workers, startWorkers } from '../../../subgraphs/server/job-workers';
import type { JobQueue, Task } from '../../../subgraphs/server/jobs';
import { inTransaction } from '../../../subgraphs/server/transaction';
import { TRIAL_JOBS, trialJobs } from '../../support/job-database';
import {
  type ControlledPostgres,
  type FreshDatabase,
  controlledPostgres,
  freshDatabase,
  runIn,
} from '../../support/postgres';
import { silencedProxy } from '../../support/silenced-proxy';
import { until } from '../../support/until';

const lines: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });

let database: FreshDatabase;
let address: DatabaseAddress;
let pool: Pool;
let jobs: JobQueue;
let started: Workers[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  ({ address, pool, jobs } = await trialJobs(database.url));
});
afterEach(async () => {
  await Promise.all(started.map((each) => each.stop()));
  started = [];
  await pool.query(`delete from ${TRIAL_JOBS}._private_jobs`);
  lines.length = 0;
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

async function workers(tasks: Record<string, Task>, fetchAhead?: FetchAhead): Promise<void> {
  started.push(await startWorkers({ address, schema: TRIAL_JOBS, tasks, logger, concurrency: 2, fetchAhead }));
}

const waiting = async (): Promise<number> =>
  Number((await pool.query(`select count(*) from ${TRIAL_JOBS}._private_jobs`)).rows[0].count);

/** Waits until jobs without further attempts were swept away so many times, one at a time. */
async function sweeps(times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await jobs.add(pool, 'given up', {}, { key: `given up ${n}`, maxAttempts: 1 });
    await pool.query(`update ${TRIAL_JOBS}._private_jobs set attempts = 1 where key = $1`, [`given up ${n}`]);
    await until(async () => {
      const { rowCount } = await pool.query(`select from ${TRIAL_JOBS}._private_jobs where key = $1`, [
        `given up ${n}`,
      ]);
      return rowCount === 0 ? true : undefined;
    });
  }
}

describe('A job', () => {
  it('is done once the transaction that added it is committed, and leaves nothing', async () => {
    const done: unknown[] = [];
    await workers({ note: async (payload) => void done.push(payload) });
    await inTransaction(pool, async (session) => {
      await jobs.add(session, 'note', { n: 1 });
      await jobs.add(session, 'note', { n: 2 }, { priority: 1 });
      expect(done).toEqual([]);
    });
    await until(async () => ((await waiting()) === 0 ? true : undefined));
    expect(done).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it.each([
    ['fetch ahead', {}],
    ['fetch one by one', undefined],
  ])('is done by workers that %s also when the very first look for jobs failed', async (_, fetchAhead) => {
    const done: unknown[] = [];
    const tasks = `${TRIAL_JOBS}._private_tasks`;
    await runIn(database.url, `revoke select on ${tasks} from ${address.role}`);
    await workers({ note: async (payload) => void done.push(payload) }, fetchAhead);
    await until(async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and state = 'idle' and query ~ $1`,
        [`^select id, identifier from .*_private_tasks`],
      );
      return rowCount === 0 ? undefined : true;
    });
    await runIn(database.url, `grant select on ${tasks} to ${address.role}`);
    await jobs.add(pool, 'note', { n: 1 });
    await until(() => (done.length > 0 ? true : undefined));
    expect(done).toEqual([{ n: 1 }]);
  });

  it('never was when its transaction is rolled back', async () => {
    const done: unknown[] = [];
    await workers({ note: async (payload) => void done.push(payload) });
    const rolledBack = inTransaction(pool, async (session) => {
      await jobs.add(session, 'note', { n: 'never' });
      throw new Error('changed my mind');
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    await jobs.add(pool, 'note', { n: 'after' });
    await until(() => (done.length > 0 ? true : undefined));
    expect(done).toEqual([{ n: 'after' }]);
  });

  it('is done by one of the replicas', async () => {
    const done: number[] = [];
    const note: Task = async (payload) => void done.push((payload as { n: number }).n);
    await Promise.all([workers({ note }), workers({ note }), workers({ note })]);
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    await Promise.all(numbers.map((n) => jobs.add(pool, 'note', { n })));
    await until(async () => ((await waiting()) === 0 ? true : undefined));
    expect(done.toSorted((one, other) => one - other)).toEqual(numbers);
  });

  it('is replaced by another one of its key while it waits', async () => {
    const done: unknown[] = [];
    await jobs.add(pool, 'note', { n: 1 }, { key: 'k' });
    await jobs.add(pool, 'note', { n: 2 }, { key: 'k' });
    await workers({ note: async (payload) => void done.push(payload) });
    await until(async () => ((await waiting()) === 0 ? true : undefined));
    expect(done).toEqual([{ n: 2 }]);
  });

  it('waits for its time, by the register’s clock', async () => {
    await pool.query('select register.set_clock_offset($1)', [86_400]);
    const now = (await pool.query<{ now: Date }>('select register_now() as now')).rows[0]?.now as Date;
    await jobs.add(pool, 'note', {}, { runAt: new Date(now.getTime() + 3_600_000) });
    await jobs.add(pool, 'note', {}, { afterSeconds: 60 });
    await pool.query('select register.set_clock_offset(0)');
    const { rows } = await pool.query<{ wait: number }>(
      `select round(extract(epoch from run_at - now()) / 60)::int as wait from ${TRIAL_JOBS}._private_jobs order by id`,
    );
    expect(rows.map(({ wait }) => wait)).toEqual([60, 1]);
  });
});

describe('A job that fails', () => {
  it('is tried again, told which attempt it is', async () => {
    const attempts: unknown[] = [];
    const flaky: Task = async (_payload, attempt) => {
      attempts.push(attempt);
      if (attempt.number === 1) throw new Error('not yet');
    };
    await workers({ flaky });
    await jobs.add(pool, 'flaky', {}, { maxAttempts: 2 });
    await until(async () => ((await waiting()) === 0 ? true : undefined));
    expect(attempts).toEqual([
      { number: 1, isLast: false },
      { number: 2, isLast: true },
    ]);
  });

  it('leaves neither its payload nor the message of the failure in the log, nor the message in the database', async () => {
    const fail: Task = async () => {
      throw Object.assign(new Error('no such mailbox: ada@example.org'), { code: 'EENVELOPE' });
    };
    await workers({ fail });
    await jobs.add(pool, 'fail', { secret: 'sesame-open' });
    const kept = await until(
      async () =>
        (await pool.query(`select last_error from ${TRIAL_JOBS}._private_jobs where last_error is not null`)).rows[0],
    );
    expect(kept).toEqual({ last_error: 'Error EENVELOPE' });
    expect(lines.join('')).toContain('job failed');
    expect(lines.join('')).not.toMatch(/ada@example|sesame/);
  });

  it('is tried again within half a minute, however often it failed, and forgotten after its last attempt', async () => {
    await jobs.add(pool, 'note', {});
    await jobs.add(pool, 'note', {}, { maxAttempts: 1 });
    await pool.query(
      `update ${TRIAL_JOBS}._private_jobs set attempts = 1, last_error = 'Error', run_at = now() + interval '5 hours'`,
    );
    await workers({ other: async () => undefined });
    const left = await until(async () => {
      const { rows } = await pool.query<{ soon: boolean }>(
        `select run_at <= now() + interval '30 s' as soon from ${TRIAL_JOBS}._private_jobs`,
      );
      return rows.length === 1 && rows[0]?.soon ? rows : undefined;
    });
    expect(left).toHaveLength(1);
  });
});

/** Workers in a process of their own, and all that it has said. */
async function workerProcess(url: string, ...more: string[]) {
  const script = join(REPOSITORY_ROOT, 'test/support/job-process.ts');
  const loader = join(REPOSITORY_ROOT, 'test/support/swc-register.js');
  const child = spawn(process.execPath, ['-r', loader, script, url, ...more], { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  const count = (words: string) => said.split(`${words}\n`).length - 1;
  await until(() => (said.includes('ready') ? true : undefined));
  return { child, count };
}

describe('Workers', () => {
  it('that are killed leave their jobs to the others, within seconds; those of the living are left to them', async () => {
    const { child: doomed, count } = await workerProcess(database.url);
    await jobs.add(pool, 'hold', { n: 1 });
    await until(() => (count('took 1') > 0 ? true : undefined));

    const taken: unknown[] = [];
    const living: unknown[] = [];
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    await workers({ keep: async (payload) => void (living.push(payload), await held) });
    await jobs.add(pool, 'keep', { n: 2 });
    await workers({
      hold: async (payload) => void taken.push(payload),
      keep: async (payload) => void living.push(payload),
    });
    await until(() => (living.length > 0 ? true : undefined));
    await sweeps(9); // of three sweepers: one of them found nobody dead three times
    expect([taken, living]).toEqual([[], [{ n: 2 }]]);

    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    const killedAt = performance.now();
    await until(() => (taken.length > 0 ? true : undefined));
    expect(performance.now() - killedAt).toBeLessThan(5_000);
    expect([taken, living]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    finish();
  });

  it('that are frozen leave their jobs to the others, too', async () => {
    const { child, count } = await workerProcess(database.url);
    try {
      await jobs.add(pool, 'wait', { n: 1 });
      await until(() => (count('took 1') > 0 ? true : undefined));
      child.kill('SIGSTOP');
      const taken: unknown[] = [];
      await workers({ wait: async (payload) => void taken.push(payload) });
      await until(() => (taken.length > 0 ? true : undefined));
      expect(taken).toEqual([{ n: 1 }]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('go on when the database dropped all their sessions', async () => {
    const done: unknown[] = [];
    await workers({ note: async (payload) => void done.push(payload) });
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()',
    );
    await jobs.add(pool, 'note', { n: 1 });
    await until(async () => ((await waiting()) === 0 ? true : undefined));
    expect(done).toEqual([{ n: 1 }]);
  });

  it.each([
    ['ahead', {}],
    ['one by one', undefined],
  ])('that fetch %s go on at the server that takes over from one that fell silent', async (_, fetchAhead) => {
    const proxy = await silencedProxy(Number(new URL(database.url).port));
    try {
      const done: unknown[] = [];
      const url = new URL(database.url);
      [url.hostname, url.port] = ['127.0.0.1', String(proxy.port)];
      const tasks = { note: async (payload: unknown) => void done.push(payload) };
      const through = { ...address, url: url.href };
      started.push(
        await startWorkers({ address: through, schema: TRIAL_JOBS, tasks, logger, concurrency: 2, fetchAhead }),
      );
      await jobs.add(pool, 'note', { n: 1 });
      await until(async () => ((await waiting()) === 0 ? true : undefined));
      proxy.silence();
      await jobs.add(pool, 'note', { n: 2 });
      await until(() => (done.length > 1 ? true : undefined));
      expect(done).toEqual([{ n: 1 }, { n: 2 }]);
      await Promise.all(started.splice(0).map((each) => each.stop()));
    } finally {
      await proxy.close();
    }
  });

  describe('whose database goes away while they do jobs', () => {
    let server: ControlledPostgres;
    let own: FreshDatabase;
    let room: Awaited<ReturnType<typeof trialJobs>>;
    beforeAll(async () => {
      server = await controlledPostgres();
      own = await freshDatabase(server);
      room = await trialJobs(own.url);
    });
    afterAll(async () => {
      await room?.pool.end();
      await server?.remove();
    });

    it.each([
      ['ahead', 'end before it is back'],
      ['one by one', 'end before it is back'],
      ['ahead', 'are given up before the last one ends'],
      ['one by one', 'are given up before the last one ends'],
    ])('and that fetch %s live on, and do them again when they %s', async (fetching, when) => {
      const { child, count } = await workerProcess(own.url, fetching);
      const exited = once(child, 'exit');
      try {
        for (const n of [1, 2]) await room.jobs.add(room.pool, 'wait', { n });
        await until(() => (count('took 1') + count('took 2') === 2 ? true : undefined));
        await server.kill();
        const end = (which: string) => child.stdin.write(`${which}\n`);
        const early = when === 'end before it is back' ? [1, 2] : [1];
        early.forEach((n) => end(String(n)));
        await until(() => early.every((n) => count(`ended ${n}`) === 1) || undefined);
        await server.start();
        await until(() => (count('took 1') + count('took 2') === 4 ? true : undefined));
        end('all'); // those that were given up, too
        await room.jobs.add(room.pool, 'wait', { n: 3 });
        await until(() => (count('took 3') > 0 ? true : undefined));
        await until(async () => {
          end('all');
          const { rows } = await room.pool.query(`select count(*)::int as left from ${TRIAL_JOBS}._private_jobs`);
          return rows[0].left === 0 ? true : undefined;
        });
        expect(child.exitCode).toBeNull();
      } finally {
        child.kill('SIGKILL');
        await exited;
        await runIn(own.url, `delete from ${TRIAL_JOBS}._private_jobs`);
      }
    });
  });

  it('that stop end what they do first', async () => {
    let ended = false;
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    let began = false;
    const slow: Task = async () => {
      began = true;
      await held;
      ended = true;
    };
    await workers({ slow });
    await jobs.add(pool, 'slow', {});
    await until(() => (began ? true : undefined));
    const stopped = started.pop()?.stop();
    finish();
    await stopped;
    expect([ended, await waiting()]).toEqual([true, 0]);
  });
});
