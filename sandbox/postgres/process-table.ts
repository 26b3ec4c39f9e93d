import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readIfPresent } from './read-if-present';

/** A running process. Process id and start time together are unique, which detects a reused process id. */
export interface LivingProcess {
  readonly pid: number;
  readonly startedAt: string;
  /** Program and arguments, each followed by a space. */
  readonly command: string;
}

/** Returns the process with the id; undefined if there is none or only a zombie. */
export async function livingProcess(pid: number): Promise<LivingProcess | undefined> {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Reads only files that every account may read: in a container, root cannot read /proc/<pid>/exe and cwd. */
async function fromProc(pid: number): Promise<LivingProcess | undefined> {
  const stat = await readIfPresent(`/proc/${pid}/stat`);
  const command = await readIfPresent(`/proc/${pid}/cmdline`);
  if (stat === undefined || command === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, startedAt: fields[19] ?? '', command: command.replaceAll('\0', ' ') };
}

async function fromPs(pid: number): Promise<LivingProcess | undefined> {
  const listing = promisify(execFile)('ps', ['-ww', '-o', 'stat=,lstart=,command=', '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  const { stdout } = await listing.catch((error: { code?: unknown; stdout: string }) => {
    if (error.code === 1) return error; // ps found no such process
    throw error;
  });
  const [, state, startedAt, command] = /^\s*(\S+)\s+(\w+ +\w+ +\d+ +\S+ +\d+)\s+(.*)/.exec(stdout) ?? [];
  if (state === undefined || startedAt === undefined || state.startsWith('Z')) return undefined;
  return { pid, startedAt, command: `${command} ` };
}

/** Waits for the end of the process; returns false if it still runs after `milliseconds`. */
export async function endsWithin(running: LivingProcess, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const now = await livingProcess(running.pid);
    if (now?.startedAt !== running.startedAt) return true;
    if (Date.now() > deadline) return false;
    await pause(10);
  }
}
