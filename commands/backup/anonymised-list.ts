import { join } from 'node:path';
import type { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../subgraphs/server/database/advisory-locks';
import { BACKUP_KINDS, backupsOf } from './backup-folder';
import { readListFile, writeListFile } from './list-file';
import { requireOwnRegister, requireRegister } from './own-register';
import { MAX_FILE_PAUSE_MS, inSession } from './session';
import { acquireListLock, releaseLock, tryLock } from './session-locks';
import { namesIn } from './stored-files';

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

/** The union of lists. An id that is added several times has its earliest instant. */
class UnitedList implements AnonymisedList {
  readonly anonymised = new Map<string, string>();
  readonly closed = new Map<string, string>();
  readonly occupancyKeys = new Map<string, string>();

  /** Adds the list of a folder; returns false if it has none. */
  addFile(folder: string): Promise<boolean> {
    const parts = new Map<string, Map<string, string>>(Object.entries(this));
    return readListFile(join(folder, FILE), (part, id, at) => addFirst(parts.get(part), id, at));
  }

  /** Adds the erasures visible to a session. */
  async addFrom(session: Client): Promise<void> {
    for (const { part, schema, table, id, at, only } of IN_DATABASE) {
      const { rows: columns } = await session.query<{ isThere: boolean }>(HAS_COLUMN, [schema, table, at]);
      if (columns[0]?.isThere !== true) continue;
      const { rows } = await session.query<{ id: string; at: Date }>(
        `select ${id} as id, ${at} as at from ${schema}.${table} where ${only}`,
      );
      for (const row of rows) addFirst(this[part], row.id, row.at.toISOString());
    }
  }
}

function addFirst(instants: Map<string, string> | undefined, id: string, at: string): void {
  const other = instants?.get(id);
  if (other === undefined || at < other) instants?.set(copyOf(id), copyOf(at));
}

/** Copies a text: V8 retains the whole chunk of a file for a part of it. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/**
 * Adds the current state of the database to the list of a folder; returns the number of anonymised records in it. Returns
 * undefined and writes nothing while another process extends a list of this database: slow runs do not queue.
 */
export async function takeList(databaseUrl: string, root: string): Promise<number | undefined> {
  const limits = { connectionTimeoutMs: LIST_TIMEOUT_MS, idleSessionMs: MAX_FILE_PAUSE_MS };
  return inSession(databaseUrl, limits, async (session) => {
    const earlier = await backupsOf(root, 'register').catch(() => []); // a damaged manifest stops backups, but no list
    await requireOwnRegister(session, earlier);
    const isMine = await tryLock(session, ADVISORY_LOCKS.anonymisedList);
    return isMine ? (await extendList(session, root)).anonymised.size : undefined;
  });
}

/**
 * Adds the erasures of the database to the list that all backups of a folder share; returns the whole list. Throws if another
 * process extends it for `maxWaitMs`.
 */
export async function addAnonymised(session: Client, root: string, maxWaitMs: number): Promise<UnitedList> {
  await acquireListLock(session, maxWaitMs);
  return extendList(session, root);
}

/** Extends the list of a folder under the lock of the session, which it releases. */
async function extendList(session: Client, root: string): Promise<UnitedList> {
  try {
    const list = new UnitedList();
    await list.addFile(root);
    await list.addFrom(session);
    await writeList(root, list);
    return list;
  } finally {
    await releaseLock(session, ADVISORY_LOCKS.anonymisedList);
  }
}

/** Writes a list to a folder. */
export function writeList(folder: string, list: AnonymisedList): Promise<void> {
  const { anonymised, closed, occupancyKeys } = list;
  return writeListFile(join(folder, FILE), { anonymised, closed, occupancyKeys });
}

/**
 * Returns the union of the list of a folder and of the lists of its backups, complete or not; undefined if there is no
 * list.
 */
export async function readLists(root: string): Promise<UnitedList | undefined> {
  const below = await Promise.all(
    BACKUP_KINDS.map(async (kind) => (await namesIn(join(root, kind))).map((name) => join(kind, name))),
  );
  const list = new UnitedList();
  let isThere = false;
  for (const folder of ['', ...below.flat()]) {
    const isAdded = await list.addFile(join(root, folder)); // one after the other, so that memory holds their union only
    isThere ||= isAdded;
  }
  return isThere ? list : undefined;
}

/** Adds the list of a database that still accepts connections. Its other tables may be damaged. */
async function addListOf(databaseUrl: string, list: UnitedList): Promise<void> {
  try {
    await inSession(databaseUrl, { connectionTimeoutMs: LIST_TIMEOUT_MS }, async (session) => {
      await requireRegister(session);
      await list.addFrom(session);
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
  if (alsoFrom === undefined && listed === undefined)
    throw new Error(`${root} has no list of anonymised records (anonymised.json) in any folder`);
  const list = listed ?? new UnitedList();
  if (alsoFrom !== undefined) await addListOf(alsoFrom, list);
  return list;
}
