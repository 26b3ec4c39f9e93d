import type { Pool } from 'pg';
import pino from 'pino';
import { type Workers, startWorkers } from '../../../subgraphs/server/jobs/job-workers';
import { recoverableJob } from '../../../subgraphs/server/jobs/recoverable-job';
import type { JobQueue, Task } from '../../../subgraphs/server/jobs/jobs';
import { inTransaction } from '../../../subgraphs/server/database/transaction';
import { TRIAL_JOBS, type TrialJobs, sessionsWith, storedJobs, sweeps, trialJobs } from '../../support/job-database';
import { type FreshDatabase, freshDatabase, runIn } from '../../support/postgres';
import { until } from '../../support/until';

const lines: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });

let database: FreshDatabase;
let trial: TrialJobs;
let pool: Pool;
let jobs: JobQueue;
let started: Workers[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  trial = await trialJobs(database.url);
  ({ pool, jobs } = trial);
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
  started.push(await startWorkers({ address: trial.address, schema: TRIAL_JOBS, tasks, logger, concurrency: 2 }));
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
    await until(async () => ((await storedJobs(pool)) === 0 ? true : undefined));
    // Two jobs run at a time: their order is not defined.
    expect(done).toHaveLength(2);
    expect(done).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }]));
  });

  it('is run by workers even if their first poll failed', async () => {
    const done: unknown[] = [];
    const tasks = `${TRIAL_JOBS}._private_tasks`;
    await runIn(database.url, `revoke select on ${tasks} from ${trial.address.role}`);
    await workers({ note: async (payload) => void done.push(payload) });
    await until(async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and state = 'idle' and query ~ $1`,
        [`^select id, identifier from .*_private_tasks`],
      );
      return rowCount === 0 ? undefined : true;
    });
    await runIn(database.url, `grant select on ${tasks} to ${trial.address.role}`);
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
      const [listener] = await until(() => sessionsWith(pool, 'LISTEN "jobs:insert"'));
      await until(() => sessionsWith(pool, '%.complete_jobs%', 'Lock'));
      await pool.query(`select pg_notify('worker:migrate', '{"breaking":true}')`);
      await until(async () =>
        (await sessionsWith(pool, 'LISTEN "jobs:insert"'))?.some((pid) => pid !== listener) ? true : undefined,
      );
    });
    process.exitCode = undefined; // the library has set it
    await jobs.add(pool, 'note', { n: 1 });
    await sweeps(trial, 1);
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
    await until(async () => ((await storedJobs(pool)) === 0 ? true : undefined));
    expect(done.toSorted((one, other) => one - other)).toEqual(numbers);
  });

  it('is replaced by a new job with its key while it waits', async () => {
    const done: unknown[] = [];
    await jobs.add(pool, 'note', { n: 1 }, { key: 'k' });
    await jobs.add(pool, 'note', { n: 2 }, { key: 'k' });
    await workers({ note: async (payload) => void done.push(payload) });
    await until(async () => ((await storedJobs(pool)) === 0 ? true : undefined));
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
    await sweeps(trial, 1);
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
    await until(async () => ((await storedJobs(pool)) === 0 ? true : undefined));
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

describe('Workers', () => {
  it('continue after the database has terminated all their sessions', async () => {
    const done: unknown[] = [];
    await workers({ note: async (payload) => void done.push(payload) });
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()',
    );
    await jobs.add(pool, 'note', { n: 1 });
    await until(async () => ((await storedJobs(pool)) === 0 ? true : undefined));
    expect(done).toEqual([{ n: 1 }]);
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
    expect([ended, await storedJobs(pool)]).toEqual([true, 0]);
  });
});
