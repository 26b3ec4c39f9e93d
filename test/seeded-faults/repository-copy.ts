import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { repositoryFiles } from '../structure/source-files';

/** A copy of the repository in a separate folder. */
export interface Copy {
  readonly root: string;
  remove(): void;
}

/** In the copy the catalogue does not fit the sources. */
const OF_THE_CATALOGUE = 'test/structure/seeded-faults.test.ts';

/**
 * Copies the repository as it is now. Packages are hard links: whatever replaces a file of them leaves the original as
 * it is.
 */
export function repositoryCopy(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'seeded-faults-'));
  const root = join(folder, 'register');
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  for (const path of repositoryFiles().filter((each) => each !== OF_THE_CATALOGUE)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(REPOSITORY_ROOT, path), join(root, path));
  }
  copyPackages(join(REPOSITORY_ROOT, 'node_modules'), join(root, 'node_modules'));
  const shared = join(REPOSITORY_ROOT, '..', 'shared');
  if (existsSync(shared)) symlinkSync(shared, join(folder, 'shared'));
  allowUnused(join(root, 'tsconfig.json'));
  return { root, remove };
}

/** Without what earlier runs have kept there: that is of other sources. */
function copyPackages(from: string, to: string): void {
  execFileSync('cp', ['-RPl', from, to]);
  rmSync(join(to, '.cache'), { recursive: true, force: true });
}

/** A fault may leave something that nothing uses any more; that is no reason not to compile. */
function allowUnused(file: string): void {
  const settings = readFileSync(file, 'utf8');
  writeFileSync(file, settings.replace(/"(noUnusedLocals|noUnusedParameters)": true/g, '"$1": false'));
}
