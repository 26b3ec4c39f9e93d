import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Pool } from 'pg';
import pino from 'pino';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import type { DatabaseAddress } from '../../../subgraphs/server/database/database-login';
import { type Workers, startWorkers } from '../../../subgraphs/server/jobs/job-workers';
import { recoverableJob } from '../../../subgraphs/server/jobs/recoverable-job';
import type { JobQueue, Task } from '../../../subgraphs/server/jobs/jobs';
import { inTransaction } from '../../../subgraphs/server/database/transaction';
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

async function workers(tasks: Record<string, Task>): Promise<void> {
  started.push(await startWorkers({ address, schema: TRIAL_JOBS, tasks, logger, concurrency: 2 }));
}

const waiting = async (): Promise<number> =>
  Number((await pool.query(`select count(*) from ${TRIAL_JOBS}._private_jobs`)).rows[0].count);

/** Returns the sessions of the database whose latest statement starts with a text; undefined if there are none. */
async function sessionsWith(statement: string, waitsFor?: string): Promise<number[] | undefined> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and query like $1 || '%' and ($2::text is null or wait_event_type = $2)`,
    [statement, waitsFor],
  );
  return rows.length === 0 ? undefined : rows.map(({ pid }) => pid);
}

/** Waits for a number of sweeps. Each deletes a job without further attempts. */
async function sweeps(times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await jobs.add(pool, 'exhausted', {}, { key: `exhausted ${n}`, maxAttempts: 1 });
    await pool.query(`update ${TRIAL_JOBS}._private_jobs set attempts = 1 where key = $1`, [`exhausted ${n}`]);
    await until(async () => {
      const { rowCount } = await pool.query(`select from ${TRIAL_JOBS}._private_jobs where key = $1`, [
        `exhausted ${n}`,
      ]);
      return rowCount === 0 ? true : undefined;
    });
  }
}

describe('A job', () => {
  it('runs after the transaction that added it has committed, and is then deleted', async () => {
    const done: unknown[] = [];
    await workers({ note: async (payload) => void done.push(payload) });
    await inTransaction(pool, async (session) => {
      await jobs.add(session, 'note', { n: 1 });
      await jobs.add(session, 'note', { n: 2 }, { priority: 1 });
      expect(done).toEqual([]);
    });
    await until(async () => ((await waiting()) === 0 ? true : undefined));
    // Two jobs run at a time: their order is not defined.
    expect(done).toHaveLength(2);
    expect(done).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }]));
  });

  it('is run by workers even if their first poll failed', async () => {
    const done: unknown[] = [];
    const tasks = `${TRIAL_JOBS}._private_tasks`;
    await runIn(database.url, `revoke select on ${tasks} from ${address.role}`);
    await workers({ note: async (payload) => void done.push(payload) });
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

  it('runs after a migration of any schema, at which the library ends its workers, also during a sweep', async () => {
    const done: unknown[] = [];
    await jobs.add(pool, 'exhausted', {}, { key: 'held', maxAttempts: 1 });
    await pool.query(`update ${TRIAL_JOBS}._private_jobs set attempts = 1`);
    await inTransaction(pool, async (session) => {
      await session.query(`select from ${TRIAL_JOBS}._private_jobs for update`);
      await workers({ note: async (payload) => void done.push(payload) });
      const [listener] = await until(() => sessionsWith('LISTEN "jobs:insert"'));
      await until(() => sessionsWith('%.complete_jobs%', 'Lock'));
      await pool.query(`select pg_notify('worker:migrate', '{"breaking":true}')`);
      await until(async () =>
        (await sessionsWith('LISTEN "jobs:insert"'))?.some((pid) => pid !== listener) ? true : undefined,
      );
    });
    process.exitCode = undefined; // the library has set it
    await jobs.add(pool, 'note', { n: 1 });
    await sweeps(1);
    await until(() => (done.length > 0 ? true : undefined));
    expect(done).toEqual([{ n: 1 }]);
    expect(lines.filter((line) => line.includes('background work failed'))).toEqual([]);
  });

  it('does not run if its transaction is rolled back', async () => {
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

  it('runs on one of the replicas', async () => {
    const done: number[] = [];
    const note: Task = async (payload) => void done.push((payload as { n: number }).n);
    await Promise.all([workers({ note }), workers({ note }), workers({ note })]);
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    await inTransaction(pool, async (session) => {
      for (const n of numbers) await jobs.add(session, 'note', { n });
    });
    await until(async () => ((await waiting()) === 0 ? true : undefined));
    expect(done.toSorted((one, other) => one - other)).toEqual(numbers);
  });

  it('is replaced by a new job with its key while it waits', async () => {
    const done: unknown[] = [];
    await jobs.add(pool, 'note', { n: 1 }, { key: 'k' });
    await jobs.add(pool, 'note', { n: 2 }, { key: 'k' });
    await workers({ note: async (payload) => void done.push(payload) });
    await until(async () => ((await waiting()) === 0 ? true : undefined));
    expect(done).toEqual([{ n: 2 }]);
  });

  it('of a row that is not complete is added only if it is missing, and runs after jobs that a customer waits for', async () => {
    const rows = `select unnest(array['a', 'b']) as id`;
    const completion = recoverableJob(jobs, 'complete', rows);
    await completion.add(pool as never, 'a', 3_600);
    await completion.requeueLost(pool as never);
    await completion.requeueLost(pool as never);
    await jobs.add(pool as never, 'mail', { id: 'c' });
    const { rows: added } = await pool.query(
      `select task_identifier as task, key, run_at > now() as later from ${TRIAL_JOBS}.jobs order by priority, run_at`,
    );
    expect(added).toEqual([
      { task: 'mail', key: null, later: false },
      { task: 'complete', key: 'complete b', later: false },
      { task: 'complete', key: 'complete a', later: true },
    ]);
  });

  it('starts at its time by the register’s clock', async () => {
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

  it('that was added while the clock was ahead waits for its delay only once the clock is set back, a dated one for its instant', async () => {
    const done: unknown[] = [];
    await jobs.add(pool, 'note', { n: 'at once' });
    await jobs.add(pool, 'note', { n: 'in an hour' }, { key: 'delayed', afterSeconds: 3_600 });
    await jobs.add(pool, 'note', { n: 'on its day' }, { key: 'dated', runAt: new Date(Date.now() + 3_600_000) });
    const ahead = "run_at = run_at + interval '60 days', updated_at = updated_at + interval '60 days'";
    await pool.query(`update ${TRIAL_JOBS}._private_jobs set ${ahead}`);
    await workers({ note: async (payload) => void done.push(payload) });
    await until(() => (done.length > 0 ? true : undefined));
    await sweeps(1);
    const { rows } = await pool.query(
      `select key, round(extract(epoch from run_at - now()) / 3600)::int as hours from ${TRIAL_JOBS}.jobs order by run_at`,
    );
    expect(done).toEqual([{ n: 'at once' }]);
    expect(rows).toEqual([
      { key: 'delayed', hours: 1 },
      { key: 'dated', hours: 60 * 24 + 1 },
    ]);
  });
});

describe('A job that fails', () => {
  it('runs again with the number of the attempt', async () => {
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

  it('leaves neither its payload nor the error message in the log, nor the message in the database', async () => {
    const fail: Task = async () => {
      throw Object.assign(new Error('no such mailbox: ada@example.org'), { code: 'EENVELOPE' });
    };
    await workers({ fail });
    await jobs.add(pool, 'fail', { secret: 'sesame-open' });
    const stored = await until(
      async () =>
        (await pool.query(`select last_error from ${TRIAL_JOBS}._private_jobs where last_error is not null`)).rows[0],
    );
    expect(stored).toEqual({ last_error: 'Error EENVELOPE' });
    expect(lines.join('')).toContain('job failed');
    expect(lines.join('')).not.toMatch(/ada@example|sesame/);
  });

  it('runs again within half a minute after any number of failures, and is deleted after its last attempt', async () => {
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

/** Starts workers in a separate process; `count` counts lines of its output. */
async function workerProcess(url: string) {
  const script = join(REPOSITORY_ROOT, 'test/support/job-process.ts');
  const loader = join(REPOSITORY_ROOT, 'test/support/swc-register.js');
  const child = spawn(process.execPath, ['-r', loader, script, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  const count = (line: string) => output.split(`${line}\n`).length - 1;
  await until(() => (output.includes('ready') ? true : undefined));
  return { child, count };
}

describe('Workers', () => {
  it('take over the jobs of killed workers within seconds, but not those of running workers', async () => {
    const { child: victim, count } = await workerProcess(database.url);
    await jobs.add(pool, 'hold', { n: 1 });
    await until(() => (count('took 1') > 0 ? true : undefined));

    const taken: unknown[] = [];
    const running: unknown[] = [];
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    await workers({ keep: async (payload) => void (running.push(payload), await held) });
    await jobs.add(pool, 'keep', { n: 2 });
    await workers({
      hold: async (payload) => void taken.push(payload),
      keep: async (payload) => void running.push(payload),
    });
    await until(() => (running.length > 0 ? true : undefined));
    await sweeps(9); // by three sweepers: at least one of them has run three times
    expect([taken, running]).toEqual([[], [{ n: 2 }]]);

    victim.kill('SIGKILL');
    await once(victim, 'exit');
    await until(() => (taken.length > 0 ? true : undefined)); // the library alone would wait for four hours
    expect([taken, running]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    finish();
  });

  it('also take over the jobs of frozen workers', async () => {
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

  it('continue after the database has terminated all their sessions', async () => {
    const done: unknown[] = [];
    await workers({ note: async (payload) => void done.push(payload) });
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()',
    );
    await jobs.add(pool, 'note', { n: 1 });
    await until(async () => ((await waiting()) === 0 ? true : undefined));
    expect(done).toEqual([{ n: 1 }]);
  });

  it('continue at the server that takes over from one that no longer responds', async () => {
    const proxy = await silencedProxy(database.url);
    try {
      const done: unknown[] = [];
      const tasks = { note: async (payload: unknown) => void done.push(payload) };
      const through = { ...address, url: proxy.url };
      started.push(await startWorkers({ address: through, schema: TRIAL_JOBS, tasks, logger, concurrency: 2 }));
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

  it('survive a LISTEN that fails after they have stopped', async () => {
    const proxy = await silencedProxy(database.url, 'LISTEN "jobs:insert"');
    const { child } = await workerProcess(proxy.url);
    const exited = once(child, 'exit');
    try {
      await until(() => proxy.withheld() === 1 || undefined);
      const locks = (await until(() => sessionsWith('select pg_advisory_lock(hashtextextended'))) as number[];
      await pool.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [locks]);
      // Before the workers start again, the LISTEN of the stopped ones runs into its timeout.
      await until(() => proxy.withheld() === 2 || child.exitCode !== null || undefined);
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill('SIGKILL');
      await exited;
      await proxy.close();
    }
  });

  describe('whose database becomes unavailable while they run jobs', () => {
    let server: ControlledPostgres;
    let own: FreshDatabase;
    let trial: Awaited<ReturnType<typeof trialJobs>>;
    beforeAll(async () => {
      server = await controlledPostgres();
      own = await freshDatabase(server);
      trial = await trialJobs(own.url);
    });
    afterAll(async () => {
      await trial?.pool.end();
      await server?.remove();
    });

    it.each(['end during the outage', 'are abandoned before the last one ends'])(
      'continue to run, and repeat the jobs if they %s',
      async (when) => {
        const { child, count } = await workerProcess(own.url);
        const exited = once(child, 'exit');
        try {
          for (const n of [1, 2]) await trial.jobs.add(trial.pool, 'wait', { n });
          await until(() => (count('took 1') + count('took 2') === 2 ? true : undefined));
          await server.kill();
          const end = (which: string) => child.stdin.write(`${which}\n`);
          const early = when === 'end during the outage' ? [1, 2] : [1];
          early.forEach((n) => end(String(n)));
          await until(() => early.every((n) => count(`ended ${n}`) === 1) || undefined);
          await server.start();
          await until(() => (count('took 1') + count('took 2') === 4 ? true : undefined));
          end('all'); // also the abandoned ones
          await trial.jobs.add(trial.pool, 'wait', { n: 3 });
          await until(() => (count('took 3') > 0 ? true : undefined));
          await until(async () => {
            end('all');
            const { rows } = await trial.pool.query(`select count(*)::int as left from ${TRIAL_JOBS}._private_jobs`);
            return rows[0].left === 0 ? true : undefined;
          });
          expect(child.exitCode).toBeNull();
        } finally {
          child.kill('SIGKILL');
          await exited;
          await runIn(own.url, `delete from ${TRIAL_JOBS}._private_jobs`);
        }
      },
    );
  });

  it('complete their running jobs before they stop', async () => {
    let ended = false;
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    let hasStarted = false;
    const slow: Task = async () => {
      hasStarted = true;
      await held;
      ended = true;
    };
    await workers({ slow });
    await jobs.add(pool, 'slow', {});
    await until(() => (hasStarted ? true : undefined));
    const stopped = started.pop()?.stop();
    finish();
    await stopped;
    expect([ended, await waiting()]).toEqual([true, 0]);
  });
});
