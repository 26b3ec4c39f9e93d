import { Client } from 'pg';
import type { Logger } from 'pino';
import { rejectUnfinishedRestore } from '../restore-mark';
import { appliedMigrations } from './apply-migrations';
import { sessionOptions } from './database';
import { requireDatabaseKind } from './database-kind';
import type { DatabaseAddress } from './database-login';
import { type NamedKeys, compareKeys } from './key-check';
import { type SubgraphTables, migrate } from './migrate';

/**
 * Prepares the schema of a subgraph for a process that serves it. With the owner's login, migrates, and creates the derived
 * login if the subgraph has one. With a login of the subgraph, which the migration job has created, checks that the job
 * has done all that this version needs.
 */
export async function prepare(
  address: DatabaseAddress,
  tables: SubgraphTables,
  movableClock: boolean | undefined,
  keys: NamedKeys,
  logger?: Logger,
): Promise<void> {
  const { url, schema, login } = address;
  if (login !== 'service')
    return migrate(login === 'derived' ? address : { url, schema }, tables, movableClock, keys, logger);
  const variable = `${schema.toUpperCase()}_DATABASE_URL`;
  const session = new Client(sessionOptions(address));
  session.on('error', () => undefined); // fails the next statement
  try {
    await session.connect();
    await requireDatabaseKind(session);
    await rejectUnfinishedRestore(session);
    await requireRights(session, address);
    await requireMigrations(session, address, tables, logger);
    if (movableClock !== undefined) await requireClock(session, movableClock);
    await compareKeys(session, schema, keys);
  } catch (error) {
    const { message, code = '' } = error as Error & { code?: string };
    const remedy = LOGIN_ERROR.test(code) ? `; ${MIGRATION_JOB}` : '';
    throw new Error(`${variable} cannot be used: ${message}${remedy}`, { cause: error });
  } finally {
    await session.end().catch(() => undefined);
  }
}

const RIGHTS = `
  select has_schema_privilege(oid, 'usage') as may_use, has_schema_privilege(oid, 'create') as may_create
  from pg_namespace where nspname = $1`;
/** PostgreSQL codes of a login that does not exist, has another password, or has no rights. */
const LOGIN_ERROR = /^(28P01|28000|42501)$/;
const MIGRATION_JOB = 'run the migration job (npm run migrate)';

/** Throws for a login that the migration job has not created, and for one that may change tables. */
async function requireRights(session: Client, { schema }: DatabaseAddress): Promise<void> {
  const { rows } = await session.query<{ may_use: boolean; may_create: boolean }>(RIGHTS, [schema]);
  const [rights] = rows;
  if (rights?.may_use !== true) throw new Error(`the schema ${schema} is not there for this login; ${MIGRATION_JOB}`);
  if (rights.may_create) throw new Error('a service must not have the login of the owner, or another that may create');
}

/** Throws unless all migrations of this release are applied; warns of those of a later one, which may not suit this release. */
async function requireMigrations(
  session: Client,
  { schema }: DatabaseAddress,
  { migrations }: SubgraphTables,
  logger?: Logger,
): Promise<void> {
  const applied = await appliedMigrations(session, schema);
  const missing = migrations.filter(({ name }) => !applied.has(name));
  if (missing.length > 0)
    throw new Error(`${missing.length} migrations of ${schema} have not been applied; ${MIGRATION_JOB}`);
  const own = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied].filter((name) => !own.has(name));
  if (unknown.length > 0)
    logger?.warn({ schema, migrations: unknown }, 'the database has migrations of a later release');
}

const CAN_MOVE = "select to_regprocedure('register.set_clock_offset(integer)') is not null as yes";

/** Throws unless the migration job has installed the clock that this process expects. */
async function requireClock(session: Client, movable: boolean): Promise<void> {
  const { rows } = await session.query<{ yes: boolean }>(CAN_MOVE);
  if (rows[0]?.yes !== movable)
    throw new Error(`CLOCK_CAN_MOVE differs from that of the migration job; ${MIGRATION_JOB}`);
}
