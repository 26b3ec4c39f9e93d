import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_DIFFERENCE_MS } from '../../subgraphs/server/database/register-clock';
import { type Manifest, hasOwnNames } from './manifest';
import { namesIn, textOf, writeWhole } from './stored-files';

/** A complete backup and its folder. */
export interface FoundBackup {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The two kinds of backups. Operators must store them separately. */
type BackupKind = (typeof BACKUP_KINDS)[number];

/** The folder names of the two kinds. */
export const BACKUP_KINDS = ['register', 'data-keys'] as const;

const MANIFEST = 'manifest.json';
/** Suffix of folders that are being deleted. */
const DELETED = '.deleted';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Age after which an incomplete folder counts as abandoned by a command that failed. A register can take hours. */
const ABANDONED_AFTER_MS: Readonly<Record<BackupKind, number>> = { register: 20 * HOUR_MS, 'data-keys': HOUR_MS };
const PRIVATE_FOLDER = 0o700;

/**
 * Throws unless the folder of backups exists, and with `alsoDataKeys` that of data keys in it. Without its disk, a backup
 * would be stored on another one, where its data keys would outlive an erasure.
 */
export async function requireFolders(root: string, alsoDataKeys: boolean): Promise<void> {
  for (const folder of [root, ...(alsoDataKeys ? [join(root, 'data-keys')] : [])]) {
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory() !== true) throw new Error(`${folder} is no folder: mount its disk, or create the folder`);
  }
}

/** Creates the folder of backups, if it does not exist. */
export async function createRoot(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: PRIVATE_FOLDER });
}

/** Creates the folder of a backup, named after its instant. The folder of all backups must exist: its disk may be unmounted meanwhile. */
export async function newBackupFolder(root: string, kind: BackupKind, takenAt: Date): Promise<string> {
  const folder = join(root, kind, takenAt.toISOString().replace(/[-:]/g, ''));
  await mkdir(join(root, kind), { mode: PRIVATE_FOLDER }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await mkdir(folder, { mode: PRIVATE_FOLDER });
  return folder;
}

/** Writes the manifest, which completes a backup. */
export function completeBackup(folder: string, manifest: Manifest): Promise<void> {
  return writeWhole(join(folder, MANIFEST), [JSON.stringify(manifest, null, 2)]);
}

/** Returns the complete backups of a kind, newest first. Throws if the manifest of a folder cannot be read. */
export async function backupsOf(root: string, kind: BackupKind): Promise<FoundBackup[]> {
  const found = await Promise.all(
    (await namesOf(root, kind)).map(async (name) => {
      const folder = join(root, kind, name);
      const manifest = await readManifest(folder);
      return manifest === undefined ? [] : [{ folder, manifest }];
    }),
  );
  return found.flat().toSorted((one, other) => other.manifest.takenAt.localeCompare(one.manifest.takenAt));
}

/**
 * Throws if a backup of either kind is dated in the future: the clock was ahead when it was taken. It would count as the newest one, and its
 * data keys would not be deleted before that time.
 */
export async function rejectFutureBackups(root: string): Promise<void> {
  const latest = new Date(Date.now() + MAX_DIFFERENCE_MS).toISOString();
  const found = await Promise.all(BACKUP_KINDS.map((kind) => backupsOf(root, kind)));
  const ahead = found.flat().filter(({ manifest }) => manifest.takenAt > latest);
  if (ahead.length === 0) return;
  const folders = ahead.map(({ folder }) => folder).join(', ');
  throw new Error(
    `${folders}: dated in the future, because a clock was ahead. Move it out of the folder of backups; delete its data keys after their retention period`,
  );
}

/** Reads a manifest; undefined only if the folder has none: such a folder counts as incomplete and is deleted later. */
async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, MANIFEST);
  const text = await textOf(path);
  if (text === undefined) return undefined;
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (!Number.isNaN(Date.parse(manifest.takenAt))) return manifest;
  } catch {
    // not JSON
  }
  throw new Error(`${path} is damaged: it is not the manifest of a backup`);
}

/**
 * Deletes the backups of a kind that are older than the given number of days, except the newest, and the remains of
 * failed backups and deletions. Returns the number of deleted folders.
 */
export async function deleteOlderThan(root: string, kind: BackupKind, days: number, now: Date): Promise<number> {
  await deleteRenamed(root, kind);
  const backups = await backupsOf(root, kind);
  const old = backups.slice(1).filter(({ manifest }) => Date.parse(manifest.takenAt) < now.getTime() - days * DAY_MS);
  const complete = new Set(backups.map(({ folder }) => folder));
  const abandoned = (await namesOf(root, kind))
    .filter((name) => (instantOf(name) ?? Infinity) < now.getTime() - ABANDONED_AFTER_MS[kind])
    .map((name) => join(root, kind, name))
    .filter((folder) => !complete.has(folder));
  const folders = [...old.map(({ folder }) => folder), ...abandoned];
  for (const folder of folders) await rename(folder, folder + DELETED);
  await deleteRenamed(root, kind);
  return folders.length;
}

/** Deletes renamed folders. A folder is renamed first, so that a half-deleted one never counts as a backup. */
async function deleteRenamed(root: string, kind: BackupKind): Promise<void> {
  const names = await namesIn(join(root, kind));
  const renamed = names.filter((name) => name.endsWith(DELETED));
  await Promise.all(renamed.map((name) => rm(join(root, kind, name), { recursive: true, force: true })));
}

/** Returns the folder names of a kind, except those being deleted. */
async function namesOf(root: string, kind: BackupKind): Promise<string[]> {
  const names = await namesIn(join(root, kind));
  return names.filter((name) => !name.endsWith(DELETED));
}

/** Parses the instant in a folder name; undefined if the command did not create the folder. */
function instantOf(name: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d\.\d{3}Z)$/.exec(name);
  const [, year, month, dayAndHour, minute, second] = parts ?? [];
  return parts === null ? undefined : Date.parse(`${year}-${month}-${dayAndHour}:${minute}:${second}`);
}

/** Throws if the manifest has names that are not of a backup, or a file differs from its SHA-256 in the manifest. */
export async function verify({ folder, manifest }: FoundBackup): Promise<void> {
  if (!hasOwnNames(manifest))
    throw new Error(
      `${join(folder, MANIFEST)} names a schema, table, column or file that no backup of this release has`,
    );
  for (const { file, sha256 } of manifest.tables) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(folder, file))) hash.update(chunk as Buffer);
    if (hash.digest('hex') !== sha256)
      throw new Error(`${join(folder, file)} is damaged: it is not what was backed up`);
  }
}
