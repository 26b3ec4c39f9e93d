import { DataSource, type MigrationInterface } from 'typeorm';
import { type DatabaseAddress, scramVerifier } from './database-login';
import { failureFacts } from './failures';
import { installJobs } from './jobs';
import { type NamedKeys, checkKeys } from './key-check';
import { installClock } from './register-clock';
import { refuseUnfinishedRestore } from './restore-mark';

/** A migration class of a subgraph, in the order given. */
export type Migration = new () => MigrationInterface;

/** The tables of a subgraph: how they come about, and what its login may do with them. */
export interface SubgraphTables {
  readonly migrations: readonly Migration[];
  /** Grants to the role of the running subgraph; they are repeated at each start, since a restored database may have another login. */
  readonly rights: (role: string) => string;
  /** Schema of the subgraph's jobs, if it has any. */
  readonly jobs?: string;
  /** What the owner does at each start, when the tables are up to date. */
  readonly atStart?: string;
  /** Whether a restore asks, which alone may touch what it has marked. */
  readonly duringRestore?: true;
}

/** Any number: it names the advisory lock under which one process at a time migrates. */
export const MIGRATION_LOCK = 7_423_001;

/**
 * Brings the schema of one subgraph up to date, as the owner, and gives the subgraph its login. Processes that start at once wait
 * for each other. The owner needs no more than the database and CREATEROLE.
 */
export async function migrate(
  address: DatabaseAddress,
  { migrations, rights, jobs, atStart, duringRestore }: SubgraphTables,
  production: boolean,
  keys: NamedKeys,
): Promise<void> {
  const { schema } = address;
  const source = new DataSource({
    type: 'postgres',
    url: address.url,
    schema,
    migrations: [...migrations],
    migrationsTableName: 'migration',
    installExtensions: false,
    poolSize: 2,
    extra: { connectionTimeoutMillis: 10_000 },
  });
  await source.initialize();
  const session = source.createQueryRunner();
  try {
    await session.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    if (duringRestore !== true) await refuseUnfinishedRestore(session);
    await session.query(`create schema if not exists ${schema}`);
    await checkKeys(session, schema, keys);
    await session.query(LOGIN(address));
    await installClock(session, !production);
    await source.runMigrations({ transaction: 'each' });
    if (jobs !== undefined) await installJobs(session, jobs, address);
    await session.query(`grant usage on schema register, ${schema} to ${address.role}`);
    await session.query(`set search_path = ${schema}, register; ${rights(address.role)}`);
    if (atStart !== undefined) await session.query(atStart);
  } catch (error) {
    throw new Error(
      `migration of schema ${schema} failed: ${error instanceof Error ? error.message : JSON.stringify(failureFacts(error))}`,
      {
        cause: error,
      },
    );
  } finally {
    await session.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await session.release();
    await source.destroy();
  }
}

/** The role is this database's own, so nobody else makes it at this moment. */
const LOGIN = ({ role, password }: DatabaseAddress): string => `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${role}') then create role ${role}; end if;
    execute format('alter role %I login password %L', '${role}', '${scramVerifier(password)}');
    if not has_database_privilege('${role}', current_database(), 'connect') then
      execute format('grant connect on database %I to %I', current_database(), '${role}');
    end if;
  end $$`;
