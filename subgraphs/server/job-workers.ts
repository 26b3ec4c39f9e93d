import { setTimeout as wait } from 'node:timers/promises';
import { type TaskList, type WorkerPool, type WorkerUtilsOptions, runTaskList } from 'graphile-worker';
import { Client, Pool } from 'pg';
import type { Logger } from 'pino';
import { sessionOptions } from './database';
import type { DatabaseAddress } from './database-login';
import { failureFacts } from './failures';
import { type Task, jobLog } from './jobs';
import { repeat } from './repeat';

/** Which jobs are done here, and how many at once. */
export interface WorkerOptions {
  readonly address: DatabaseAddress;
  /** Schema of the jobs. */
  readonly schema: string;
  readonly tasks: Readonly<Record<string, Task>>;
  readonly logger: Logger;
  readonly concurrency: number;
  /** For many short jobs: a statement fetches or ends many, and as many as there are workers may be fetched and not yet begun. */
  readonly fetchAhead?: FetchAhead;
}

/** How jobs are fetched ahead. */
export interface FetchAhead {
  /** Milliseconds until the next look after one that found none, whatever is announced; none unless given. */
  readonly pauseMs?: number | undefined;
}

/** Workers of this process. */
export interface Workers {
  /** Takes no more jobs; resolves when those under way are done, or were given back after some seconds. */
  stop(): Promise<void>;
}

/** Milliseconds between looks for jobs whose time has come; new ones are announced by the database. */
const LOOK_EVERY = 1_000;
/** Milliseconds after which workers whose database went away begin again. */
const BEGIN_AGAIN_AFTER = 500;
/** Sessions of workers that fetch ahead, and milliseconds after which a job that was fetched and not begun is left to others. */
const SESSIONS_AHEAD = 4;
const UNBEGUN = 2_000;
/** Milliseconds that jobs under way get when the workers are to stop. */
const GRACE = 4_000;

/**
 * Does the jobs of a schema. Every replica may; each job is done by one of them. Workers hold an advisory lock of their own name as
 * long as they live: when it is found free twice, a second apart, the others take over their jobs.
 */
