import { open, readFile, readdir, rename } from 'node:fs/promises';
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

/** Writes texts to a file under another name, flushes it to disk and renames it, so that readers never see a part of it. */
export async function writeWhole(path: string, texts: Iterable<string>): Promise<void> {
  await writing(path, async () => {
    const beside = await open(`${path}.new`, 'w', PRIVATE_FILE);
    try {
      for (const text of texts) await beside.appendFile(text);
      await beside.sync();
    } finally {
      await beside.close();
    }
    await rename(`${path}.new`, path);
  });
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
