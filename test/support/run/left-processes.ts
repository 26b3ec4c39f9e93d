import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Environment } from '../../../process/environment';

/** Variable by which the processes of a run are found; every process of a run inherits it. */
export const RUN_ID = 'TEST_RUN_ID';

/** Milliseconds in which a process that was killed is gone, as a rule. */
const PAUSE = 20;

/** The environment of a child process that must not inherit settings of its parent's shell: these variables, and the run's own. */
export function childEnvironment(variables: Environment): Record<string, string | undefined> {
  const { PATH, TMPDIR, NODE_OPTIONS, TEST_COVERAGE } = process.env;
  return { PATH, TMPDIR, NODE_OPTIONS, TEST_COVERAGE, [RUN_ID]: process.env[RUN_ID], ...variables };
}

/** Kills the processes of a run that are still there, and those that they start meanwhile. Without /proc (macOS) it finds none. */
export async function endProcessesOf(run: string): Promise<void> {
  for (let left = processesOf(run); left.length > 0; left = processesOf(run)) {
    for (const pid of left) kill(pid);
    await setTimeout(PAUSE);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

/** The processes that were started with the variable of a run, but for this one. */
export function processesOf(run: string): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return names.map(Number).filter((pid) => pid !== process.pid && environmentOf(pid).includes(`${RUN_ID}=${run}\0`));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // it ended, or is another account's
  }
}
