import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { repositoryFiles, textOf } from './source-files';

/** Subjects of the tests, one folder each below `test/`. */
const NOUNS = [
  ...['records', 'identity', 'tariffs', 'grid-models', 'delivery', 'gateway', 'adapter', 'portal', 'console'],
  ...['process', 'users'],
];
/** How a subject is tested, one folder each below the subject. */
const HOWS = ['rules', 'database', 'exchanges', 'journeys', 'browser', 'reliability', 'properties'];
/** Folders that are about the repository or the tests themselves. */
const OTHERS = ['structure', 'bench', 'seeded-faults', 'support'];

/** Modules by which a test reaches a database, a server, a process or a browser. */
const NOT_PURE =
  /^(pg|fastify|playwright-core|node:(http|https|net|tls|child_process))$|\/support\/(register|postgres|browser)$/;

const testFiles = repositoryFiles().filter((path) => path.startsWith('test/') && path.endsWith('.ts'));

describe('The tests', () => {
  it('lie in a folder of their subject, and in it in a folder of how it is tested', () => {
    const layout = new RegExp(`^test/((${NOUNS.join('|')})/(${HOWS.join('|')})|${OTHERS.join('|')})/`);
    expect(testFiles.filter((path) => !layout.test(path))).toEqual([]);
  });

  it('of rules need no database, server, process or browser', () => {
    const rules = testFiles.filter((path) => /^test\/[^/]+\/rules\//.test(path));
    expect(rules.length).toBeGreaterThan(30);
    const impure = rules.flatMap((path) =>
      [...reached(path)].filter((name) => NOT_PURE.test(name)).map((name) => `${path}: ${name}`),
    );
    expect(impure).toEqual([]);
  });
});

/** Everything that a test file loads through the files of `test/`: their paths without suffix, and names of packages. */
function reached(path: string, found = new Set<string>()): Set<string> {
  for (const [, specifier = ''] of textOf(path).matchAll(VALUE_IMPORT)) {
    const target = specifier.startsWith('.') ? posix.join(dirname(path), specifier) : specifier;
    const isNew = !found.has(target);
    found.add(target);
    if (isNew && target.startsWith('test/') && existsSync(join(REPOSITORY_ROOT, `${target}.ts`)))
      reached(`${target}.ts`, found);
  }
  return found;
}

/** An import that is there when the program runs: `import type` is not, nor are braces that hold types only. */
const VALUE_IMPORT = /^import (?!type |\{(?:\s*type \w+,?)+\s*\} from)[^;]*?'([^']+)';/gms;
