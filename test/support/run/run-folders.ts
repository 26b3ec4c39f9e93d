import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcessesOf, processesOf } from './left-processes';

/** Variable with the folder in which the PostgreSQL servers of a run have their tables. */
export const TABLES_FOLDER = 'TEST_TABLES_FOLDER';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
/** Bytes that the tables of a run need at most, with room to spare. */
const ROOM_FOR_TABLES = 6 * 2 ** 30;
/** Of the name of a folder, before that of its run. */
const PREFIX = 'register-run-';

/** The folders of a run. */
export interface RunFolders {
  /** Temporary files of all kinds. */
  readonly files: string;
  /** Tables: in memory, where the machine has room. A copy of a database is a thousand files, which cost ten times as much on a disk. */
  readonly tables: string;
}

/** Makes the folders of a run. Other accounts enter them: PostgreSQL does not run as root. */
export function makeRunFolders(run: string): RunFolders {
  const name = `${PREFIX}${run}`;
  const files = join(tmpdir(), name);
  const tables = hasRoom() ? join(MEMORY, name) : join(files, 'tables');
  for (const folder of [files, tables]) {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
  }
  return { files, tables };
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_FOR_TABLES;
  } catch {
    return false; // not on this system
  }
}

/** Deletes the folders of a run. */
export function removeRunFolders({ files, tables }: RunFolders): void {
  for (const folder of [tables, files]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Ends and deletes what runs of this account have left that were killed together with their keepers. Without /proc (macOS), where no
 * process can be found by its run, everything stays.
 */
export async function removeLeftRuns(): Promise<void> {
  if (!existsSync('/proc/self/environ')) return;
  for (const place of [MEMORY, tmpdir()].filter((each) => existsSync(each))) {
    for (const name of readdirSync(place).filter((each) => each.startsWith(PREFIX))) {
      const [folder, run] = [join(place, name), name.slice(PREFIX.length)];
      if (!isOurs(folder) || keeperOf(run) !== undefined) continue;
      await endProcessesOf(run);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** Processes of another account do not show of which run they are. */
function isOurs(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

/** The process that keeps a run, as long as there is one. */
export function keeperOf(run: string): number | undefined {
  return processesOf(run).find((pid) => commandOf(pid).includes('keeper.ts'));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it ended meanwhile
  }
}
