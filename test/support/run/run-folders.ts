import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcessesOf, processesOf } from './left-processes';

/** Variable with the folder for the tables of a run's PostgreSQL servers. */
export const TABLES_FOLDER = 'TEST_TABLES_FOLDER';

/** File system in memory on Linux. */
const MEMORY = '/dev/shm';
/** Maximum bytes of the tables of a run, with a margin. */
const MAX_TABLE_BYTES = 6 * 2 ** 30;
/** Prefix of the name of a folder, before that of its run. */
const PREFIX = 'register-run-';

/** The folders of a run. */
export interface RunFolders {
  /** Temporary files of all kinds. */
  readonly files: string;
  /**
   * Tables: in memory, if the machine has enough. A copy of a database has a thousand files, which cost ten times as
   * much on a disk.
   */
  readonly tables: string;
}

/** Creates the folders of a run. Other accounts must be able to enter them: PostgreSQL does not run as root. */
export function makeRunFolders(run: string): RunFolders {
  const name = `${PREFIX}${run}`;
  const files = join(tmpdir(), name);
  const tables = hasFreeMemory() ? join(MEMORY, name) : join(files, 'tables');
  for (const folder of [files, tables]) {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
  }
  return { files, tables };
}

function hasFreeMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MAX_TABLE_BYTES;
  } catch {
    return false; // does not exist on this system
  }
}

/** Deletes the folders of a run. */
export function removeRunFolders({ files, tables }: RunFolders): void {
  for (const folder of [tables, files]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Ends and deletes the remains of this account's runs whose keepers were killed. Without /proc (macOS), it cannot
 * identify the processes of a run and removes nothing.
 */
export async function removeLeftRuns(): Promise<void> {
  if (!existsSync('/proc/self/environ')) return;
  for (const place of [MEMORY, tmpdir()].filter((each) => existsSync(each))) {
    for (const name of readdirSync(place).filter((each) => each.startsWith(PREFIX))) {
      const [folder, run] = [join(place, name), name.slice(PREFIX.length)];
      if (!isOwnFolder(folder) || keeperOf(run) !== undefined) continue;
      await endProcessesOf(run);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** Reports whether this account owns a folder: the environment of other accounts' processes is not readable. */
function isOwnFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

/** Returns the keeper process of a run, if it exists. */
export function keeperOf(run: string): number | undefined {
  return processesOf(run).find((pid) => commandOf(pid).includes('keeper.ts'));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
