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
import type { BinarySources } from './binaries';
import { openDirectory } from './data-folder';
import { readIfPresent } from './read-if-present';

/**
 * A copy of the package's `native` folder that every account may read: in the shared directory, once for all; where that cannot be
 * written, in a new folder below the temporary directory, which `DATA_DIR/postgres.binaries` then points at. Copied, not
 * linked: a copy survives `npm ci` and needs no common file system. Without the symbolic links of the libraries.
 */
export async function copyOfBinaries(native: string, { dataDir, sharedDir }: BinarySources): Promise<string> {
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
  const known = await readlink(pointer).catch(() => undefined);
  if (known !== undefined && (await isOurs(known)) && (await isComplete(known, hash))) return known;
  const fresh = await mkdtemp(join(tmpdir(), `${basename(sharedDir)}-`));
  await chmod(fresh, 0o755);
  const place = join(fresh, `postgres-${hash}`);
  await copy(native, place, hash);
  await rm(pointer, { force: true });
  await symlink(place, pointer);
  return place;
}

async function isComplete(place: string, hash: string): Promise<boolean> {
  return (await readIfPresent(join(place, 'ok'))) === hash;
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

/** Below a directory that everyone may write, only a folder of our own that nobody else can change is run. */
async function isOurs(place: string): Promise<boolean> {
  const facts = await lstat(place).catch(() => undefined);
  return facts !== undefined && facts.isDirectory() && facts.uid === process.getuid?.() && (facts.mode & 0o022) === 0;
}

/** Under a temporary name until complete, so that a broken copy is never run and two starts at once do not meet. */
async function copy(native: string, place: string, hash: string): Promise<void> {
  const unfinished = `${place}.${randomBytes(6).toString('hex')}`;
  try {
    const filter = async (source: string) => !(await lstat(source)).isSymbolicLink();
    await cp(native, unfinished, { recursive: true, filter, mode: constants.COPYFILE_FICLONE });
    await openToAll(unfinished);
    await writeFile(join(unfinished, 'ok'), hash, { mode: 0o644 });
    await rm(place, { recursive: true, force: true });
    await rename(unfinished, place);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isComplete(place, hash))) throw error;
  }
}

/** The checkout's umask may have closed files to others. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, (await lstat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}
