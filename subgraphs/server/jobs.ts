import { Logger as JobLogger, runMigrations } from 'graphile-worker';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import type { QueryRunner } from 'typeorm';
import type { DatabaseAddress } from './database-login';
import { logFault } from './fault-log';
import type { Session } from './transaction';

/** When and how a job is done. */
export interface JobOptions {
  /** Not before this instant of the register's clock; otherwise at once. */
  readonly runAt?: Date;
  /** Not before so many seconds from now. */
  readonly afterSeconds?: number;
  /** One job of a key at a time: adding it again replaces the one that waits. */
  readonly key?: string;
  /** The lower, the earlier; 0 unless given. */
  readonly priority?: number;
  /** How often it is tried; 25 times unless given. */
  readonly maxAttempts?: number;
}

/** Work to be done after a transaction, if it is committed: once at least, also after a kill. */
export interface JobQueue {
  /** Adds a job in the transaction of the session. A payload is stored as it is: nothing personal or secret, unless sealed. */
  add(session: Session, task: string, payload: unknown, options?: JobOptions): Promise<void>;
}

/** Which attempt a job is at, from 1. */
export interface Attempt {
  readonly number: number;
  readonly isLast: boolean;
}

/** What is done for jobs of one name. It may be repeated at any point; a failure makes it run again later. */
export type Task = (payload: unknown, attempt: Attempt) => Promise<void>;

/** Jobs in a schema of the database of their own. */
export function jobQueue(schema: string): JobQueue {
  const text = `select from ${schema}.add_job($1, $2::json, run_at := case when $3::float8 is not null then now() + $3 * interval '1 s'
    else now() + ($4::timestamptz - register_now()) end, job_key := $5, priority := $6, max_attempts := $7)`;
  return {
    async add(session, task, payload, { runAt, afterSeconds, key, priority, maxAttempts } = {}) {
      const values = [task, JSON.stringify(payload ?? {}), afterSeconds, runAt, key, priority, maxAttempts];
      await session.query({ name: `add_job_${schema}`, text, values: values.map((value) => value ?? null) });
    },
  };
}

/** Brings a schema of jobs up to date, as the owner, and gives the subgraph's login what adding and doing jobs needs. */
export async function installJobs(session: QueryRunner, schema: string, { url, role }: DatabaseAddress): Promise<void> {
  const pgPool = new Pool({ connectionString: url, max: 1 });
  pgPool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool, schema, logger: SILENT, noHandleSignals: true });
  } finally {
    await pgPool.end();
  }
  await session.query(ROWS_FOR_THE_LOGIN(schema));
  await session.query(RIGHTS(schema, role));
}

const SILENT = new JobLogger(() => () => undefined);

const TABLES = ['_private_jobs', '_private_job_queues', '_private_tasks'];

/** Row security without a policy hides every row from all but the owner: the rights below say who may do what. */
const ROWS_FOR_THE_LOGIN = (schema: string): string => `
  do $$ declare hidden name; begin
    for hidden in select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = '${schema}' and c.relrowsecurity and c.relname in (${TABLES.map((table) => `'${table}'`).join(', ')})
    loop execute format('alter table ${schema}.%I disable row level security', hidden); end loop;
  end $$`;

const RIGHTS = (schema: string, role: string): string => `
  grant usage on schema ${schema} to ${role};
  grant select, insert on ${schema}._private_tasks to ${role};
  grant select, insert, update on ${schema}._private_job_queues to ${role};
  grant select, insert, update, delete on ${schema}._private_jobs to ${role}`;

/**
 * A schema of jobs was brought up to date somewhere in the database: those who do the jobs of any schema end, and begin again
 * (`startWorkers`). It is announced to all of them, whichever schema it was.
 */
const MIGRATED =
  /^Graphile Worker detected breaking migration|^gracefulShutdown called when gracefulShutdown is already in progress/;

/** A look for jobs failed: of workers that fetch ahead, and of those that fetch one by one. */
const FAILED_LOOK = /^Error occurred fetching jobs|^Failed to acquire job:/;

/**
 * What the queue itself reports, in the log of the service: never a payload, never the routine of each job. Nothing while it gives up
 * jobs that it had fetched ahead, since it may fail to give them back: those who do its jobs then do these, too.
 */
export function jobLog(
  logger: Logger,
  isGivingUp: () => boolean = () => false,
  onFailedLook: () => void = () => undefined,
): JobLogger {
  return new JobLogger(({ taskIdentifier, jobId }) => (level, message, facts = {}) => {
    if (isGivingUp() || MIGRATED.test(message)) return;
    if (FAILED_LOOK.test(message)) onFailedLook();
    const isOfItself = (level === 'error' || level === 'warning') && facts['failure'] !== true; // tasks tell their failures
    if (!isOfItself) return;
    const told = { task: taskIdentifier, job: jobId, report: message };
    logFault(logger, level === 'error' ? 'error' : 'warn', facts['error'] ?? facts['fatalError'], told, 'job queue');
  });
}
