import { readFile } from 'node:fs/promises';

/**
 * Returns the text of a file; undefined if it does not exist. /proc reports ESRCH for a process that has just ended.
 */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
