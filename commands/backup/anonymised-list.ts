import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../subgraphs/server/database/advisory-locks';
import { rejectUnfinishedRestore } from '../../subgraphs/server/restore-mark';
import { BACKUP_KINDS } from './backup-folder';
import { inSession } from './session';
import { namesIn, textOf, writeWhole } from './stored-files';
import { REGISTER_SCHEMAS, tablesOf } from './stored-tables';

/** The first known instant of each internal id. */
export type Instants = ReadonlyMap<string, string>;

/** The erasures that a restore must repeat, by internal ids. Entries are only added. */
export interface AnonymisedList {
  /** Identity Records that were anonymised. */
  readonly anonymised: Instants;
  /** Closed Identity Records, which the register anonymises later. */
  readonly closed: Instants;
  /** Keys of occupancies that were erased on request. */
  readonly occupancyKeys: Instants;
}

const FILE = 'anonymised.json';
/** Time to connect: a list is written every minute, or read from a damaged database. */
const LIST_TIMEOUT_MS = 10_000;
const NOTHING: AnonymisedList = { anonymised: new Map(), closed: new Map(), occupancyKeys: new Map() };
const PARTS = Object.keys(NOTHING) as (keyof AnonymisedList)[];

/** Location of one part of the list in a database. Databases of earlier releases lack some tables and columns. */
interface PartOfDatabase {
  readonly part: keyof AnonymisedList;
  readonly schema: string;
  readonly table: string;
  readonly id: string;
  readonly at: string;
  readonly only: string;
}
const RECORD = { schema: 'identity', table: 'identity_record', id: 'id' };
const ERASURE = {
  part: 'occupancyKeys',
  table: 'occupancy_erasure',
  id: 'key_id',
  at: 'requested_at',
  only: 'true',
} as const;
const IN_DATABASE: readonly PartOfDatabase[] = [
  { ...RECORD, part: 'anonymised', at: 'anonymised_at', only: 'anonymised_at is not null' },
  { ...RECORD, part: 'closed', at: 'closed_at', only: 'closed_at is not null and anonymised_at is null' },
  { ...ERASURE, schema: 'identity' },
  { ...ERASURE, schema: 'tariffs' },
];

/**
 * Selects whether a column exists. `information_schema.columns` omits those that the login may not read: their part of the
 * list would be empty instead of an error.
 */
const HAS_COLUMN = `select exists (
  select from pg_attribute a join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
  where nspname = $1 and relname = $2 and attname = $3 and not attisdropped) as "isThere"`;

/**
 * Adds the current state of the database to the list of a folder; returns the number of anonymised records in it. Returns
 * undefined and writes nothing while another process extends a list of this database: slow runs do not queue.
 */
export async function takeList(databaseUrl: string, root: string): Promise<number | undefined> {
  return inSession(databaseUrl, LIST_TIMEOUT_MS, async (session) => {
    await rejectUnfinishedRestore(session);
    await requireRegister(session);
    const { rows } = await session.query<{ isMine: boolean }>('select pg_try_advisory_lock($1) as "isMine"', [
      ADVISORY_LOCKS.anonymisedList,
    ]);
    return rows[0]?.isMine === true ? (await extendList(session, root)).anonymised.size : undefined;
  });
}

/** Adds the erasures visible to the session to the list that all backups of a folder share; returns the whole list. */
export async function addAnonymised(session: Client, root: string): Promise<AnonymisedList> {
  await session.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.anonymisedList]);
  return extendList(session, root);
}

/** Extends the list of a folder under the lock of the session, which it releases. */
async function extendList(session: Client, root: string): Promise<AnonymisedList> {
  try {
    const list = united([(await readList(root)) ?? NOTHING, await anonymisedIn(session)]);
    await mkdir(root, { recursive: true, mode: 0o700 });
    await writeList(root, list);
    return list;
  } finally {
    await session.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.anonymisedList]).catch(() => undefined);
  }
}

/** Writes a list to a folder. */
export function writeList(folder: string, list: AnonymisedList): Promise<void> {
  const parts = PARTS.map((part) => [part, Object.fromEntries(list[part])]);
  return writeWhole(join(folder, FILE), { format: 2, ...Object.fromEntries(parts) });
}

