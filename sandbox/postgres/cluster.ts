import { randomBytes } from 'node:crypto';
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runAs, SERVER_ENVIRONMENT, type ServerAccount } from './account';
import type { Binaries } from './binaries';
import { readIfPresent } from './read-if-present';

/** Name of the owner of the database, and of the database itself. */
export const REGISTER = 'register';

/** What a database cluster is made with. */
export interface ClusterPlan {
  readonly folder: string;
  readonly account: ServerAccount;
  readonly binaries: Binaries;
  /** Where the password of the owner is kept, readable by us only. */
  readonly passwordFile: string;
}

/** Makes the database cluster when there is none, and gives the password of its owner. */
export async function ensureCluster(plan: ClusterPlan): Promise<string> {
  const version = await readIfPresent(join(plan.folder, 'PG_VERSION'));
  if (version === undefined) return createCluster(plan);
  if (version.trim() !== plan.binaries.major) {
    throw new Error(
      `${plan.folder} was made by PostgreSQL ${version.trim()}, this is PostgreSQL ${plan.binaries.major}. Delete DATA_DIR to start afresh.`,
    );
  }
  const password = await readIfPresent(plan.passwordFile);
  if (!password) throw new Error(`${plan.passwordFile} is missing. Delete DATA_DIR to start afresh.`);
  return password;
}

/** Under a temporary name until complete: a first start that was killed half way is simply made again. */
async function createCluster({ folder, account, binaries, passwordFile }: ClusterPlan): Promise<string> {
  const unfinished = `${folder}.new`;
  const passwordForInitdb = `${folder}.pwfile`;
  const password = randomBytes(24).toString('base64url');
  await rm(unfinished, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(unfinished, { mode: 0o700 });
  await give(unfinished, account);
  try {
    await rm(passwordForInitdb, { force: true });
    await writeFile(passwordForInitdb, password, { mode: 0o600 });
    await give(passwordForInitdb, account);
    const identity = ['--username', REGISTER, '--auth=scram-sha-256', '--pwfile', passwordForInitdb];
    const locale = ['--encoding=UTF8', `--locale=${SERVER_ENVIRONMENT.LC_ALL}`];
    await runAs(account, binaries.initdb, ['-D', unfinished, '--no-sync', ...identity, ...locale]);
  } finally {
    await rm(passwordForInitdb, { force: true });
  }
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await rename(unfinished, folder);
  return password;
}

async function give(path: string, { uid, gid }: ServerAccount): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}