export async function startWorkers(options: WorkerOptions): Promise<Workers> {
  const { address, concurrency, logger, schema } = options;
  const pool = new Pool({ ...sessionOptions(address), max: options.fetchAhead ? SESSIONS_AHEAD : concurrency + 2 });
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const stopping = new AbortController();
  let shift: Shift | undefined = await beginShift(options, pool);
  const stopSweeping = repeat(
    LOOK_EVERY / 1000,
    sweep(pool, schema, () => shift?.look()),
    logger,
  );
  const shifts = (async () => {
    while (!stopping.signal.aborted) {
      await (shift === undefined ? wait(BEGIN_AGAIN_AFTER) : shift.over(stopping.signal));
      if (stopping.signal.aborted) return;
      shift = await beginShift(options, pool).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await shifts;
      await shift?.end();
      await stopSweeping();
      await pool.end();
    },
  };
}

/** Workers and the lock that shows that they live: when either is lost, both end. */
interface Shift {
  look(): void;
  /** Resolves when it ended by itself, or is to. */
  over(stopping: AbortSignal): Promise<void>;
  end(): Promise<void>;
}

async function beginShift(options: WorkerOptions, pool: Pool): Promise<Shift> {
  const { address, schema, concurrency, logger } = options;
  const lock = new Client(sessionOptions(address));
  const lockLost = new Promise<void>((resolve) => void lock.on('error', () => resolve()).on('end', () => resolve()));
  await lock.connect();
  // What the first look learns of its tasks, the library (0.17) asks for once: where that fails, so does every later look.
  let lookFailed: () => void = () => undefined;
  const failed = new Promise<void>((resolve) => (lookFailed = resolve)).then(() => wait(BEGIN_AGAIN_AFTER));
  let ending: Promise<void> | undefined;
  let isEnding = false;
  const workers = runTaskList(
    {
      schema,
      concurrency,
      noHandleSignals: true,
      pollInterval: LOOK_EVERY,
      logger: jobLog(
        logger,
        () => isEnding && options.fetchAhead !== undefined,
        () => lookFailed(),
      ),
      ...(options.fetchAhead && { preset: ahead(concurrency, options.fetchAhead) }),
    },
    taskList(options),
    pool,
  );
  const end = () => {
    isEnding = true;
    return (ending ??= endWorkers(workers).finally(() => lock.end().catch(() => undefined)));
  };
  try {
    await lock.query('select pg_advisory_lock(hashtextextended($1, 0))', [workers.id]);
  } catch (error) {
    await end();
    throw error;
  }
  const ended = Promise.race([lockLost, failed, settled(workers.promise)]);
  return {
    look: () => workers.nudge(concurrency),
    over: async (stopping) => {
      const heard = new AbortController();
      await Promise.race([ended, aborted(stopping, heard.signal)]).finally(() => heard.abort());
      if (!stopping.aborted) await end();
    },
    end,
  };
}

/** The library's queue in the process: each statement fetches or ends many jobs. */
function ahead(size: number, { pauseMs }: FetchAhead): WorkerUtilsOptions['preset'] {
  const refetchDelay =
    pauseMs === undefined ? undefined : { durationMs: pauseMs, maxAbortThreshold: Number.POSITIVE_INFINITY };
  return {
    worker: {
      localQueue: { size, ttl: UNBEGUN, ...(refetchDelay && { refetchDelay }) },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  };
}

async function endWorkers(workers: WorkerPool): Promise<void> {
  const late = wait(GRACE, 'late', { ref: false });
  const graceful = settled(Promise.resolve(workers.gracefulShutdown()));
  if ((await Promise.race([graceful, late])) !== 'late') return;
  await settled(Promise.resolve(workers.forcefulShutdown('the process ends')));
}

/** The queue keeps and logs the message of a failure: it gets its kind and code only, since messages quote values. */
function taskList({ tasks, logger }: WorkerOptions): TaskList {
  const guarded = (name: string, task: Task): TaskList[string] =>
    async function run(payload, { job }) {
      try {
        await task(payload, { number: job.attempts, isLast: job.attempts >= job.max_attempts });
      } catch (error) {
        const failure = failureFacts(error);
        logger.warn({ task: name, job: job.id, attempt: job.attempts, failure }, 'job failed');
        throw Object.assign(new Error([failure['kind'], failure['code']].join(' ')), { stack: '' });
      }
    };
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, guarded(name, task)]));
}

/** Those who have jobs and hold no lock: it can be had. */
const WITHOUT_LOCK = (schema: string): string => `
  select locked_by from (select distinct locked_by from ${schema}._private_jobs where locked_by is not null) holder
  where pg_try_advisory_xact_lock(hashtextextended(locked_by, 0))`;

/** Seconds between two attempts at most: the queue itself would wait for up to six hours. */
const LONGEST_WAIT = 30;

/** Nothing is kept of a job that will not be tried again. */
const TIDY = (schema: string): string => `
  with over as (delete from ${schema}._private_jobs where attempts >= max_attempts and locked_by is null)
  update ${schema}._private_jobs set run_at = now() + interval '${LONGEST_WAIT} s'
  where last_error is not null and locked_by is null and run_at > now() + interval '${LONGEST_WAIT} s'`;

/** Takes over the jobs of the dead. */
function sweep(pool: Pool, schema: string, look: () => void): () => Promise<void> {
  let missed: ReadonlySet<string> = new Set();
  return async () => {
    const { rows } = await pool.query<{ locked_by: string }>(WITHOUT_LOCK(schema));
    const dead = rows.map((row) => row.locked_by).filter((holder) => missed.has(holder));
    missed = new Set(rows.map((row) => row.locked_by));
    if (dead.length > 0) {
      await pool.query(`select ${schema}.force_unlock_workers($1)`, [dead]);
      look();
    }
    await pool.query(TIDY(schema));
  };
}

function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => undefined,
    () => undefined,
  );
}

/** Until a signal aborts; nobody listens to it any more once the other one has. */
function aborted(signal: AbortSignal, heard: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true, signal: heard }));
}
