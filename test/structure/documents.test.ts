import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { productFiles, repositoryFiles, textOf, variablesRead } from './source-files';

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'THIRD-PARTY.md', 'subgraphs/README.md'];
const { scripts, version } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string>; version: string };

/** Read or set by the register itself, but not for a user to set. */
const OF_THE_SYSTEM = ['PATH', 'HOME', 'NODE_ENV', 'LC_ALL', 'APOLLO_TELEMETRY_DISABLED'];

describe('README.md', () => {
  it('explains every variable that the product reads, and no other', () => {
    const chapter = textOf('README.md').split('## Variables')[1]?.split('\n## ')[0] ?? '';
    const explained = chapter
      .split('\n')
      .map((line) => (line.startsWith('|') ? (line.split('|')[1] ?? '') : line))
      .flatMap((names) => [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
    const read = [...variablesRead()].filter((name) => !OF_THE_SYSTEM.includes(name));
    expect(explained.toSorted()).toEqual(read.toSorted());
  });

  it('has commands that bash understands', () => {
    const blocks = [...textOf('README.md').matchAll(/```bash\n([\s\S]*?)```/g)].map(([, commands]) => commands ?? '');
    expect(blocks.length).toBeGreaterThan(3);
    for (const input of blocks) execFileSync('bash', ['-n'], { input });
  });
});

describe.each(DOCUMENTS)('%s', (document) => {
  const text = textOf(document);
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, each]) => each ?? '');

  it('names only scripts that exist', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names only files that exist', () => {
    const known = [...repositoryFiles(), ...productFiles().map(({ path }) => dirname(path))];
    const paths = quoted.filter(
      (each) => /^(\w|\.\w+\/)[\w.-]*(\/[\w.-]+)*\/?$/.test(each) && /\/|\w\.(ts|md|yml|yaml|json)$/.test(each),
    );
    const missing = paths.filter((path) => {
      const stands =
        existsSync(join(REPOSITORY_ROOT, path)) || existsSync(join(REPOSITORY_ROOT, dirname(document), path));
      return !stands && !known.some((file) => `${file}/`.includes(`/${path.replace(/\/$/, '')}/`));
    });
    expect(missing.filter((path) => !MADE_WHEN_RUNNING.test(path))).toEqual([]);
  });
});

/** Not in the repository: what an installation and a start make. */
const MADE_WHEN_RUNNING = /^(\.data|dist|node_modules)(\/|$)|^sandbox\.json$|^\.env$/;

describe('CHANGELOG.md', () => {
  it('tells of the version of this package', () => {
    expect(textOf('CHANGELOG.md')).toContain(`## [${version}] - `);
  });
});

describe('npm start', () => {
  it('becomes the register, so that a signal to npm alone ends it, too', () => {
    expect(scripts['start']).toMatch(/&& exec node dist\/main\.js$/);
  });
});