/**
 * Returns the union of the list of a folder and of the lists of its backups, complete or not; undefined if there is no
 * list.
 */
export async function readLists(root: string): Promise<AnonymisedList | undefined> {
  const below = await Promise.all(
    BACKUP_KINDS.map(async (kind) => (await namesIn(join(root, kind))).map((name) => join(kind, name))),
  );
  const lists = await Promise.all(['', ...below.flat()].map((folder) => readList(join(root, folder))));
  const found = lists.filter((list) => list !== undefined);
  return found.length === 0 ? undefined : united(found);
}

/** Reads the list from a database that still accepts connections. Its other tables may be damaged. */
async function readListOf(databaseUrl: string): Promise<AnonymisedList> {
  try {
    return await inSession(databaseUrl, LIST_TIMEOUT_MS, async (session) => {
      await requireRegister(session);
      return anonymisedIn(session);
    });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const text = `--also-from: the list of this database cannot be read: ${message || code}`;
    throw Object.assign(new Error(text, { cause: error }), { code: 'ALSO_FROM' }); // otherwise the message would name DATABASE_URL
  }
}

/**
 * Returns the union of the lists of a folder and of another database. Throws if there is no list: a restore without one
 * would bring back data that was erased after the backup.
 */
export async function requireLists(root: string, alsoFrom: string | undefined): Promise<AnonymisedList> {
  const listed = await readLists(root);
  const further = alsoFrom === undefined ? undefined : await readListOf(alsoFrom);
  const lists = [listed, further].filter((list) => list !== undefined);
  if (lists.length === 0) throw new Error(`${root} has no list of anonymised records (anonymised.json) in any folder`);
  return united(lists);
}

/** Merges lists. A record in several lists has its earliest instant in the result. */
function united(lists: readonly AnonymisedList[]): AnonymisedList {
  const parts = PARTS.map((part) => [part, firstInstants(lists.map((list) => list[part]))]);
  return Object.fromEntries(parts) as unknown as AnonymisedList;
}

function firstInstants(lists: readonly Instants[]): Instants {
  const all = new Map<string, string>();
  for (const [id, at] of lists.flatMap((list) => [...list])) {
    const other = all.get(id);
    if (other === undefined || at < other) all.set(id, at);
  }
  return all;
}

/** Throws if the database contains no table of a register. */
export async function requireRegister(session: Client): Promise<void> {
  if ((await tablesOf(session, REGISTER_SCHEMAS)).length === 0) throw new Error('this database has no register');
}

async function readList(folder: string): Promise<AnonymisedList | undefined> {
  const path = join(folder, FILE);
  const text = await textOf(path);
  if (text === undefined) return undefined;
  try {
    return listOf(JSON.parse(text) as Record<string, unknown>);
  } catch {
    throw new Error(`${path} is damaged: it is not a list of anonymised records`);
  }
}

/** Reads a stored list. A list without a format is of an earlier release and names anonymised records only. */
function listOf(stored: Record<string, unknown>): AnonymisedList {
  const { format, ...parts } = stored;
  const given = format === undefined ? { anonymised: stored } : parts;
  return { ...NOTHING, ...Object.fromEntries(Object.entries(given).map(([part, ids]) => [part, instantsOf(ids)])) };
}

const instantsOf = (ids: unknown): Instants => new Map(Object.entries(ids as Record<string, string>));

async function anonymisedIn(session: Client): Promise<AnonymisedList> {
  const found: AnonymisedList[] = [];
  for (const { part, schema, table, id, at, only } of IN_DATABASE) {
    const { rows: columns } = await session.query<{ isThere: boolean }>(HAS_COLUMN, [schema, table, at]);
    if (columns[0]?.isThere !== true) continue;
    const { rows } = await session.query<{ id: string; at: Date }>(
      `select ${id} as id, ${at} as at from ${schema}.${table} where ${only}`,
    );
    found.push({ ...NOTHING, [part]: new Map(rows.map((row) => [row.id, row.at.toISOString()])) });
  }
  return united(found);
}
