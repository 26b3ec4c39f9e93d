import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { DatabaseAddress } from '../subgraphs/server/database-login';
import type { NamedKeys } from '../subgraphs/server/key-check';
import { ADVISORY_LOCKS } from '../subgraphs/server/advisory-locks';
import { type SubgraphTables, migrate } from '../subgraphs/server/migrate';
import { RESTORE_MARK } from '../subgraphs/server/restore-mark';
import { type AnonymisedList, readListOf, readLists, united } from './anonymised-list';
import { type FoundBackup, type Manifest, type TableDump, backupsOf, verify } from './backup-folder';
import { type Reanonymised, reanonymise } from './reanonymise';
import { DATA_KEYS } from './stored-tables';

/** A subgraph whose tables are restored. */
export interface RestoredSubgraph {
  readonly address: DatabaseAddress;
  readonly tables: SubgraphTables;
  readonly keys: NamedKeys;
}

/** What is restored, where to. */
export interface RestorePlan {
  readonly databaseUrl: string;
  readonly root: string;
  readonly subgraphs: readonly RestoredSubgraph[];
  /** Identity Records whose data key is in no backup are anonymised: only on request. */
  readonly withoutDataKeys: boolean;
  /** A database, as a rule the one before, that knows of records anonymised since the last list. */
  readonly alsoFrom?: string | undefined;
}

/** What a restore came to. */
export interface Restored extends Reanonymised {
  readonly register: string;
  /** Undefined when it was restored without data keys. */
  readonly dataKeys: string | undefined;
  readonly rows: number;
}

interface Backups {
  readonly register: FoundBackup;
  readonly dataKeys: FoundBackup | undefined;
  readonly anonymised: AnonymisedList;
}

/**
 * Restores the newest backup into an empty database. The database is marked first, and nothing is served from it until all is loaded and
 * whatever was anonymised since is anonymised again. A restore that was killed is begun afresh.
 */
export async function restore(plan: RestorePlan): Promise<Restored> {
  const backups = await newestBackups(plan);
  const session = new Client({ connectionString: plan.databaseUrl });
  await session.connect();
  try {
    await takeEmptyDatabase(session, plan.subgraphs);
    for (const subgraph of plan.subgraphs) await prepare(subgraph, backups.register.manifest);
    await refuseOtherKeys(session, backups.register.manifest);
    const done = await load(session, backups, plan.withoutDataKeys);
    for (const { address, tables, keys } of plan.subgraphs) {
      await migrate(address, { ...tables, duringRestore: true }, undefined, keys);
    }
    await session.query(`drop table ${RESTORE_MARK}`);
    return { ...done, register: backups.register.folder, dataKeys: backups.dataKeys?.folder };
  } finally {
    await session.end();
  }
}

async function newestBackups({ root, withoutDataKeys, alsoFrom }: RestorePlan): Promise<Backups> {
  const [register] = await backupsOf(root, 'register');
  const [dataKeys] = await backupsOf(root, 'data-keys');
  if (register === undefined) throw new Error(`${root} has no complete backup of a register`);
  if (dataKeys === undefined && !withoutDataKeys) {
    throw new Error(
      `${root} has no complete backup of data keys: every identity record would be anonymised (--without-data-keys does so)`,
    );
  }
  await verify(register);
  if (dataKeys !== undefined) await verify(dataKeys);
  return { register, dataKeys, anonymised: await anonymisedSince(root, alsoFrom) };
}

/** Without any list, whoever was anonymised since the backup would live again. */
async function anonymisedSince(root: string, alsoFrom: string | undefined): Promise<AnonymisedList> {
  const listed = await readLists(root);
  const further = alsoFrom === undefined ? undefined : await readListOf(alsoFrom);
  const lists = [listed, further].filter((list) => list !== undefined);
  if (lists.length === 0) throw new Error(`${root} has no list of anonymised records (anonymised.json) in any folder`);
  return united(lists);
}

