import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import {
  type SourceFile,
  type SyntaxNode,
  nodesOf,
  repositoryFiles,
  sourceFile,
  testFiles as testTypeScript,
  textOf,
} from './source-files';

/** The tests that a configuration of jest runs, as regular expressions of their paths. Without `testRegex` it runs all that are not ignored. */
interface Selection {
  readonly testRegex?: readonly string[];
  readonly testPathIgnorePatterns: readonly string[];
}
const WHOLE = jest.requireActual<Selection>('../../jest.config');
const DAILY = jest.requireActual<Selection>('../../jest.daily.config');
const RELEASE = jest.requireActual<Selection>('../../jest.release.config');
const RELEASE_TESTS = jest.requireActual<string[]>('../support/run/release-tests');

function isRunBy({ testRegex = [''], testPathIgnorePatterns }: Selection, path: string): boolean {
  const matches = (pattern: string) => new RegExp(pattern.replace('<rootDir>', '^')).test(path);
  return testRegex.some(matches) && !testPathIgnorePatterns.some(matches);
}

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

  it('run in `npm test` or in `npm run test:release`, each in one of both', () => {
    const files = testFiles.filter((path) => path.endsWith('.test.ts')).map((path) => `/${path}`);
    const whole = files.filter((path) => isRunBy(WHOLE, path));
    const [daily, release] = [DAILY, RELEASE].map((config) => whole.filter((path) => isRunBy(config, path)));
    expect(release?.length).toBeGreaterThan(30);
    expect([...(daily ?? []), ...(release ?? [])].toSorted()).toEqual(whole.toSorted());
  });

  it('that a release needs are listed by patterns of existing files', () => {
    const unused = RELEASE_TESTS.filter((path) => !testFiles.some((file) => new RegExp(path).test(`/${file}`)));
    expect(unused).toEqual([]);
  });

  it('of rules use no database, server, process or browser', () => {
    const rules = testFiles.filter((path) => /^test\/[^/]+\/rules\//.test(path));
    expect(rules.length).toBeGreaterThan(30);
    const impure = rules.flatMap((path) =>
      [...reached(path)].filter((name) => NOT_PURE.test(name)).map((name) => `${path}: ${name}`),
    );
    expect(impure).toEqual([]);
  });

  it('find locks and sessions of their own database only: concurrent files have others on the same server', () => {
    const readers = testTypeScript().filter(({ text }) => READS_SERVER.test(text));
    expect(readers.length).toBeGreaterThan(20);
    expect(readers.flatMap(unboundedIn)).toEqual([]);
  });

  it('that would find those of other files are reported, however the statement is written', () => {
    const planted = `
      query('select from pg_locks where not granted');
      query(\`select from pg_locks where relation = \${table}::regclass\`);
      query("select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0");
      query('select from pg_stat_activity where datname = current_database()');
      query(\`select from pg_locks where \${OF_THIS_DATABASE}\`);
      query('select from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))');`;
    expect(unboundedIn(sourceFile('planted.ts', planted))).toEqual([
      'planted.ts: pg_locks where not granted',
      'planted.ts: pg_locks where relation = …::regclass',
      'planted.ts: pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0',
    ]);
  });
});

/** Matches a statement that reads the locks or the sessions of a whole server. */
const READS_SERVER = /\bfrom pg_(locks|stat_activity)\b/;
/** Matches the conditions that select those of one database, or those that wait for one session. */
const IS_BOUNDED = /current_database\(\)|OF_THIS_DATABASE|= any\(pg_blocking_pids\(/;
/** A file whose statement is about a server of its own. */
const OWN_SERVER = 'test/delivery/reliability/promoted-standby.test.ts';

/** Returns the statements of a file that find locks or sessions of other databases, too. */
function unboundedIn({ path, module }: SourceFile): string[] {
  if (path === OWN_SERVER) return [];
  return nodesOf(module)
    .map(literalOf)
    .filter((text) => READS_SERVER.test(text) && !IS_BOUNDED.test(text))
    .map((text) => `${path}: ${text.slice(text.indexOf('pg_')).replaceAll(/\$\{\w*\}/g, '…')}`);
}

/** Returns the text of a literal, with the names of constants in it; empty for other nodes. */
function literalOf(node: SyntaxNode): string {
  if (node.type === 'StringLiteral') return String(node['value']);
  if (node.type !== 'TemplateLiteral') return '';
  const names = (node['expressions'] as SyntaxNode[]).map(({ value }) => `\${${String(value ?? '')}}`);
  return (node['quasis'] as SyntaxNode[]).map(({ raw }, index) => `${String(raw)}${names[index] ?? ''}`).join('');
}

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
