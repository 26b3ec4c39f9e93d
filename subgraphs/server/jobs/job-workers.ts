import { setTimeout as wait } from 'node:timers/promises';
import { type TaskList, type WorkerPool, type WorkerUtilsOptions, runTaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { openPool, sessionOptions } from '../database/database';
import type { DatabaseAddress } from '../database/database-login';
import { errorFields } from '../observability/failures';
import { logError } from '../observability/error-log';
import { endsBefore, graceful } from '../graceful-stop';
import { jobSweep } from './job-sweep';
import { type Task, jobLog } from './jobs';
import { ENDS_WHEN_SILENT, ENDS_WHEN_UNREAD, openLockSession } from '../database/lock-session';
import { repeat } from './repeat';

/** Which jobs this process runs, and how many at a time. */
interface WorkerOptions {
  readonly address: DatabaseAddress;
  /** Schema of the jobs. */
  readonly schema: string;
  readonly tasks: Readonly<Record<string, Task>>;
  readonly logger: Logger;
  readonly concurrency: number;
}

/** The job workers of this process. */
export interface Workers {
  /**
   * Takes no more jobs; resolves when running jobs have ended, or were released because `forced` aborted. A second call returns the first
   * promise.
   */
  stop(forced?: AbortSignal): Promise<void>;
}

/** Interval of polls for jobs that have become due. The database announces new jobs. */
const POLL_INTERVAL_MS = 1_000;
/** Pause before workers whose database became unavailable start again. */
const RESTART_DELAY_MS = 500;
/** Time that the library has to release jobs that did not end in time. */
const RELEASE_TIMEOUT_MS = 2_000;
/** Maximum wait for sessions to close: a session whose server is lost never confirms it. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Runs the Graphile Worker jobs of a schema. Replicas compete; each job runs on one of them. Workers hold an advisory
 * lock on their id; when two checks one second apart find it free, another replica unlocks their jobs.
 */
export async function startWorkers(options: WorkerOptions): Promise<Workers> {
  const stopping = new AbortController();
  options.address.connections.reserve(poolSizeOf(options) + 1);
  let session: WorkerSession | undefined = await startSession(options);
  const stopSweeping = repeat(POLL_INTERVAL_MS / 1000, async () => session?.sweep(), options.logger);
  const sessions = (async () => {
    while (!stopping.signal.aborted) {
      await (session === undefined ? wait(RESTART_DELAY_MS) : session.over(stopping.signal));
      if (stopping.signal.aborted) return;
      const ended = session;
      session = undefined; // no sweep starts in a session that ends
      await ended?.end();
      session = await startSession(options).catch(() => undefined);
    }
  })();
  const stop = async (forced = graceful()) => {
    stopping.abort();
    await Promise.all([sessions, stopSweeping()]);
    await session?.end(forced);
  };
  let stopped: Promise<void> | undefined;
  return { stop: (forced) => (stopped ??= stop(forced)) };
}

/**
 * Workers, their database sessions, and the lock that shows that they run. If one of them is lost, all end: the server
 * of the others may be lost too. Graphile Worker also ends its workers when any schema of the database is migrated.
 */
interface WorkerSession {
  /** Unlocks the jobs of crashed workers. */
  sweep(): Promise<void>;
  /** Resolves when a part of the session has ended, or when `stopping` aborts. */
  over(stopping: AbortSignal): Promise<void>;
  /** Ends all parts of the session, after a sweep under way, and after running jobs unless `forced` aborts. */
  end(forced?: AbortSignal): Promise<void>;
}

/** A connection for each job under way, and two for polls and notifications; the lock has a connection of its own. */
const poolSizeOf = ({ concurrency }: WorkerOptions) => concurrency + 2;

async function startSession(options: WorkerOptions): Promise<WorkerSession> {
  const { address, schema, concurrency, logger } = options;
  const lock = await openLockSession(sessionOptions(address, ENDS_WHEN_SILENT));
  const config = sessionOptions(address, ENDS_WHEN_UNREAD);
  const pool = toleratingSecondRelease(openPool({ ...config, max: poolSizeOf(options) }));
  // Graphile Worker (0.17) reads the ids of its tasks once, at the first poll. If that fails, all later polls fail too,
  // so the session restarts.
  let onFailedPoll: () => void = () => undefined;
  const failed = new Promise<void>((resolve) => (onFailedPoll = resolve)).then(() => wait(RESTART_DELAY_MS));
  const abandoned = new AbortController();
  let ending: Promise<void> | undefined;
  const workers = runTaskList(
    {
      schema,
      concurrency,
      noHandleSignals: true,
      pollInterval: POLL_INTERVAL_MS,
      logger: jobLog(logger, () => onFailedPoll()),
      preset: { worker: BATCHED_RESULTS },
    },
    taskList(options, abandoned.signal),
    pool,
  );
  const sweep = jobSweep(pool, schema, () => workers.nudge(concurrency));
  let sweeping = Promise.resolve();
  const closePool = () => settled(sweeping).then(() => pool.end());
  const end = (forced = graceful()) =>
    (ending ??= endWorkers(workers, abandoned, forced).finally(async () => {
      await Promise.all([lock.end(), within(CLOSE_TIMEOUT_MS, closePool())]);
    }));
  try {
    await lock.hold(workers.id);
  } catch (error) {
    await end();
    throw error;
  }
  const ended = Promise.race([lock.over, failed, settled(workers.promise)]);
  return {
    sweep: () => (sweeping = sweep()),
    over: async (stopping) => {
      const listening = new AbortController();
      await Promise.race([ended, aborted(stopping, listening.signal)]).finally(() => listening.abort());
    },
    end,
  };
}

type ConnectCallback = Parameters<Pool['connect']>[0];

/**
 * Ignores the second release of a client. Graphile Worker (0.17) releases the client of its notifications again if its LISTEN fails after the
 * workers have stopped, and the exception of pg-pool would end the process.
 */
function toleratingSecondRelease(pool: Pool): Pool {
  const connect = pool.connect.bind(pool);
  const connectTolerating = (callback: ConnectCallback): void =>
    connect((error, client, release) => {
      let isReleased = false;
      const releaseOnce: typeof release = (destroy) => {
        if (!isReleased) release(destroy);
        isReleased = true;
      };
      if (client === undefined)
        callback(error, client, release); // an ended pool passes no `release` either
      else callback(error, client, releaseOnce);
    });
  return Object.assign(pool, {
    connect: (callback?: ConnectCallback) => (callback === undefined ? connect() : connectTolerating(callback)),
  });
}

type WorkerPreset = NonNullable<NonNullable<WorkerUtilsOptions['preset']>['worker']>;

/**
 * Reports jobs that end in one event-loop tick in one statement. Without these options Graphile Worker (0.17) does not
 * handle a failure of that statement: the unhandled rejection would end the process when the database is unavailable.
 */
const BATCHED_RESULTS: WorkerPreset = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** Ends the workers. The sweep of other workers unlocks jobs that cannot be released. */
async function endWorkers(workers: WorkerPool, abandoned: AbortController, forced: AbortSignal): Promise<void> {
  const ended = settled(Promise.resolve(workers.gracefulShutdown()));
  if (await endsBefore(forced, ended)) return;
  abandoned.abort();
  await within(RELEASE_TIMEOUT_MS, settled(Promise.resolve(workers.forcefulShutdown('the process ends'))));
}

const within = (milliseconds: number, ending: Promise<void>) => endsBefore(AbortSignal.timeout(milliseconds), ending);

/**
 * Wraps the tasks for Graphile Worker. The queue stores and logs the message of a failure, so it receives only kind and
 * code: messages quote values. The promise of an abandoned job never settles: the library no longer accepts its result,
 * and the unhandled rejection would end the process.
 */
function taskList({ tasks, logger }: WorkerOptions, abandoned: AbortSignal): TaskList {
  const guarded = (name: string, task: Task): TaskList[string] =>
    async function run(payload, { job }) {
      try {
        await task(payload, { number: job.attempts, isLast: job.attempts >= job.max_attempts });
      } catch (error) {
        const failure = errorFields(error);
        logError(logger, 'warn', error, { task: name, job: job.id, attempt: job.attempts, failure }, 'job failed');
        if (!abandoned.aborted)
          throw Object.assign(new Error([failure['kind'], failure['code']].join(' ')), { stack: '' });
      }
      if (abandoned.aborted) await NEVER;
    };
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, guarded(name, task)]));
}

/** Never settles: Graphile Worker must not complete a job that this process has abandoned. */
const NEVER = new Promise<never>(() => undefined);

function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => undefined,
    () => undefined,
  );
}

/** Resolves when `signal` aborts; removes its listener when `listening` aborts. */
function aborted(signal: AbortSignal, listening: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true, signal: listening }));
}
