import { setTimeout as wait } from 'node:timers/promises';
import { type TaskList, type WorkerPool, type WorkerUtilsOptions, runTaskList } from 'graphile-worker';
import type { Logger } from 'pino';
import { openPool, sessionOptions } from './database';
import type { DatabaseAddress } from './database-login';
import { failureFacts } from './failures';
import { logFault } from './fault-log';
import { jobSweep } from './job-sweep';
import { type Task, jobLog } from './jobs';
import { ENDS_WHEN_SILENT, openLockSession } from './lock-session';
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
/** Milliseconds that jobs under way get when the workers are to stop, and then the library to give them back. */
const GRACE = 4_000;
const GIVE_BACK_WITHIN = 2_000;
/** Milliseconds for the end of sessions: those without a server never confirm it. */
const CLOSED_WITHIN = 1_000;

/**
 * Does the jobs of a schema. Every replica may; each job is done by one of them. Workers hold an advisory lock of their own name as
 * long as they live: when it is found free twice, a second apart, the others take over their jobs.
 */
export async function startWorkers(options: WorkerOptions): Promise<Workers> {
  const stopping = new AbortController();
  let shift: Shift | undefined = await beginShift(options);
  const stopSweeping = repeat(LOOK_EVERY / 1000, async () => shift?.sweep(), options.logger);
  const shifts = (async () => {
    while (!stopping.signal.aborted) {
      await (shift === undefined ? wait(BEGIN_AGAIN_AFTER) : shift.over(stopping.signal));
      if (stopping.signal.aborted) return;
      shift = await beginShift(options).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await Promise.all([shifts, stopSweeping()]);
      await shift?.end();
    },
  };
}

/** Workers, the lock that shows that they live, and their sessions: when one is lost, all end, since none may have a server any more. */
interface Shift {
  /** Takes over the jobs of the dead. */
  sweep(): Promise<void>;
  /** Resolves when it ended by itself, or is to. */
  over(stopping: AbortSignal): Promise<void>;
  end(): Promise<void>;
}

async function beginShift(options: WorkerOptions): Promise<Shift> {
  const { address, schema, concurrency, logger } = options;
  const lock = await openLockSession(sessionOptions(address, ENDS_WHEN_SILENT));
  const pool = openPool({ ...sessionOptions(address), max: options.fetchAhead ? SESSIONS_AHEAD : concurrency + 2 });
  // What the first look learns of its tasks, the library (0.17) asks for once: where that fails, so does every later look.
  let lookFailed: () => void = () => undefined;
  const failed = new Promise<void>((resolve) => (lookFailed = resolve)).then(() => wait(BEGIN_AGAIN_AFTER));
  const givenUp = new AbortController();
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
      preset: { worker: { ...TOGETHER, ...(options.fetchAhead && ahead(concurrency, options.fetchAhead)) } },
    },
    taskList(options, givenUp.signal),
    pool,
  );
  const end = () => {
    isEnding = true;
    return (ending ??= endWorkers(workers, givenUp).finally(async () => {
      await Promise.all([lock.end(), within(CLOSED_WITHIN, pool.end())]);
    }));
  };
  try {
    await lock.hold(workers.id);
  } catch (error) {
    await end();
    throw error;
  }
  const ended = Promise.race([lock.over, failed, settled(workers.promise)]);
  return {
    sweep: jobSweep(pool, schema, () => workers.nudge(concurrency)),
    over: async (stopping) => {
      const heard = new AbortController();
      await Promise.race([ended, aborted(stopping, heard.signal)]).finally(() => heard.abort());
      if (!stopping.aborted) await end();
    },
    end,
  };
}

type WorkerPreset = NonNullable<NonNullable<WorkerUtilsOptions['preset']>['worker']>;

/**
 * Jobs that end in one turn of the event loop are reported by one statement. Without this the library (0.17) leaves the failure of that
 * statement to nobody, which ends the process when the database is away.
 */
const TOGETHER: WorkerPreset = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** The library's queue in the process: each statement fetches many jobs. */
function ahead(size: number, { pauseMs }: FetchAhead): WorkerPreset {
  const refetchDelay =
    pauseMs === undefined ? undefined : { durationMs: pauseMs, maxAbortThreshold: Number.POSITIVE_INFINITY };
  return { localQueue: { size, ttl: UNBEGUN, ...(refetchDelay && { refetchDelay }) } };
}

/** Ends the workers within seconds: jobs that last longer, or cannot be given back, are left to the sweep of other workers. */
async function endWorkers(workers: WorkerPool, givenUp: AbortController): Promise<void> {
  const graceful = settled(Promise.resolve(workers.gracefulShutdown()));
  if ((await within(GRACE, graceful)) !== 'late') return;
  givenUp.abort();
  await within(GIVE_BACK_WITHIN, settled(Promise.resolve(workers.forcefulShutdown('the process ends'))));
}

function within(milliseconds: number, ending: Promise<void>): Promise<void | 'late'> {
  return Promise.race([ending, wait(milliseconds, 'late' as const, { ref: false })]);
}

/**
 * The queue keeps and logs the message of a failure: it gets its kind and code only, since messages quote values. It is never told of the
 * end of a job that was given up: it takes no more reports then, and refuses one to nobody, which ends the process.
 */
function taskList({ tasks, logger }: WorkerOptions, givenUp: AbortSignal): TaskList {
  const guarded = (name: string, task: Task): TaskList[string] =>
    async function run(payload, { job }) {
      try {
        await task(payload, { number: job.attempts, isLast: job.attempts >= job.max_attempts });
      } catch (error) {
        const failure = failureFacts(error);
        logFault(logger, 'warn', error, { task: name, job: job.id, attempt: job.attempts, failure }, 'job failed');
        if (!givenUp.aborted)
          throw Object.assign(new Error([failure['kind'], failure['code']].join(' ')), { stack: '' });
      }
      if (givenUp.aborted) await NEVER;
    };
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, guarded(name, task)]));
}

/** Of jobs that were given up. */
const NEVER = new Promise<never>(() => undefined);

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
