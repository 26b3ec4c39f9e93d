import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../subgraphs/server/advisory-locks';
import { refuseUnfinishedRestore } from '../subgraphs/server/restore-mark';
import { BACKUP_KINDS, writeWhole } from './backup-folder';
import { REGISTER_SCHEMAS, tablesOf } from './stored-tables';

/** When Identity Records were anonymised, by their internal ids. It only ever grows: a restore does it again. */
export type AnonymisedList = ReadonlyMap<string, string>;

const FILE = 'anonymised.json';

const ANONYMISED = 'select id, anonymised_at as at from identity.identity_record where anonymised_at is not null';

/** Writes the list alone, of the database as it is now; answers how many records are in it. */
export async function takeList(databaseUrl: string, root: string): Promise<number> {
  return inSession(databaseUrl, async (session) => {
    await refuseUnfinishedRestore(session);
    await requireRegister(session);
    return (await addAnonymised(session, root)).size;
  });
}

/** Adds what the session sees to the list that all backups of a folder share; answers all of it. */
export async function addAnonymised(session: Client, root: string): Promise<AnonymisedList> {
  await session.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.anonymisedList]);
  try {
    const list = united([(await readList(root)) ?? new Map(), await anonymisedIn(session)]);
    await mkdir(root, { recursive: true, mode: 0o700 });
    await writeList(root, list);
    return list;
  } finally {
    await session.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.anonymisedList]).catch(() => undefined);
  }
}

/** Puts the list as it is into a folder. */
export function writeList(folder: string, list: AnonymisedList): Promise<void> {
  return writeWhole(join(folder, FILE), Object.fromEntries(list));
}

/** Everything that any list of a folder and of its backups, complete or not, tells; undefined when there is no list at all. */
export async function readLists(root: string): Promise<AnonymisedList | undefined> {
  const below = await Promise.all(
    BACKUP_KINDS.map(async (kind) => (await readdir(join(root, kind)).catch(() => [])).map((name) => join(kind, name))),
  );
  const lists = await Promise.all(['', ...below.flat()].map((folder) => readList(join(root, folder))));
  const found = lists.filter((list) => list !== undefined);
  return found.length === 0 ? undefined : united(found);
}

/** The list of a database that can still be reached; it need not be whole otherwise. */
export async function readListOf(databaseUrl: string): Promise<AnonymisedList> {
  try {
    return await inSession(databaseUrl, anonymisedIn);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const text = `--also-from: the list of this database cannot be read: ${message || code}`;
    throw Object.assign(new Error(text, { cause: error }), { code: 'ALSO_FROM' }); // not a fault of DATABASE_URL
  }
}

/** The first instant of a record stands. */
export function united(lists: readonly AnonymisedList[]): AnonymisedList {
  const all = new Map<string, string>();
  for (const list of lists) {
    for (const [id, at] of list) {
      const other = all.get(id);
      if (other === undefined || at < other) all.set(id, at);
    }
  }
  return all;
}

/** A database without a register has nothing to back up. */
export async function requireRegister(session: Client): Promise<void> {
  if ((await tablesOf(session, REGISTER_SCHEMAS)).length === 0) throw new Error('this database has no register');
}

async function readList(folder: string): Promise<AnonymisedList | undefined> {
  const path = join(folder, FILE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
  } catch {
    throw new Error(`${path} is damaged: it is no list of anonymised records`);
  }
}

async function anonymisedIn(session: Client): Promise<AnonymisedList> {
  const { rows } = await session.query<{ id: string; at: Date }>(ANONYMISED);
  return new Map(rows.map(({ id, at }) => [id, at.toISOString()]));
}

async function inSession<Result>(databaseUrl: string, work: (session: Client) => Promise<Result>): Promise<Result> {
  const session = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}
