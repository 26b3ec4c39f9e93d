import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Pool } from 'pg';
import pino from 'pino';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { type Workers, startWorkers } from '../../../subgraphs/server/jobs/job-workers';
import type { JobQueue, Task } from '../../../subgraphs/server/jobs/jobs';
import { TRIAL_JOBS, type TrialJobs, sessionsWith, storedJobs, sweeps, trialJobs } from '../../support/job-database';
import {
  type ControlledPostgres,
  type FreshDatabase,
  controlledPostgres,
  freshDatabase,
  runIn,
} from '../../support/postgres';
import { silencedProxy } from '../../support/silenced-proxy';
import { until } from '../../support/until';

const logger = pino({ level: 'silent' });

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
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

async function workers(tasks: Record<string, Task>): Promise<void> {
  started.push(await startWorkers({ address: trial.address, schema: TRIAL_JOBS, tasks, logger, concurrency: 2 }));
}

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
    await sweeps(trial, 9); // by three sweepers: at least one of them has run three times
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

  it('continue at the server that takes over from one that no longer responds', async () => {
    const proxy = await silencedProxy(database.url);
    try {
      const done: unknown[] = [];
      const tasks = { note: async (payload: unknown) => void done.push(payload) };
      const through = { ...trial.address, url: proxy.url };
      started.push(await startWorkers({ address: through, schema: TRIAL_JOBS, tasks, logger, concurrency: 2 }));
      await jobs.add(pool, 'note', { n: 1 });
      await until(async () => ((await storedJobs(pool)) === 0 ? true : undefined));
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
      const locks = (await until(() => sessionsWith(pool, 'select pg_advisory_lock(hashtextextended'))) as number[];
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
    let restarted: TrialJobs;
    beforeAll(async () => {
      server = await controlledPostgres();
      own = await freshDatabase(server);
      restarted = await trialJobs(own.url);
    });
    afterAll(async () => {
      await restarted?.pool.end();
      await server?.remove();
    });

    it.each(['end during the outage', 'are abandoned before the last one ends'])(
      'continue to run, and repeat the jobs if they %s',
      async (when) => {
        const { child, count } = await workerProcess(own.url);
        const exited = once(child, 'exit');
        try {
          for (const n of [1, 2]) await restarted.jobs.add(restarted.pool, 'wait', { n });
          await until(() => (count('took 1') + count('took 2') === 2 ? true : undefined));
          await server.kill();
          const end = (which: string) => child.stdin.write(`${which}\n`);
          const early = when === 'end during the outage' ? [1, 2] : [1];
          early.forEach((n) => end(String(n)));
          await until(() => early.every((n) => count(`ended ${n}`) === 1) || undefined);
          await server.start();
          await until(() => (count('took 1') + count('took 2') === 4 ? true : undefined));
          end('all'); // also the abandoned ones
          await restarted.jobs.add(restarted.pool, 'wait', { n: 3 });
          await until(() => (count('took 3') > 0 ? true : undefined));
          await until(async () => {
            end('all');
            const { rows } = await restarted.pool.query(
              `select count(*)::int as left from ${TRIAL_JOBS}._private_jobs`,
            );
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
});
