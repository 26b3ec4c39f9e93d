import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadContract } from '../../rest-adapter/contract/contract';
import { INTERFACES } from '../../rest-adapter/contract/interfaces';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { PAGES } from '../../web/portal/page-list';
import { textOf } from './source-files';

/** A request that CONTRIBUTING.md follows: its heading, its route, such as `GET /auth/token`, and the files of its list, in order. */
interface Walk {
  readonly title: string;
  readonly route: string;
  readonly text: string;
  readonly files: readonly string[];
}

const ROUTE = /^`([A-Z]+ \/\S*)`/;
const ENTRY = /^\d+\. `([^`]+)`: /;

function walksIn(text: string): Walk[] {
  const [, section = ''] = text.split(/^## Follow a request$/m);
  const [walks = ''] = section.split(/^## /m);
  return walks
    .split(/^### /m)
    .slice(1)
    .map((walk) => {
      const [title = '', ...lines] = walk.split('\n');
      const route = lines.map((line) => ROUTE.exec(line)?.[1]).find((found) => found !== undefined) ?? 'no route';
      const entries = lines.filter((line) => /^\d+\./.test(line));
      return { title, route, text: walk, files: entries.map((line) => ENTRY.exec(line)?.[1] ?? `no file: ${line}`) };
    });
}

/** Operations of the contracts as `METHOD path: operationId`. */
const OPERATIONS = INTERFACES.flatMap((each) => loadContract(each).operations).map(
  ({ method, path, operationId }) => `${method} ${path}: ${operationId}`,
);

/** Routes without a contract: the GraphQL endpoint, and the pages and forms of the portal. */
const OTHER_ROUTES = [
  'POST /graphql',
  ...PAGES.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
];

/** Whether the route is one of an operation that the text of the walk names, or has no contract. */
function exists({ route, text }: Walk): boolean {
  const operation = OPERATIONS.find((each) => each.startsWith(`${route}: `));
  return operation === undefined
    ? OTHER_ROUTES.includes(route)
    : text.includes(`\`${operation.slice(route.length + 2)}\``);
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

  it('names for each request a route that exists, and its operation', () => {
    expect(walks.filter((walk) => !exists(walk)).map(({ title, route }) => `${title}: ${route}`)).toEqual([]);
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
