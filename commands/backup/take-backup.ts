import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type AnonymisedList, addAnonymised, writeList } from './anonymised-list';
import { backupsOf, completeBackup, deleteOlderThan, newBackupFolder, rejectFutureBackups } from './backup-folder';
import { ADVISORY_LOCKS } from '../../subgraphs/server/database/advisory-locks';
import { MAX_IDLE_TRANSACTION_MS } from '../../subgraphs/server/database/database-login';
import { hasJumped } from '../../subgraphs/server/database/register-clock';
import type { Manifest, TableDump } from './manifest';
import { requireOwnRegister } from './own-register';
import { keyHashes } from './register-keys';
import { MAX_FILE_PAUSE_MS, inSession } from './session';
import { PRIVATE, writing } from './stored-files';
import { DATA_KEYS, REGISTER_SCHEMAS, type StoredTable, tablesOf } from './stored-tables';

/** The folders of a new backup, and counts for the operator. */
export interface TakenBackup {
  readonly register: string;
  readonly dataKeys: string;
  readonly rows: number;
  readonly dataKeysDeleted: number;
}

/** Maximum wait for a process that writes a list: longer than a list takes, shorter than the time until PostgreSQL ends it. */
const MAX_LIST_WAIT_MS = 300_000;

/**
 * Backs up the register and its data keys to separate folders, from one snapshot, while the register runs. Writes the
 * data keys first: after a crash between the two, keys without records are harmless, records without keys are lost. Then
 * deletes old data keys, so that they do not outlive their retention period if the register cannot be written. Extends the
 * list before the snapshot: it may wait for another process that writes a list.
 */
export async function takeBackup(
  databaseUrl: string,
  root: string,
  dataKeyRetentionDays: number,
  maxListWaitMs = MAX_LIST_WAIT_MS,
): Promise<TakenBackup> {
  const limits = { idleTransactionMs: MAX_FILE_PAUSE_MS, idleSessionMs: MAX_FILE_PAUSE_MS };
  return inSession(databaseUrl, limits, async (session) => {
    await requireOwnRegister(session, await backupsOf(root, 'register'));
    await rejectFutureBackups(root);
    const list = await addAnonymised(session, root, maxListWaitMs);
    const takenAt = await beginSnapshot(session);
    await list.addFrom(session); // what was erased meanwhile
    const dataKeys = await dump(session, await newBackupFolder(root, 'data-keys', takenAt), {
      takenAt,
      list,
      schemas: DATA_KEYS,
    });
    const dataKeysDeleted = await deleteOlderThan(root, 'data-keys', dataKeyRetentionDays, takenAt);
    await deleteOlderThan(root, 'register', Infinity, takenAt); // only incomplete ones: the operator deletes the others
    const register = await dump(session, await newBackupFolder(root, 'register', takenAt), {
      takenAt,
      list,
      schemas: REGISTER_SCHEMAS,
    });
    return { register: register.folder, dataKeys: dataKeys.folder, rows: register.rows, dataKeysDeleted };
  });
}

/**
 * Begins a transaction with one snapshot; returns its instant, by which backups are named, ordered and deleted: throws if
 * a clock has jumped. Locks all tables before the snapshot: a table that is rewritten or replaced after the snapshot has no
 * row that is visible to it. No migration adds a table meanwhile.
 */
async function beginSnapshot(session: Client): Promise<Date> {
  await session.query('select pg_advisory_lock_shared($1)', [ADVISORY_LOCKS.migration]);
  const tables = await tablesOf(session, [...REGISTER_SCHEMAS, ...DATA_KEYS]);
  const names = tables.map(({ schema, table }) => `${schema}.${table}`);
  await session.query('begin transaction isolation level repeatable read read only');
  await session.query(`lock table ${names.join(', ')} in access share mode`);
  const { rows } = await session.query<{ now: Date }>('select now()');
  await session.query('select pg_advisory_unlock_shared($1)', [ADVISORY_LOCKS.migration]);
  const now = rows[0]?.now as Date;
  if (hasJumped(now))
    throw new Error(
      `the clock of the database (${now.toISOString()}) differs from that of this computer by more than an hour: nothing was backed up`,
    );
  return now;
}

interface Dump {
  readonly takenAt: Date;
  readonly list: AnonymisedList;
  readonly schemas: readonly string[];
}

/** Dumps schemas to a folder, with a copy of the list: it survives if the list of the root folder is lost. */
async function dump(session: Client, folder: string, { takenAt, list, schemas }: Dump) {
  await writeList(folder, list);
  const ofRegister = schemas.filter((schema) => !DATA_KEYS.includes(schema));
  const tables: TableDump[] = [];
  for (const table of await tablesOf(session, schemas)) tables.push(await dumpTable(session, folder, table));
  const manifest: Manifest = {
    format: 1,
    takenAt: takenAt.toISOString(),
    migrations: await migrationsOf(session, ofRegister),
    keys: await keyHashes(session, ofRegister),
    tables,
  };
  await completeBackup(folder, manifest);
  return { folder, rows: tables.reduce((sum, { rows }) => sum + rows, 0) };
}

/** Returns the names of the migrations that were applied to each schema. */
async function migrationsOf(session: Client, schemas: readonly string[]): Promise<Manifest['migrations']> {
  const migrations: Record<string, string[]> = {};
  for (const schema of schemas) {
    const { rows } = await session.query<{ name: string }>(`select name from ${schema}.migration order by id`);
    migrations[schema] = rows.map(({ name }) => name);
  }
  return migrations;
}

async function dumpTable(
  session: Client,
  folder: string,
  { schema, table, columns, only }: StoredTable,
): Promise<TableDump> {
  const file = `${schema}.${table}.copy`;
  const hash = createHash('sha256');
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      hash.update(chunk);
      pass(null, chunk);
    },
  });
  const query = `select ${columns.join(', ')} from ${schema}.${table} where ${only}`;
  await session.query(`set local tcp_user_timeout = ${MAX_FILE_PAUSE_MS}`); // while the file does not accept rows, none are read
  const rows = session.query(copyTo(`copy (${query}) to stdout`));
  const path = join(folder, file);
  await writing(path, () => pipeline(rows, hashed, createWriteStream(path, PRIVATE)));
  await session.query(`set local tcp_user_timeout = ${MAX_IDLE_TRANSACTION_MS}`);
  return { schema, table, columns, rows: rows.rowCount, file, sha256: hash.digest('hex') };
}
