import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type AnonymisedList, addAnonymised, requireRegister, writeList } from './anonymised-list';
import {
  type Manifest,
  PRIVATE,
  type TableDump,
  completeBackup,
  deleteOlderThan,
  newBackupFolder,
} from './backup-folder';
import { refuseUnfinishedRestore } from '../subgraphs/server/restore-mark';
import { DATA_KEYS, REGISTER_SCHEMAS, type StoredTable, tablesOf } from './stored-tables';

/** What a backup came to. */
export interface TakenBackup {
  readonly register: string;
  readonly dataKeys: string;
  readonly rows: number;
  readonly dataKeysDeleted: number;
}

/**
 * Backs up register and data keys, apart, as they were at one instant, while the register runs. The data keys come first: one too many
 * is of no use to anybody, one too few loses a record.
 */
export async function takeBackup(databaseUrl: string, root: string, dataKeysKeptDays: number): Promise<TakenBackup> {
  const session = new Client({ connectionString: databaseUrl });
  await session.connect();
  try {
    await refuseUnfinishedRestore(session);
    await session.query('begin transaction isolation level repeatable read read only');
    const { rows } = await session.query<{ now: Date }>('select now()');
    const takenAt = rows[0]?.now as Date;
    await requireRegister(session);
    const list = await addAnonymised(session, root);
    const dataKeys = await dump(session, await newBackupFolder(root, 'data-keys', takenAt), {
      takenAt,
      list,
      schemas: [DATA_KEYS],
    });
    const register = await dump(session, await newBackupFolder(root, 'register', takenAt), {
      takenAt,
      list,
      schemas: REGISTER_SCHEMAS,
    });
    const dataKeysDeleted = await deleteOlderThan(root, 'data-keys', dataKeysKeptDays, takenAt);
    return { register: register.folder, dataKeys: dataKeys.folder, rows: register.rows, dataKeysDeleted };
  } finally {
    await session.end();
  }
}

interface Dump {
  readonly takenAt: Date;
  readonly list: AnonymisedList;
  readonly schemas: readonly string[];
}

/** Each backup carries the list of its time: it is still there when the folder's own is lost. */
async function dump(session: Client, folder: string, { takenAt, list, schemas }: Dump) {
  await writeList(folder, list);
  const tables: TableDump[] = [];
  for (const table of await tablesOf(session, schemas)) tables.push(await dumpTable(session, folder, table));
  const manifest: Manifest = {
    format: 1,
    takenAt: takenAt.toISOString(),
    migrations: await bySchema(session, schemas, 'select name as entry from $schema.migration order by id', (rows) =>
      rows.map(({ entry }) => entry),
    ),
    keys: await bySchema(
      session,
      schemas,
      `select variable || ' ' || encode(hash, 'hex') as entry from $schema.key_check order by variable`,
      (rows) => Object.fromEntries(rows.map(({ entry }) => entry.split(' ') as [string, string])),
    ),
    tables,
  };
  await completeBackup(folder, manifest);
  return { folder, rows: tables.reduce((sum, { rows }) => sum + rows, 0) };
}

/** Asks each schema that has migrations of its own. */
async function bySchema<Facts>(
  session: Client,
  schemas: readonly string[],
  question: string,
  facts: (rows: { entry: string }[]) => Facts,
): Promise<Record<string, Facts>> {
  const answers: Record<string, Facts> = {};
  for (const schema of schemas.filter((each) => each !== DATA_KEYS)) {
    answers[schema] = facts((await session.query<{ entry: string }>(question.replace('$schema', schema))).rows);
  }
  return answers;
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
  const question = `select ${columns.join(', ')} from ${schema}.${table} where ${only}`;
  const rows = session.query(copyTo(`copy (${question}) to stdout`));
  await pipeline(rows, hashed, createWriteStream(join(folder, file), PRIVATE));
  return { schema, table, columns, rows: rows.rowCount, file, sha256: hash.digest('hex') };
}