/** Marks the database, unless it has something in it that no restore has put there. */
async function takeEmptyDatabase(session: Client, subgraphs: readonly RestoredSubgraph[]): Promise<void> {
  const ofSubgraphs = subgraphs.flatMap(({ address, tables }) => [
    address.schema,
    ...(tables.jobs ? [tables.jobs] : []),
  ]);
  const schemas = [...ofSubgraphs, DATA_KEYS];
  await session.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
  try {
    const { rows } = await session.query<{ marked: boolean; used: boolean }>(
      `select to_regclass($1) is not null as marked, exists (select from pg_namespace where nspname = any($2)) as used`,
      [RESTORE_MARK, schemas],
    );
    if (rows[0]?.used === true && !rows[0].marked) throw new Error('the database is not empty: nothing was restored');
    await session.query(`create schema if not exists register; create table if not exists ${RESTORE_MARK} ()`);
    await session.query(`drop schema if exists ${schemas.join(', ')} cascade`);
  } finally {
    await session.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]);
  }
}

/** Tables as they were when the backup was taken; what was changed since is done to the rows, too. */
async function prepare({ address, tables, keys }: RestoredSubgraph, manifest: Manifest): Promise<void> {
  const done = manifest.migrations[address.schema] ?? [];
  const known = tables.migrations.filter(({ name }) => done.includes(name));
  if (known.length < done.length) throw new Error('the backup is of a newer version of the register');
  await migrate(address, { migrations: known, rights: () => '', duringRestore: true }, undefined, keys);
}

async function refuseOtherKeys(session: Client, { keys }: Manifest): Promise<void> {
  const wrong: string[] = [];
  for (const [schema, hashes] of Object.entries(keys)) {
    const { rows } = await session.query<{ variable: string; hash: string }>(
      `select variable, encode(hash, 'hex') as hash from ${schema}.key_check`,
    );
    const others = rows.filter(({ variable, hash }) => hashes[variable] !== undefined && hashes[variable] !== hash);
    wrong.push(...others.map(({ variable }) => variable));
  }
  if (wrong.length > 0) throw new Error(`${wrong.join(', ')}: not of this backup, which was made with other keys`);
}

/** All of it, or none; the guards of the tables, which refuse rows with a history, watch again before anything else is done. */
async function load(
  session: Client,
  { register, dataKeys, anonymised }: Backups,
  withoutDataKeys: boolean,
): Promise<Reanonymised & { rows: number }> {
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
  const done = await reanonymise(session, anonymised);
  if (done.withoutDataKey > 0 && !withoutDataKeys) {
    throw new Error(
      `${done.withoutDataKey} identity records of ${register.folder} have no data key in ${dataKeys?.folder}: ` +
        'they would be anonymised (--without-data-keys does so)',
    );
  }
  await session.query('commit');
  return { rows, ...done };
}

async function loadTable(session: Client, folder: string, dump: TableDump): Promise<number> {
  const { schema, table, columns, rows, file } = dump;
  const name = nameOf(dump);
  await session.query(`alter table ${name} disable trigger user`);
  const copy = session.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`));
  await pipeline(createReadStream(join(folder, file)), copy);
  if (copy.rowCount !== rows) throw new Error(`${name}: ${copy.rowCount} rows were loaded, ${rows} were backed up`);
  await numberOn(session, name, schema, table);
  return rows;
}

/** A table as statements name it. */
function nameOf({ schema, table }: TableDump): string {
  return `${schema}.${table}`;
}

/** Numbers that the database gives go on after the highest. */
async function numberOn(session: Client, name: string, schema: string, table: string): Promise<void> {
  const { rows } = await session.query<{ column: string }>(
    `select column_name as column from information_schema.columns
     where table_schema = $1 and table_name = $2 and is_identity = 'YES'`,
    [schema, table],
  );
  for (const { column } of rows) {
    await session.query(`select setval(pg_get_serial_sequence($1, $2), max(${column})) from ${name}`, [name, column]);
  }
}
