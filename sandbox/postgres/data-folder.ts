import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { canEnter, type ServerAccount } from './account';

/** Where the tables lie. */
export interface DataFolder {
  /** Absolute path without symbolic links. */
  readonly path: string;
  /** To be called once the folder is ours and no server runs in it: deletes what belonged to a deleted DATA_DIR. */
  settle(): Promise<void>;
}

/**
 * `DATA_DIR/postgres`. Where the server's account cannot enter DATA_DIR, that name is a symbolic link to a folder of the shared
 * directory instead. Such a folder without its link means that DATA_DIR was deleted: deleting DATA_DIR starts afresh.
 */
export async function dataFolder(dataDir: string, account: ServerAccount, sharedDir: string): Promise<DataFolder> {
  await mkdir(dataDir, { recursive: true });
  const home = await realpath(dataDir);
  const name = join(home, 'postgres');
  const present = await lstat(name).catch(() => undefined);
  if (present?.isSymbolicLink()) return { path: await linked(name), settle: async () => undefined };
  if (await canEnter(account, present ? name : home)) return { path: name, settle: async () => undefined };
  if (present) {
    throw new Error(
      `${name} belongs to another account than ${account.name}, or lies below a folder closed to it. Delete it to start afresh.`,
    );
  }
  await openDirectory(sharedDir);
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const path = join(await realpath(sharedDir), `data-${hash}`);
  return {
    path,
    settle: async () => {
      await rm(path, { recursive: true, force: true });
      await symlink(path, name);
    },
  };
}

async function linked(name: string): Promise<string> {
  const target = resolve(dirname(name), await readlink(name));
  await openDirectory(dirname(target));
  return realpath(target).catch(() => target);
}

/** Makes a directory that every account may enter, whatever the umask. */
export async function openDirectory(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true });
  if (made !== undefined) await chmod(path, 0o755);
}
