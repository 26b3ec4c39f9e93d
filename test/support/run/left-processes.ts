import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Environment } from '../../../process/settings/environment';

/** Variable that identifies the processes of a run; every process of a run inherits it. */
export const RUN_ID = 'TEST_RUN_ID';

/** Milliseconds after which a killed process has usually ended. */
const PAUSE = 20;

/**
 * Returns the environment of a child process that must not inherit its parent's settings: these variables, and those of
 * the run.
 */
export function childEnvironment(variables: Environment): Record<string, string | undefined> {
  const { PATH, TMPDIR, NODE_OPTIONS, TEST_COVERAGE } = process.env;
  return { PATH, TMPDIR, NODE_OPTIONS, TEST_COVERAGE, [RUN_ID]: process.env[RUN_ID], ...variables };
}

/** Kills the remaining processes of a run, and those that they start meanwhile. Without /proc (macOS) it finds none. */
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
    // The process has ended.
  }
}

/** Returns the processes with the variable of a run, except this one. */
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
    return ''; // it has ended, or belongs to another account
  }
}
