import { randomBytes } from 'node:crypto';
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runAs, SERVER_ENVIRONMENT, type ServerAccount } from './account';
import type { Binaries } from './binaries';
import { readIfPresent } from './read-if-present';

/** Name of the owner of the database, and of the database itself. */
export const REGISTER = 'register';

/** Inputs of a database cluster. */
interface ClusterOptions {
  readonly folder: string;
  readonly account: ServerAccount;
  readonly binaries: Binaries;
  /** File with the owner's password, readable by this account only. */
  readonly passwordFile: string;
}

/** Creates the database cluster if there is none; returns the password of its owner. */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const version = await readIfPresent(join(options.folder, 'PG_VERSION'));
  if (version === undefined) return createCluster(options);
  if (version.trim() !== options.binaries.major) {
    throw new Error(
      `${options.folder} was created by PostgreSQL ${version.trim()}, this is PostgreSQL ${options.binaries.major}. Delete DATA_DIR to start with empty data.`,
    );
  }
  const password = await readIfPresent(options.passwordFile);
  if (!password) throw new Error(`${options.passwordFile} is missing. Delete DATA_DIR to start with empty data.`);
  return password;
}

/**
 * Creates the cluster under a temporary name and renames it when it is complete, so that the start after a crash
 * creates it again.
 */
async function createCluster({ folder, account, binaries, passwordFile }: ClusterOptions): Promise<string> {
  const unfinished = `${folder}.new`;
  const passwordForInitdb = `${folder}.pwfile`;
  const password = randomBytes(24).toString('base64url');
  await rm(unfinished, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(unfinished, { mode: 0o700 });
  await changeOwner(unfinished, account);
  try {
    await rm(passwordForInitdb, { force: true });
    await writeFile(passwordForInitdb, password, { mode: 0o600 });
    await changeOwner(passwordForInitdb, account);
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

async function changeOwner(path: string, { uid, gid }: ServerAccount): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}
