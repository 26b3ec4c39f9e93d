import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Logger } from 'pino';
import { destroyReferencesOfClosed } from '../../subgraphs/access/identity-links/closing.repository';
import type { NamedKeys } from '../../subgraphs/server/database/key-check';
import { ADVISORY_LOCKS } from '../../subgraphs/server/database/advisory-locks';
import { type MigratedAddress, type SubgraphTables, migrate } from '../../subgraphs/server/database/migrate';
import { RESTORE_MARK } from '../../subgraphs/server/restore-mark';
import { type AnonymisedList, requireLists } from './anonymised-list';
import { type FoundBackup, backupsOf, rejectFutureBackups, verify } from './backup-folder';
import type { Manifest, TableDump } from './manifest';
import { type ReanonymiseOptions, reanonymise } from './reanonymise';
import { differentKeys, keyHashes } from './register-keys';
import { inSession } from './session';
import { acquireMigrationLock, releaseLock, tryLock } from './session-locks';
import { DATA_KEYS } from './stored-tables';

/** A subgraph whose tables are restored. */
export interface RestoredSubgraph {
  readonly address: MigratedAddress;
  readonly tables: SubgraphTables;
  readonly keys: NamedKeys;
}

/** The options of a restore. */
export interface RestorePlan extends ReanonymiseOptions {
  readonly databaseUrl: string;
  readonly root: string;
  readonly subgraphs: readonly RestoredSubgraph[];
  /** Another database, usually the previous one, with records anonymised after the last list. */
  readonly alsoFrom?: string | undefined;
  /** Folder name of the backup to restore; the newest if undefined. */
  readonly backup?: string | undefined;
  /** Receives a line while the command waits for a lock. */
  readonly logger?: Logger | undefined;
}

interface Backups {
  readonly register: FoundBackup;
  readonly dataKeys: FoundBackup | undefined;
  readonly anonymised: AnonymisedList;
}

/**
 * Restores the newest or a named backup to an empty database. Marks the database first: no service starts on it until all rows are
 * loaded and all later erasures are repeated. After a crash, the command starts again from the beginning.
 */
export async function restore(plan: RestorePlan) {
  const backups = await chosenBackups(plan);
  return inSession(plan.databaseUrl, {}, async (session) => {
    await rejectConcurrentRestore(session);
    await takeEmptyDatabase(session, plan);
    for (const subgraph of plan.subgraphs) await prepare(subgraph, backups.register.manifest, plan.logger);
    await rejectOtherKeys(session, backups.register.manifest);
    const rows = await load(session, backups);
    for (const { address, tables, keys } of plan.subgraphs) {
      await migrate(address, { ...tables, duringRestore: true }, undefined, keys, plan.logger);
    }
    const done = await reanonymise(session, backups.anonymised, plan);
    await destroyReferencesOfClosed(session);
    await session.query(`drop table ${RESTORE_MARK}`);
    return { ...done, rows, register: backups.register.folder, dataKeys: backups.dataKeys?.folder };
  });
}

/** Finds the backups to restore. A named backup comes with its own data keys, or if these were deleted, with the newest. */
async function chosenBackups({ root, withoutDataKeys, alsoFrom, backup }: RestorePlan): Promise<Backups> {
  if (backup === undefined) await rejectFutureBackups(root);
  const isNamed = ({ folder }: FoundBackup) => basename(folder) === backup;
  const registers = await backupsOf(root, 'register');
  const register = backup === undefined ? registers[0] : registers.find(isNamed);
  if (register === undefined && backup !== undefined)
    throw new Error(`--backup: ${join(root, 'register')} has no complete backup of this name`);
  if (register === undefined) throw new Error(`${root} has no complete backup of a register`);
  const allDataKeys = await backupsOf(root, 'data-keys');
  const dataKeys = allDataKeys.find(isNamed) ?? allDataKeys[0];
  if (dataKeys === undefined && !withoutDataKeys)
    throw new Error(
      `${root} has no complete backup of data keys: every identity record would be anonymised (--without-data-keys does so)`,
    );
  await verify(register);
  if (dataKeys !== undefined) await verify(dataKeys);
  return { register, dataKeys, anonymised: await requireLists(root, alsoFrom) };
}

