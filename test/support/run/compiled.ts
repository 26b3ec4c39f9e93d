import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';

const CACHE = join(REPOSITORY_ROOT, 'node_modules', '.cache', 'register-dist');
const NOT_PRODUCT = new Set(['node_modules', 'dist', 'test', 'coverage', '.git', '.data', '.stryker-tmp', 'reports']);
const MAX_AGE_MS = 24 * 3_600_000;

/**
 * Returns a folder that holds the product as `npm run build` compiles it. The folder is named after a hash of the sources and appears
 * complete or not at all, so runs at the same time share it. Throws when a source does not compile.
 */
export function compiledProduct(): string {
  const folder = join(CACHE, hashOfSources());
  if (existsSync(folder)) return folder;
  removeOld();
  const partial = `${folder}.${randomUUID()}`;
  const compiler = join(REPOSITORY_ROOT, 'node_modules', '.bin', 'tsc');
  const options = [
    '-p',
    'tsconfig.build.json',
    '--outDir',
    partial,
    '--incremental',
    'false',
    '--tsBuildInfoFile',
    'null',
  ];
  const { status, stdout } = spawnSync(compiler, options, { cwd: REPOSITORY_ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the product does not compile:\n${stdout}`);
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true });
    if (!existsSync(folder)) throw error; // else another run compiled the same sources at the same time
  }
  return folder;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const file of sourcesBelow(REPOSITORY_ROOT))
    hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex').slice(0, 24);
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !NOT_PRODUCT.has(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sourcesBelow(path);
      return /\.ts$|^tsconfig.*\.json$|^package-lock\.json$/.test(entry.name) ? [path] : [];
    });
}

function removeOld(): void {
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    if (Date.now() - statSync(path).mtimeMs > MAX_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
}
