import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { REGISTER } from './cluster';
import { livingProcess } from './process-table';
import { readIfPresent } from './read-if-present';

/**
 * Returns the URL of the embedded PostgreSQL that another process runs in this DATA_DIR; undefined if there is none.
 */
export async function runningPostgres(dataDir: string): Promise<string | undefined> {
  const folder = await realpath(join(dataDir, 'postgres')).catch(() => undefined);
  if (folder === undefined) return undefined;
  const [pid, , , port, , , , state] = ((await readIfPresent(join(folder, 'postmaster.pid'))) ?? '').split('\n');
  const postmaster = Number(pid) > 0 ? await livingProcess(Number(pid)) : undefined;
  if (postmaster?.command.includes(`/postgres -D ${folder} `) !== true || state?.trim() !== 'ready') return undefined;
  const password = await readIfPresent(join(dataDir, 'postgres.password'));
  return password && `postgres://${REGISTER}:${password}@127.0.0.1:${port}/${REGISTER}`;
}
