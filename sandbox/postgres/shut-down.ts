import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { endsWithin, livingProcess, type LivingProcess } from './process-table';
import { readIfPresent } from './read-if-present';

/** Milliseconds that each way of shutting down is given. */
const PATIENCE = 10_000;

/** Shuts a postmaster down: fast (SIGINT: transactions are rolled back), then at once (SIGQUIT: recovery at the next start). */
export async function shutDown(server: LivingProcess): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    try {
      process.kill(server.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await endsWithin(server, PATIENCE)) return;
  }
  throw new Error(`PostgreSQL (process ${server.pid}) does not stop`);
}

/**
 * Clears the way for a start: a server that outlived its owner is stopped, never attached to, so that there is one way of owning
 * a server; a `postmaster.pid` that names a process of something else is removed. One that names no process stays: with
 * it PostgreSQL finds sessions of a killed postmaster that have not yet ended.
 */
export async function stopEarlierServer(folder: string, log: Pick<Logger, 'warn'>): Promise<void> {
  const file = join(folder, 'postmaster.pid');
  const pid = Number((await readIfPresent(file))?.split('\n')[0]);
  if (!(pid > 0)) return;
  const named = await livingProcess(pid);
  if (named?.command.includes(`/postgres -D ${folder} `)) {
    log.warn({ pid }, 'PostgreSQL outlived its instance: stopped');
    await shutDown(named);
  } else if (isNumberInUse(pid)) {
    await rm(file, { force: true });
  }
}

/** Also true of zombies, which PostgreSQL takes for a living server. */
function isNumberInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
