import { randomUUID } from 'node:crypto';
import { open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDatabaseUnavailable } from '../../subgraphs/server/unavailable';

const PRIVATE_FILE = 0o600;

/** Reads a file; undefined if it does not exist. */
export function textOf(path: string): Promise<string | undefined> {
  return ifExists(path, (existing) => readFile(existing, 'utf8'));
}

/** Returns the names in a folder; none if it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await ifExists(folder, (existing) => readdir(existing))) ?? [];
}

/** Reads a path; undefined if it does not exist. Any other error is thrown, with the path: what exists is not ignored. */
export async function ifExists<Content>(
  path: string,
  read: (path: string) => Promise<Content>,
): Promise<Content | undefined> {
  try {
    return await read(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Error(`${path} cannot be read: ${message}`, { cause: error });
  }
}

/** Options of the streams that write into a backup. */
export const PRIVATE = { mode: PRIVATE_FILE, flags: 'wx', flush: true } as const;

/** Suffix of a file that is being written. */
const UNFINISHED = '.new';

/**
 * Writes texts to a file under a name of its own, flushes it to disk and renames it, so that readers never see a part of it.
 * Deletes the unfinished files of other processes, which lost the right to write: if one continues, its rename fails.
 */
export async function writeWhole(path: string, texts: Iterable<string>): Promise<void> {
  await writing(path, async () => {
    await deleteUnfinished(path);
    const name = `${path}.${randomUUID()}${UNFINISHED}`;
    const beside = await open(name, 'wx', PRIVATE_FILE);
    try {
      for (const text of texts) await beside.appendFile(text);
      await beside.sync();
    } finally {
      await beside.close();
    }
    await rename(name, path);
    await syncFolder(dirname(path));
  });
}

async function deleteUnfinished(path: string): Promise<void> {
  const isUnfinished = (name: string) => name.startsWith(`${basename(path)}.`) && name.endsWith(UNFINISHED);
  for (const name of (await namesIn(dirname(path))).filter(isUnfinished))
    await rm(join(dirname(path), name), { force: true });
}

/** Flushes the names in a folder to disk: after a loss of power a renamed file would otherwise be the former one. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync().catch(ignoreUnsupported);
  } finally {
    await folder.close();
  }
}

/** Ignores that a file system, such as that of a network share, cannot flush a folder. */
function ignoreUnsupported(error: NodeJS.ErrnoException): void {
  if (!['EINVAL', 'ENOTSUP', 'ENOSYS', 'EBADF', 'EPERM'].includes(error.code ?? '')) throw error;
}

/** Writes a file. The message of an error names it: that of a full disk names no path. */
export async function writing(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined || isDatabaseUnavailable(error)) throw error; // of the database that is read
    throw new Error(`${path} cannot be written: ${message}`, { cause: error });
  }
}
