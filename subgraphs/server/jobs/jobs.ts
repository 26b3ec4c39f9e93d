import { Logger as JobLogger, runMigrations } from 'graphile-worker';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { logError } from '../observability/error-log';
import type { Session } from '../database/transaction';

/** Maximum delay between two attempts of a job. The queue itself would wait for up to six hours. */
export const MAX_RETRY_DELAY_SECONDS = 30;

/** When and how a job runs. */
export interface JobOptions {
  /** Earliest start by the register's clock; default: at once. */
  readonly runAt?: Date;
  /** Earliest start in seconds from now, by real time. */
  readonly afterSeconds?: number;
  /** At most one waiting job has a key: adding another one replaces it. */
  readonly key?: string;
  /** Lower priorities run earlier; default 0. */
  readonly priority?: number;
  /** Default 25. */
  readonly maxAttempts?: number;
}

/** Work that runs at least once after a transaction has committed, even if the process crashes. */
export interface JobQueue {
  /** Adds a job in the session's transaction. The payload is stored in clear: encrypt personal data and secrets. */
  add(session: Session, task: string, payload: unknown, options?: JobOptions): Promise<void>;
  /** Adds the job `{ id }` with the key `<task> <id>` for each `id` that the statement `rows` selects, unless a job has that key. */
  addMissing(
    session: Session,
    task: string,
    rows: string,
    options: Pick<JobOptions, 'priority' | 'maxAttempts'>,
  ): Promise<void>;
}

/** The attempt of a job; numbers start at 1. */
export interface Attempt {
  readonly number: number;
  readonly isLast: boolean;
}

/** The work of jobs of one name. A crash may repeat it from any point; a rejected promise schedules another attempt. */
export type Task = (payload: unknown, attempt: Attempt) => Promise<void>;

/** Flag of jobs that start at an instant of the register's clock: a change of the clock does not move it. */
export const DATED = 'dated';

/** Returns the queue whose tables are in the given schema. */
export function jobQueue(schema: string): JobQueue {
  const text = `select from ${schema}.add_job($1, $2::json, run_at := case when $3::float8 is not null then now() + $3 * interval '1 s'
    else now() + ($4::timestamptz - register_now()) end, job_key := $5, priority := $6, max_attempts := $7,
    flags := case when $4 is not null then array['${DATED}'] end)`;
  return {
    async add(session, task, payload, { runAt, afterSeconds, key, priority, maxAttempts } = {}) {
      const values = [task, JSON.stringify(payload ?? {}), afterSeconds, runAt, key, priority, maxAttempts];
      await session.query({ name: `add_job_${schema}`, text, values: values.map((value) => value ?? null) });
    },
    async addMissing(session, task, rows, { priority, maxAttempts }) {
      const key = `$1::text || ' ' || selected.id`;
      await session.query(
        `select from (${rows}) selected cross join lateral ${schema}.add_job($1, json_build_object('id', selected.id),
          job_key := ${key}, priority := $2, max_attempts := $3)
         where not exists (select from ${schema}.jobs job where job.key = ${key})`,
        [task, priority ?? null, maxAttempts ?? null],
      );
    },
  };
}

/**
 * Brings a schema of jobs up to date as the database owner, and grants the subgraph's login, if there is one, the rights
 * to add and run jobs.
 */
export async function installJobs(
  session: Session,
  schema: string,
  { url, role }: { readonly url: string; readonly role: string | undefined },
): Promise<void> {
  const pgPool = new Pool({ connectionString: url, max: 1 });
  pgPool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool, schema, logger: SILENT, noHandleSignals: true });
  } finally {
    await pgPool.end();
  }
  await session.query(DISABLE_ROW_SECURITY(schema));
  if (role !== undefined) await session.query(RIGHTS(schema, `"${role}"`));
}

const SILENT = new JobLogger(() => () => undefined);

const TABLES = ['_private_jobs', '_private_job_queues', '_private_tasks'];

/**
 * Disables row level security, which without a policy hides every row from the subgraph's login. {@link RIGHTS} limits
 * the login.
 */
const DISABLE_ROW_SECURITY = (schema: string): string => `
  do $$ declare hidden name; begin
    for hidden in select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = '${schema}' and c.relrowsecurity and c.relname in (${TABLES.map((table) => `'${table}'`).join(', ')})
    loop execute format('alter table ${schema}.%I disable row level security', hidden); end loop;
  end $$`;

const RIGHTS = (schema: string, role: string): string => `
  grant usage on schema ${schema} to ${role};
  grant select on ${schema}.jobs to ${role};
  grant select, insert on ${schema}._private_tasks to ${role};
  grant select, insert, update on ${schema}._private_job_queues to ${role};
  grant select, insert, update, delete on ${schema}._private_jobs to ${role}`;

/**
 * Messages of Graphile Worker (0.17) after a migration of a job schema. It notifies the workers of all schemas of the
 * database; they end, and `startWorkers` starts them again.
 */
const MIGRATED =
  /^Graphile Worker detected breaking migration|^gracefulShutdown called when gracefulShutdown is already in progress/;

/** Message of a failed poll for jobs. */
const FAILED_POLL = /^Failed to acquire job:/;

/**
 * Writes the warnings and errors of the queue itself to the service log, without payloads and without a line for each
 * job.
 */
export function jobLog(logger: Logger, onFailedPoll: () => void): JobLogger {
  return new JobLogger(({ taskIdentifier, jobId }) => (level, message, facts = {}) => {
    if (MIGRATED.test(message)) return;
    if (FAILED_POLL.test(message)) onFailedPoll();
    // job-workers logs failed jobs itself.
    const isQueueProblem = (level === 'error' || level === 'warning') && facts['failure'] !== true;
    if (!isQueueProblem) return;
    const fields = { task: taskIdentifier, job: jobId, report: message };
    logError(logger, level === 'error' ? 'error' : 'warn', facts['error'] ?? facts['fatalError'], fields, 'job queue');
  });
}
