import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The rows of one table in a file of their own, as PostgreSQL's COPY writes them. */
export interface TableDump {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly file: string;
  readonly sha256: string;
}

/** What a backup holds. It is written last: a folder without it is no backup. */
export interface Manifest {
  readonly format: 1;
  readonly takenAt: string;
  /** Migrations of each schema that had been done. */
  readonly migrations: Readonly<Record<string, readonly string[]>>;
  /** Keyed hashes of constants, by schema and key: with other keys the backup is of no use. */
  readonly keys: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly tables: readonly TableDump[];
}

/** A complete backup and where it lies. */
export interface FoundBackup {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The two kinds of backups, which are to be kept apart. */
export type BackupKind = 'register' | 'data-keys';

const MANIFEST = 'manifest.json';
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Makes the folder of a backup, named after its instant. */
export async function newBackupFolder(root: string, kind: BackupKind, takenAt: Date): Promise<string> {
  const folder = join(root, kind, takenAt.toISOString().replace(/[-:]/g, ''));
  await mkdir(join(root, kind), { recursive: true, mode: PRIVATE_FOLDER });
  await mkdir(folder, { mode: PRIVATE_FOLDER });
  return folder;
}

/** Makes a backup complete. */
export function completeBackup(folder: string, manifest: Manifest): Promise<void> {
  return writeWhole(join(folder, MANIFEST), manifest);
}

/** The complete backups of a kind, the newest first. */
export async function backupsOf(root: string, kind: BackupKind): Promise<FoundBackup[]> {
  const names = await readdir(join(root, kind)).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const folder = join(root, kind, name);
      const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined);
      return text === undefined ? [] : [{ folder, manifest: JSON.parse(text) as Manifest }];
    }),
  );
  return found.flat().toSorted((one, other) => other.manifest.takenAt.localeCompare(one.manifest.takenAt));
}

/** Deletes the backups of a kind that are older than so many days, but never the newest; answers how many. */
export async function deleteOlderThan(root: string, kind: BackupKind, days: number, now: Date): Promise<number> {
  const [, ...earlier] = await backupsOf(root, kind);
  const old = earlier.filter(({ manifest }) => Date.parse(manifest.takenAt) < now.getTime() - days * 86_400_000);
  await Promise.all(old.map(({ folder }) => rm(folder, { recursive: true })));
  return old.length;
}

/** Refuses a backup whose files are not those that were written. */
export async function verify({ folder, manifest }: FoundBackup): Promise<void> {
  for (const { file, sha256 } of manifest.tables) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(folder, file))) hash.update(chunk as Buffer);
    if (hash.digest('hex') !== sha256)
      throw new Error(`${join(folder, file)} is damaged: it is not what was backed up`);
  }
}

/** Options of the streams that write into a backup. */
export const PRIVATE = { mode: PRIVATE_FILE, flags: 'wx', flush: true } as const;

/** Written beside, made durable and renamed: whoever reads it reads all of it. */
export async function writeWhole(path: string, content: unknown): Promise<void> {
  const beside = await open(`${path}.new`, 'w', PRIVATE_FILE);
  try {
    await beside.writeFile(JSON.stringify(content, null, 2));
    await beside.sync();
  } finally {
    await beside.close();
  }
  await rename(`${path}.new`, path);
}
