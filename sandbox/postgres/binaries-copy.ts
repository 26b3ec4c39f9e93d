import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  chmod,
  cp,
  lstat,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openDirectory } from './data-folder';
import { readIfPresent } from './read-if-present';

/**
 * Returns a copy of the package's `native` folder that every account may read. It is in the shared directory or, if
 * that is not writable, in a new folder of the temporary directory to which the link `DATA_DIR/postgres.binaries`
 * points. A copy, unlike a link, survives `npm ci` and does not need a common file system. The symbolic links of the
 * libraries are not copied.
 */
export async function copyOfBinaries(
  native: string,
  { dataDir, sharedDir }: { readonly dataDir: string; readonly sharedDir: string },
): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(join(native, 'bin', 'postgres')))
    .digest('hex')
    .slice(0, 16);
  const shared = join(sharedDir, `postgres-${hash}`);
  if (await isComplete(shared, hash)) return shared;
  if (await isWritable(sharedDir)) {
    await copy(native, shared, hash);
    return shared;
  }
  const pointer = join(dataDir, 'postgres.binaries');
  const present = await readlink(pointer).catch(() => undefined);
  if (present !== undefined && (await isTrusted(present)) && (await isComplete(present, hash))) return present;
  const fresh = await mkdtemp(join(tmpdir(), `${basename(sharedDir)}-`));
  await chmod(fresh, 0o755);
  const target = join(fresh, `postgres-${hash}`);
  await copy(native, target, hash);
  await rm(pointer, { force: true });
  await symlink(target, pointer);
  return target;
}

async function isComplete(folder: string, hash: string): Promise<boolean> {
  return (await readIfPresent(join(folder, 'ok'))) === hash;
}

async function isWritable(directory: string): Promise<boolean> {
  try {
    await openDirectory(directory);
    await access(directory, constants.W_OK);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * Returns true if only this account can change the folder: every account may write to the temporary directory above it.
 */
async function isTrusted(folder: string): Promise<boolean> {
  const stat = await lstat(folder).catch(() => undefined);
  return stat !== undefined && stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
}

/**
 * Copies under a temporary name and renames the complete copy, so that an incomplete copy never runs and concurrent
 * starts do not conflict.
 */
async function copy(native: string, target: string, hash: string): Promise<void> {
  const unfinished = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    const filter = async (source: string) => !(await lstat(source)).isSymbolicLink();
    await cp(native, unfinished, { recursive: true, filter, mode: constants.COPYFILE_FICLONE });
    await openToAll(unfinished);
    await writeFile(join(unfinished, 'ok'), hash, { mode: 0o644 });
    await rm(target, { recursive: true, force: true });
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isComplete(target, hash))) throw error;
  }
}

/** Permits every account to read and execute the files, which the umask of the checkout may forbid. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, (await lstat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}
