import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { ADVISORY_LOCKS } from './advisory-locks';
import { MIGRATION_CONNECTION_TIMEOUT_MS, type Migration, applyMissing } from './apply-migrations';
import {
  type DatabaseAddress,
  MAX_IDLE_TRANSACTION_MS,
  commandLimits,
  scramVerifier,
  sessionUrl,
} from './database-login';
import { requireDatabaseKind } from './database-kind';
import { errorFields } from '../observability/failures';
import { installJobs } from '../jobs/jobs';
import { type NamedKeys, checkKeys } from './key-check';
import { installClock } from './register-clock';
import { rejectUnfinishedRestore } from '../restore-mark';
import type { Session } from './transaction';

/** The tables of a subgraph: its migrations, and the rights of its login. */
export interface SubgraphTables {
  /** In the order in which they run. */
  readonly migrations: readonly Migration[];
  /**
   * SQL that grants rights to the subgraph's role. It runs at each start, because a restored database may have another
   * role.
   */
  readonly rights: (role: string) => string;
  /** Schema of the subgraph's jobs; undefined for a subgraph without jobs. */
  readonly jobs?: string;
  /** SQL that the owner runs at each start after the migrations. */
  readonly atStart?: string;
  /** Set by a restore, which may use a database that it has marked as incomplete. */
  readonly duringRestore?: true;
}

/**
 * Where the tables of a subgraph are, with the login of the owner, and the login of the subgraph. Without the latter, as for
 * commands in production, no login is created and no right granted: the migration job does so, or the start of a sandbox.
 */
export type MigratedAddress = Pick<DatabaseAddress, 'url' | 'schema'> &
  Partial<Pick<DatabaseAddress, 'role' | 'password'>>;

/** Maximum wait of a step for a lock. Later statements on the same table queue behind the step for as long. */
const LOCK_TIMEOUT_MS = 3_000;
/** Pause after a step that did not get a lock, in which queued statements of other sessions run. */
const RETRY_DELAY_MS = 1_000;
const MAX_ATTEMPTS = 100;
/** Errors of a step that succeeds when it is repeated: a lock was not available, or the step was the victim of a deadlock. */
const REPEATABLE = new Set(['55P03', '40P01']);

/**
 * Brings the schema of one subgraph up to date as the database owner, and creates the login of the subgraph, if the
 * address has one, for which the owner needs the right CREATEROLE. An advisory lock admits one process at a time.
 *
 * @param movableClock true to install a clock that can move (CLOCK_CAN_MOVE), false for a fixed one, undefined to leave
 * it unchanged
 * @param logger receives a line when a step waits for a lock; TypeORM writes nothing
 */
export async function migrate(
  address: MigratedAddress,
  tables: SubgraphTables,
  movableClock: boolean | undefined,
  keys: NamedKeys,
  logger?: Logger,
): Promise<void> {
  const { schema } = address;
  const onWait = () => logger?.warn({ schema }, 'a migration waits for a lock');
  const limits = `-c lock_timeout=${LOCK_TIMEOUT_MS} ${commandLimits(MAX_IDLE_TRANSACTION_MS)}`;
  const url = sessionUrl(address.url, limits);
  const session = new Client({ connectionString: url, connectionTimeoutMillis: MIGRATION_CONNECTION_TIMEOUT_MS });
  session.on('error', () => undefined); // fails the next statement
  await session.connect();
  try {
    await requireDatabaseKind(session);
    await acquireLock(session, onWait);
    if (tables.duringRestore !== true) await rejectUnfinishedRestore(session);
    for (const step of stepsOf({ ...address, url }, tables, movableClock, keys))
      await withRetries(() => step(session), onWait);
  } catch (error) {
    throw new Error(
      `migration of schema ${schema} failed: ${error instanceof Error ? error.message : JSON.stringify(errorFields(error))}`,
      {
        cause: error,
      },
    );
  } finally {
    await session.end().catch(() => undefined); // releases the advisory lock
  }
}

/** Acquires the lock that admits one migrating process. Waiting for it blocks no other session, so there is no limit. */
async function acquireLock(session: Session, onWait: () => void): Promise<void> {
  const acquire = () => session.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
  await acquire().catch(async (error: { code?: string }) => {
    if (error.code !== '55P03') throw error;
    onWait();
    await session.query('set lock_timeout = 0');
    await acquire();
    await session.query('reset lock_timeout');
  });
}

/** A repeatable step that brings part of a schema up to date. */
type Step = (session: Session) => Promise<unknown>;

function stepsOf(
  address: MigratedAddress,
  tables: SubgraphTables,
  movableClock: boolean | undefined,
  keys: NamedKeys,
): Step[] {
  const { url, schema, role, password = '' } = address;
  const { rights, jobs, atStart } = tables;
  return [
    async (session) => {
      await session.query(`create schema if not exists ${schema}`);
      await checkKeys(session, schema, keys);
      if (role !== undefined) await session.query(LOGIN(role, password));
      await installClock(session, movableClock);
    },
    (session) => applyMissing(tables.migrations, session, url, schema),
    async (session) => void (jobs !== undefined && (await installJobs(session, jobs, { url, role }))),
    async (session) => {
      await session.query(`set search_path = ${schema}, register`);
      if (role !== undefined) await session.query(`${CHECKS_AT_START(schema, `"${role}"`)}; ${rights(`"${role}"`)}`);
      if (atStart !== undefined) await session.query(atStart);
    },
  ];
}

/** Rights with which a service that does not migrate checks at its start what the migration job has done. */
const CHECKS_AT_START = (schema: string, grantee: string): string => `
  grant usage on schema register, ${schema} to ${grantee};
  grant select on ${schema}.migration to ${grantee};
  grant select, insert on ${schema}.key_check to ${grantee}`;

/** Repeats a step while it fails because of the locks of other sessions. */
async function withRetries(step: () => Promise<unknown>, onWait: () => void): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return void (await step());
    } catch (error) {
      if (!REPEATABLE.has((error as { code?: string }).code ?? '') || attempt === MAX_ATTEMPTS) throw error;
      if (attempt === 1) onWait();
      await wait(RETRY_DELAY_MS);
    }
  }
}

/**
 * Creates the role or replaces its password; an empty one leaves it unchanged, for logins by certificate. The role
 * belongs to this database, and the advisory lock excludes concurrent creation. Throws for a role that exists with more
 * rights than a service may have.
 */
const LOGIN = (role: string, password: string): string => `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${role}') then create role "${role}"; end if;
    if exists (select from pg_roles where rolname = '${role}' and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls
      or rolreplication or rolname in (current_user, session_user) or exists (select from pg_auth_members where member = pg_roles.oid)))
    then raise exception 'the login ${role} has more rights than a service may have'; end if;
    alter role "${role}" login ${password === '' ? '' : `password '${scramVerifier(password)}'`};
    if not has_database_privilege('${role}', current_database(), 'connect') then
      execute format('grant connect on database %I to %I', current_database(), '${role}');
    end if;
  end $$`;
