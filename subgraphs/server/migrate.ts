import { setTimeout as wait } from 'node:timers/promises';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { ADVISORY_LOCKS } from './advisory-locks';
import { type DatabaseAddress, scramVerifier, sessionUrl } from './database-login';
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

/** Milliseconds for which a step waits for a lock: whoever wants the table after it waits as long. */
const LOCK_TIMEOUT = 3_000;
/** Milliseconds until a step is tried again that did not get a lock, in which others have their turn, and how often it is tried. */
const AGAIN_AFTER = 1_000;
const TRIES = 100;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Brings the schema of one subgraph up to date, as the owner, and gives the subgraph its login. Processes that start at once wait
 * for each other. The owner needs no more than the database and CREATEROLE.
 *
 * @param movableClock whether the register's clock can be moved: where CLOCK_CAN_MOVE is true; a command leaves it as it is
 */
export async function migrate(
  address: DatabaseAddress,
  tables: SubgraphTables,
  movableClock: boolean | undefined,
  keys: NamedKeys,
): Promise<void> {
  const { schema } = address;
  const url = sessionUrl(address.url, `-c lock_timeout=${LOCK_TIMEOUT}`);
  const source = new DataSource({
    type: 'postgres',
    url,
    schema,
    migrations: [...tables.migrations],
    migrationsTableName: 'migration',
    installExtensions: false,
    poolSize: 2,
    extra: { connectionTimeoutMillis: 10_000 },
  });
  await source.initialize();
  const session = source.createQueryRunner();
  try {
    await session.query('set lock_timeout = 0'); // whoever waits for this one holds up nobody
    await session.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    await session.query('reset lock_timeout');
    if (tables.duringRestore !== true) await refuseUnfinishedRestore(session);
    for (const step of stepsOf({ ...address, url }, tables, movableClock, keys))
      await patiently(() => step(session, source));
  } catch (error) {
    throw new Error(
      `migration of schema ${schema} failed: ${error instanceof Error ? error.message : JSON.stringify(failureFacts(error))}`,
      {
        cause: error,
      },
    );
  } finally {
    await session.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]).catch(() => undefined);
    await session.release();
    await source.destroy();
  }
}

/** A step of bringing a schema up to date; it can be repeated. */
type Step = (session: QueryRunner, source: DataSource) => Promise<unknown>;

function stepsOf(
  address: DatabaseAddress,
  tables: SubgraphTables,
  movableClock: boolean | undefined,
  keys: NamedKeys,
): Step[] {
  const { schema, role } = address;
  const { rights, jobs, atStart } = tables;
  return [
    async (session) => {
      await session.query(`create schema if not exists ${schema}`);
      await checkKeys(session, schema, keys);
      await session.query(LOGIN(address));
      await installClock(session, movableClock);
    },
    (_, source) => source.runMigrations({ transaction: 'each' }),
    async (session) => void (jobs !== undefined && (await installJobs(session, jobs, address))),
    async (session) => {
      await session.query(`grant usage on schema register, ${schema} to ${role}`);
      await session.query(`set search_path = ${schema}, register; ${rights(role)}`);
      if (atStart !== undefined) await session.query(atStart);
    },
  ];
}

/** Does a step that can be repeated, again and again until it gets the locks that it needs: none of them is waited for long. */
async function patiently(step: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return void (await step());
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || tries === TRIES) throw error;
      await wait(AGAIN_AFTER);
    }
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
