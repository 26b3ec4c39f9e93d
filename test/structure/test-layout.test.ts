import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { repositoryFiles, textOf } from './source-files';

/** Subjects of the tests, one folder each in `test/`. */
const NOUNS = [
  ...['records', 'identity', 'tariffs', 'grid-models', 'delivery', 'gateway', 'adapter', 'portal', 'console'],
  ...['process', 'users'],
];
/** Kinds of tests, one folder each in the folder of a subject. */
const HOWS = ['rules', 'database', 'exchanges', 'journeys', 'browser', 'reliability', 'properties'];
/** Folders that are about the repository or the tests themselves. */
const OTHERS = ['structure', 'bench', 'seeded-faults', 'support'];

/** Modules with which a test uses a database, a server, a process or a browser. */
const NOT_PURE =
  /^(pg|fastify|playwright-core|node:(http|https|net|tls|child_process))$|\/support\/(register|postgres|browser)$/;

const testFiles = repositoryFiles().filter((path) => path.startsWith('test/') && path.endsWith('.ts'));

describe('The tests', () => {
  it('are in a folder of their subject, and there in a folder of their kind', () => {
    const layout = new RegExp(`^test/((${NOUNS.join('|')})/(${HOWS.join('|')})|${OTHERS.join('|')})/`);
    expect(testFiles.filter((path) => !layout.test(path))).toEqual([]);
  });

  it('of rules use no database, server, process or browser', () => {
    const rules = testFiles.filter((path) => /^test\/[^/]+\/rules\//.test(path));
    expect(rules.length).toBeGreaterThan(30);
    const impure = rules.flatMap((path) =>
      [...reached(path)].filter((name) => NOT_PURE.test(name)).map((name) => `${path}: ${name}`),
    );
    expect(impure).toEqual([]);
  });
});

/**
 * Returns everything that a test file loads through files of `test/`: their paths without suffix, and names of
 * packages.
 */
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

/** An import that exists at run time, unlike `import type` or braces with types only. */
const VALUE_IMPORT = /^import (?!type |\{(?:\s*type \w+,?)+\s*\} from)[^;]*?'([^']+)';/gms;
