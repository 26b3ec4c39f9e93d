import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';

const CACHE = join(REPOSITORY_ROOT, 'node_modules', '.cache', 'register-dist');
/** Folders of the root without sources of the product. A folder of the product may have the same name. */
const NOT_PRODUCT = new Set(['node_modules', 'dist', 'test', 'coverage', '.git', '.data', '.stryker-tmp', 'reports']);
const OF_BUILD = /^(?:package-lock\.json|\.swcrc)$/;
/** `test/support/swc-compiled.js`. */
interface Compiler {
  compiled(source: string, filename: string): string;
}

const MAX_AGE_MS = 24 * 3_600_000;

/**
 * Returns a folder with the product as JavaScript. Swc compiles each source separately, which takes a second after a
 * change, instead of twenty for `npm run build`. (`npm test` checks the types first; `test/structure/container.test.ts`
 * runs the output of `npm run build`.) The name of the folder contains a hash of the sources, and the folder appears
 * complete or not at all, so that concurrent runs share it. Throws if a source does not compile.
 */
export function compiledProduct(): string {
  const sources = sourcesBelow(REPOSITORY_ROOT);
  const folder = join(CACHE, hashOf(sources));
  if (existsSync(folder)) return folder;
  removeOld();
  const partial = `${folder}.${randomUUID()}`;
  const { compiled } = require('../swc-compiled') as Compiler;
  for (const file of sources.filter((each) => !OF_BUILD.test(basename(each)))) {
    const source = readFileSync(file, 'utf8');
    const target = join(partial, relative(REPOSITORY_ROOT, file));
    mkdirSync(dirname(target), { recursive: true });
    if (file.endsWith('.ts')) writeFileSync(target.replace(/\.ts$/, '.js'), withoutMap(compiled(source, file)));
    else writeFileSync(target, source);
  }
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true });
    if (!existsSync(folder)) throw error; // otherwise a concurrent run compiled the same sources
  }
  return folder;
}

/** Removes the source map: Node does not use it, and V8 would read it from each script and store it in its cache. */
function withoutMap(code: string): string {
  return code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}

function hashOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of sources) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex').slice(0, 24);
}

/** Returns the sources of the product, the JSON files that it imports, and the compiler settings. */
function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => folder !== REPOSITORY_ROOT || !NOT_PRODUCT.has(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sourcesBelow(path);
      const isSource = /(?<!\.d)\.ts$/.test(entry.name) || (entry.name.endsWith('.json') && folder !== REPOSITORY_ROOT);
      return isSource || OF_BUILD.test(entry.name) ? [path] : [];
    });
}

function removeOld(): void {
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    if (Date.now() - statSync(path).mtimeMs > MAX_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
}
