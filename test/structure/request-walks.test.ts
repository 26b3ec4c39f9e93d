import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { textOf } from './source-files';

/** A request that CONTRIBUTING.md follows: its heading and the files of its list, in order. */
interface Walk {
  readonly title: string;
  readonly files: readonly string[];
}

const ENTRY = /^\d+\. `([^`]+)`: /;

function walksIn(text: string): Walk[] {
  const [, section = ''] = text.split(/^## Follow a request$/m);
  const [walks = ''] = section.split(/^## /m);
  return walks
    .split(/^### /m)
    .slice(1)
    .map((walk) => {
      const [title = '', ...lines] = walk.split('\n');
      const entries = lines.filter((line) => /^\d+\./.test(line));
      return { title, files: entries.map((line) => ENTRY.exec(line)?.[1] ?? `no file: ${line}`) };
    });
}

/** Returns the entries that are missing files or repeat an earlier one. */
function problemsOf({ title, files }: Walk): string[] {
  return files.flatMap((file, index) => {
    if (!existsSync(join(REPOSITORY_ROOT, file))) return [`${title}: ${file} does not exist`];
    return files.indexOf(file) < index ? [`${title}: ${file} is named twice`] : [];
  });
}

describe('CONTRIBUTING.md', () => {
  const walks = walksIn(textOf('CONTRIBUTING.md'));

  it('follows a request of each interface, of GraphQL and of the portal', () => {
    const kinds = ['Interface A', 'Interface B', 'Interface C', 'Interface D', 'GraphQL', 'Portal'];
    expect(kinds.filter((kind) => !walks.some(({ title }) => title.startsWith(`${kind}: `)))).toEqual([]);
  });

  it('names existing files in each list, and no file twice', () => {
    expect(walks.flatMap(problemsOf)).toEqual([]);
  });

  it('follows each request to the migration of its rows', () => {
    const withoutRows = walks.filter(({ files }) => !files.some((file) => /\/migrations\/\d{4}-/.test(file)));
    expect(withoutRows.map(({ title }) => title)).toEqual([]);
  });
});

describe('A list of files', () => {
  it('with a missing, a repeated or no file is reported', () => {
    const text =
      '## Follow a request\n\n### Interface A: x\n\n1. `README.md`: a.\n2. `none.ts`: b.\n3. `README.md`: c.\n4. d.\n';
    expect(walksIn(text).flatMap(problemsOf)).toEqual([
      'Interface A: x: none.ts does not exist',
      'Interface A: x: README.md is named twice',
      'Interface A: x: no file: 4. d. does not exist',
    ]);
  });
});
