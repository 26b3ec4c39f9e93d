import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { canEnter, type ServerAccount } from './account';

/** The folder of the database files. */
interface DataFolder {
  /** Absolute path without symbolic links. */
  readonly path: string;
  /** Deletes the files of a deleted DATA_DIR. Call it when this process owns the folder and no server runs in it. */
  settle(): Promise<void>;
}

/**
 * Returns `DATA_DIR/postgres`. If the server's account cannot enter DATA_DIR, this path is a symbolic link to a folder
 * of the shared directory. A folder of the shared directory without its link belongs to a deleted DATA_DIR, and
 * `settle` deletes it.
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
      `${name} belongs to another account than ${account.name}, or is below a folder that it cannot enter. Delete it to start with empty data.`,
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

/** Creates a directory that every account may enter, independent of the umask. */
export async function openDirectory(path: string): Promise<void> {
  const created = await mkdir(path, { recursive: true });
  if (created !== undefined) await chmod(path, 0o755);
}
