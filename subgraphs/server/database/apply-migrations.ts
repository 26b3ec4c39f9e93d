import type { MigrationInterface } from 'typeorm';
import { type Session, onlyRow } from './transaction';

/** A migration class of a subgraph. */
export type Migration = new () => MigrationInterface;

/** Maximum time to connect to the database for a migration. */
export const MIGRATION_CONNECTION_TIMEOUT_MS = 10_000;

/** Returns the names of the migrations that a schema has. */
export async function appliedMigrations(session: Session, schema: string): Promise<ReadonlySet<string>> {
  const { rows } = await session.query<{ name: string }>(`select name from ${schema}.migration`);
  return new Set(rows.map(({ name }) => name));
}

/** Returns the migrations that a schema lacks; undefined if it has no table of migrations. */
export async function missingMigrations(
  migrations: readonly Migration[],
  session: Session,
  schema: string,
): Promise<readonly Migration[] | undefined> {
  const hasTable = 'select to_regclass($1) is not null as yes';
  const { yes } = onlyRow(await session.query<{ yes: boolean }>(hasTable, [`${schema}.migration`]));
  if (!yes) return undefined;
  const applied = await appliedMigrations(session, schema);
  return migrations.filter(({ name }) => !applied.has(name));
}

/** Applies the migrations that a schema lacks. TypeORM takes a quarter of a second to load, and most starts find nothing to apply. */
export async function applyMissing(
  migrations: readonly Migration[],
  session: Session,
  url: string,
  schema: string,
): Promise<void> {
  if ((await missingMigrations(migrations, session, schema))?.length === 0) return;
  const { DataSource } = await import('typeorm');
  const source = new DataSource({
    type: 'postgres',
    url,
    schema,
    migrations: [...migrations],
    migrationsTableName: 'migration',
    installExtensions: false,
    logger: 'debug', // silent: the default logger prints each failed attempt as plain text
    poolSize: 1,
    extra: { connectionTimeoutMillis: MIGRATION_CONNECTION_TIMEOUT_MS },
  });
  await source.initialize();
  try {
    await source.runMigrations({ transaction: 'each' });
  } finally {
    await source.destroy();
  }
}
