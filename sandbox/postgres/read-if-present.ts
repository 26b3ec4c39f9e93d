import { readFile } from 'node:fs/promises';

/** The text of a file; undefined when it does not exist. ESRCH is how /proc tells that a process has just ended. */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
