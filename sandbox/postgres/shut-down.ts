import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { endsWithin, livingProcess, type LivingProcess } from './process-table';
import { readIfPresent } from './read-if-present';

/** Maximum duration of each kind of shutdown. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

/**
 * Shuts a postmaster down: fast (SIGINT, rolls transactions back), then immediately (SIGQUIT, recovery at the next
 * start).
 */
export async function shutDown(server: LivingProcess): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    try {
      process.kill(server.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await endsWithin(server, SHUTDOWN_TIMEOUT_MS)) return;
  }
  throw new Error(`PostgreSQL (process ${server.pid}) does not stop`);
}

/**
 * Prepares a folder for a start. Stops a server that survived its owner and never adopts it, so that only the process
 * that started a server owns it. Removes a `postmaster.pid` that names a process of another program. Does not remove
 * one that names no process: PostgreSQL needs it to find sessions of a killed postmaster that have not ended.
 */
export async function stopEarlierServer(folder: string, log: Pick<Logger, 'warn'>): Promise<void> {
  const file = join(folder, 'postmaster.pid');
  const pid = Number((await readIfPresent(file))?.split('\n')[0]);
  if (!(pid > 0)) return;
  const named = await livingProcess(pid);
  if (named?.command.includes(`/postgres -D ${folder} `)) {
    log.warn({ pid }, 'stopped a PostgreSQL that survived its instance');
    await shutDown(named);
  } else if (isPidInUse(pid)) {
    await rm(file, { force: true });
  }
}

/** Returns true also for zombies, which PostgreSQL mistakes for a running server. */
function isPidInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
