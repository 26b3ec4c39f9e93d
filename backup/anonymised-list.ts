import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from './backup-folder';

/** When Identity Records were anonymised, by their internal ids. It only ever grows: a restore does it again. */
export type AnonymisedList = ReadonlyMap<string, string>;

const FILE = 'anonymised.json';

/** The list that all backups of a folder share; empty when there is none yet. */
export async function readAnonymised(root: string): Promise<AnonymisedList> {
  const text = await readFile(join(root, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

/** Adds to the list; the first instant of a record stands. */
export async function addAnonymised(root: string, more: AnonymisedList): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await writeWhole(join(root, FILE), Object.fromEntries([...more, ...(await readAnonymised(root))]));
}
