import { DataSource, type MigrationInterface } from 'typeorm';
import { failureFacts } from './failures';
import type { DatabaseAddress } from './database';
import { installClock } from './register-clock';

/** A migration class of a subgraph, in the order given. */
export type Migration = new () => MigrationInterface;

/** Any number: it names the advisory lock under which one process at a time migrates. */
const MIGRATION_LOCK = 7_423_001;

/**
 * Brings the schema of one subgraph up to date, as the owner. Processes that start at once wait for each other. The subgraph's
 * role is created when missing and owns nothing.
 */
export async function migrate(
  address: DatabaseAddress,
  migrations: readonly Migration[],
  production: boolean,
): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    url: address.url,
    schema: address.schema,
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
    await session.query(CREATE_ROLE(address.role));
    await session.query(`create schema if not exists ${address.schema}`);
    await installClock(session, !production);
    await session.query(`grant usage on schema register, ${address.schema} to ${address.role}`);
    await source.runMigrations({ transaction: 'each' });
  } catch (error) {
    throw new Error(
      `migration of schema ${address.schema} failed: ${error instanceof Error ? error.message : JSON.stringify(failureFacts(error))}`,
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

/** Roles belong to the whole server: another database of it may have made this one, also at this very moment. */
const CREATE_ROLE = (role: string): string => `
  do $$ begin
    begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
    exception when duplicate_object or unique_violation then null;
    end;
    if not pg_has_role(current_user, '${role}', 'member') then grant ${role} to current_user; end if;
  end $$`;