/** Reserves the database until the session ends. Throws if another restore has reserved it, which this one would drop. */
async function rejectConcurrentRestore(session: Client): Promise<void> {
  if (!(await tryLock(session, ADVISORY_LOCKS.restore)))
    throw new Error('another restore of this database is running: nothing was changed');
}

/** Marks the database and drops the remains of an unfinished restore. Throws if it contains any other register. */
async function takeEmptyDatabase(session: Client, { subgraphs, logger }: RestorePlan): Promise<void> {
  const subgraphSchemas = subgraphs.flatMap(({ address, tables }) => [
    address.schema,
    ...(tables.jobs ? [tables.jobs] : []),
  ]);
  const schemas = [...subgraphSchemas, ...DATA_KEYS];
  await acquireMigrationLock(session, logger);
  try {
    const { rows } = await session.query<{ marked: boolean; used: boolean }>(
      `select to_regclass($1) is not null as marked, exists (select from pg_namespace where nspname = any($2)) as used`,
      [RESTORE_MARK, schemas],
    );
    if (rows[0]?.used === true && !rows[0].marked) throw new Error('the database is not empty: nothing was restored');
    await session.query(`create schema if not exists register; create table if not exists ${RESTORE_MARK} ()`);
    await session.query(`drop schema if exists ${schemas.join(', ')} cascade`);
  } finally {
    await releaseLock(session, ADVISORY_LOCKS.migration);
  }
}

/** Creates the tables of the version that took the backup. Later migrations run after the rows are loaded. */
async function prepare(
  { address, tables, keys }: RestoredSubgraph,
  manifest: Manifest,
  logger?: Logger,
): Promise<void> {
  const done = manifest.migrations[address.schema] ?? [];
  const known = tables.migrations.filter(({ name }) => done.includes(name));
  if (known.length < done.length) throw new Error('the backup is of a newer version of the register');
  await migrate(address, { migrations: known, rights: () => '', duringRestore: true }, undefined, keys, logger);
}

async function rejectOtherKeys(session: Client, { keys }: Manifest): Promise<void> {
  const wrong = differentKeys(keys, await keyHashes(session, Object.keys(keys)));
  if (wrong.length > 0) throw new Error(`${wrong.join(', ')}: differs from the key of the backup`);
}

/**
 * Loads all rows in one transaction; returns their number. Disables the triggers of the tables, which reject rows with a
 * history, and enables them again before it commits.
 */
async function load(session: Client, { register, dataKeys }: Backups): Promise<number> {
  await session.query('begin');
  const dumps = [register, ...(dataKeys === undefined ? [] : [dataKeys])];
  let rows = 0;
  for (const { folder, manifest } of dumps) {
    for (const table of manifest.tables) rows += await loadTable(session, folder, table);
  }
  await session.query('set constraints all immediate'); // rows of two tables may refer to each other
  for (const { manifest } of dumps) {
    for (const table of manifest.tables) await session.query(`alter table ${nameOf(table)} enable trigger user`);
  }
  await session.query('commit');
  return rows;
}

async function loadTable(session: Client, folder: string, dump: TableDump): Promise<number> {
  const { schema, table, columns, rows, file } = dump;
  const name = nameOf(dump);
  await session.query(`alter table ${name} disable trigger user`);
  const copy = session.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`));
  await pipeline(createReadStream(join(folder, file)), copy);
  if (copy.rowCount !== rows) throw new Error(`${name}: ${copy.rowCount} rows were loaded, ${rows} were backed up`);
  await advanceSequences(session, name, schema, table);
  return rows;
}

/** Returns the qualified name of a table. */
function nameOf({ schema, table }: TableDump): string {
  return `${schema}.${table}`;
}

/** Sets the sequences of a table to their highest loaded value. */
async function advanceSequences(session: Client, name: string, schema: string, table: string): Promise<void> {
  const { rows } = await session.query<{ column: string }>(
    `select column_name as column from information_schema.columns
     where table_schema = $1 and table_name = $2 and is_identity = 'YES'`,
    [schema, table],
  );
  for (const { column } of rows) {
    await session.query(`select setval(pg_get_serial_sequence($1, $2), max(${column})) from ${name}`, [name, column]);
  }
}
