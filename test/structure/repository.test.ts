import { builtinModules } from 'node:module';
import {
  type SourceFile,
  type SyntaxNode,
  nodesOf,
  productFiles,
  repositoryFiles,
  sourceFile,
  textOf,
} from './source-files';

const paths = repositoryFiles();
const product = productFiles();
const packageJson = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;

describe('the top level', () => {
  it('has the files that the customer requires, and the usual ones of a repository', () => {
    const names = [
      ...['package.json', 'tsconfig.json', 'docker-compose.yml', 'Dockerfile', 'process/main.ts'],
      ...['subgraphs/README.md', '.ci/run', 'package-lock.json'],
      ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'LICENSE', 'THIRD-PARTY.md'],
    ];
    expect(names.filter((name) => !paths.includes(name))).toEqual([]);
  });

  it('has these folders and no TypeScript file', () => {
    const folders = new Set(paths.flatMap((path) => path.match(/^([^/]+)\//)?.[1] ?? []));
    expect([...folders].toSorted()).toEqual([
      ...['.ci', 'commands', 'docs', 'gateway', 'process', 'rest-adapter', 'sandbox', 'schema'],
      ...['subgraphs', 'test', 'web'],
    ]);
    expect(paths.filter((path) => /^[^/]+\.ts$/.test(path))).toEqual([]);
  });
});

describe('every export', () => {
  it('has a doc comment', () => {
    expect(product.flatMap(undocumentedIn)).toEqual([]);
  });

  it('without one is reported, also with a decorator and among documented ones', () => {
    const planted = `/** Documented: é. */
      export const documented = 1;
      // not a doc comment
      export function undocumented(): void {}
      /** Documented, above its decorator. */
      @Entity({ name: 'x' })
      export class Documented {}
      @Entity()
      export class Undocumented {}
      /** Documented once for this and the next line. */
      export const first = 1;
      export const second = 2;
      @ObjectType('Documented', { description: 'What GraphQL shows.' })
      export class DescribedInGraphql {}

      /** Documented once for all overloads. */
      export function many(a: string): void;
      export function many(a: number): void;

      export type AlsoUndocumented = string;`;
    expect(undocumentedIn(sourceFile('planted.ts', planted))).toEqual([
      'planted.ts: undocumented',
      'planted.ts: Undocumented',
      'planted.ts: AlsoUndocumented',
    ]);
  });
});

describe('sizes', () => {
  it('95 of 100 files of the product have fewer than 180 lines', () => {
    const lines = product.map(({ path, text }) => [text.split('\n').length, path] as const);
    const [length, path] = percentile95(lines);
    expect({ path, short: length < 180 }).toEqual({ path, short: true });
  });

  it('95 of 100 functions with a body have fewer than 25 lines', () => {
    const functions = product.flatMap(functionLengths);
    expect(functions.length).toBeGreaterThan(3000);
    const [length, place] = percentile95(functions);
    expect({ place, short: length < 25 }).toEqual({ place, short: true });
  });

  it('count the lines of functions of every kind', () => {
    const bodies = [
      'function declared() {\n\n}',
      'const expression = function () {\n\n};',
      'const arrow = (): void => {\n\n};',
      'class Store {\n  constructor() {\n\n}\n  open() {\n\n}\n  #close() {\n\n}\n  get size() {\n\nreturn 1; }\n}',
      'const object = { method() {\n\n}, get size() {\n\nreturn 1; }, set size(to) {\n\n} };',
    ];
    const planted = sourceFile('planted.ts', `// Two bytes: é\n${bodies.join('\n')}\nconst none = () => 1;\n`);
    expect(functionLengths(planted)).toEqual(
      [2, 5, 8, 12, 15, 18, 21, 25, 27, 29].map((line) => [3, `planted.ts:${line}`]),
    );
  });
});

describe('all source texts', () => {
  const written = paths.filter((path) => path !== 'package-lock.json' && !path.startsWith('schema/generated/'));
  const texts = written
    .filter((path) => !/\.(png|ico|woff2?)$/.test(path))
    .map((path) => ({ path, text: textOf(path) }));
  const holding = (pattern: RegExp) =>
    texts.flatMap(({ path, text }) => (text.match(pattern) ?? []).map((found) => `${path}: ${found.slice(0, 60)}`));

  it('contain no path of the machine on which they were written', () => {
    expect(holding(/(?<![\w.$}-])\/(work|home|Users)\/[\w.-]+/g)).toEqual([]);
  });

  it('contain no key, token or password', () => {
    expect(holding(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\r\n]/g)).toEqual([]);
    expect(holding(/"d"\s*:\s*"[\w-]{40,}"/g)).toEqual([]);
    expect(holding(/\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]{40,}/g)).toEqual([]);
    expect(holding(/(?<![A-Za-z0-9+/=])(?!A{43})[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=])/g)).toEqual([]);
    expect(holding(/\b(AKIA|ghp_|npm_|glpat-)[A-Za-z0-9]{16,}/g)).toEqual([]);
  });

  it('contain no open task and disable no check', () => {
    const marks = /\b(TODO|FIXME|XXX)\b|\bas any\b(?! [a-z])|\b(es|ox)lint-disable\b|@ts-(ignore|nocheck)\b/g;
    expect(holding(marks).filter((found) => !found.startsWith(`${THIS_FILE}:`))).toEqual([]);
  });
});

/** This file contains the patterns that it searches for. */
const THIS_FILE = 'test/structure/repository.test.ts';

describe('packages', () => {
  const dependencies = {
    ...packageJson['dependencies'],
    ...packageJson['devDependencies'],
    ...packageJson['optionalDependencies'],
  };
  const lock = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> };

  it('have exact versions', () => {
    expect(Object.entries(dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual(
      [],
    );
  });

  it('of the graph have the versions that are tested together', () => {
    expect(dependencies).toMatchObject(TRIED_TOGETHER);
  });

  it('come from the public registry, and are verified by their digest', () => {
    const elsewhere = Object.entries(lock.packages).filter(
      ([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
    );
    const unchecked = Object.entries(lock.packages).filter(([path, { integrity }]) => path !== '' && !integrity);
    expect({ elsewhere, unchecked: unchecked.map(([path]) => path) }).toEqual({ elsewhere: [], unchecked: [] });
    expect(paths.filter((path) => /(^|\/)(\.npmrc|\.yarnrc.*)$/.test(path))).toEqual([]);
  });

  it('are locked with all their optional dependencies: `npm ci` rejects a lock file without them', () => {
    const lacking = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !isLocked(path, name))
        .map((name) => `${path}: ${name}`),
    );
    expect(lacking).toEqual([]);
  });

  /** Searches a package as Node does: in the folder itself, then in its parents. */
  function isLocked(path: string, name: string): boolean {
    if (`${path === '' ? '' : `${path}/`}node_modules/${name}` in lock.packages) return true;
    return path !== '' && isLocked(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name);
  }

  it('that the product imports are dependencies, not development dependencies', () => {
    const present = { ...packageJson['dependencies'], ...packageJson['optionalDependencies'] };
    const served = product.filter(({ path }) => !path.startsWith('schema/build/')); // only `npm run schema` uses it
    const missing = served.flatMap(({ path, imports }) =>
      imports.flatMap((imported) =>
        'package' in imported && !isBuiltin(imported.package) && !(imported.package in present)
          ? [`${path}: ${imported.package}`]
          : [],
      ),
    );
    expect(missing).toEqual([]);
  });

  it('agree with the lock file, also in licence and version of this package', () => {
    const { name, version, license } = packageJson as unknown as Record<string, string>;
    expect(lock.packages['']).toMatchObject({ name, version, license, dependencies: packageJson['dependencies'] });
  });
});

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Versions that install without warnings on Node 20.19, with one copy of graphql. */
const TRIED_TOGETHER = {
  graphql: '16.15.0',
  '@apollo/server': '5.5.1',
  '@apollo/gateway': '2.14.4',
  '@apollo/composition': '2.14.4',
  '@apollo/query-planner': '2.14.4',
  '@apollo/subgraph': '2.14.4',
  '@apollo/federation-internals': '2.14.4',
  'type-graphql': '2.0.0-rc.4',
  'graphql-scalars': '1.26.0',
  'class-validator': '0.15.1',
  typeorm: '1.1.1',
  pg: '8.23.1',
  dataloader: '2.2.3',
  'graphql-ws': '6.4.2',
  'reflect-metadata': '0.2.2',
  jose: '6.2.17',
  fastify: '5.12.8',
  'graphql-jit': '0.8.9',
  typescript: '7.0.2',
  jest: '30.5.2',
  '@swc/jest': '0.2.39',
  '@swc/core': '1.16.18',
};

function isBuiltin(name: string): boolean {
  return name.startsWith('node:') || builtinModules.includes(name);
}

/** Returns exports without a doc comment of their own or of their block, and without a GraphQL description. */
function undocumentedIn({ path, text, module }: SourceFile): string[] {
  const bytes = Buffer.from(text);
  const described = new Set<string>();
  let block = { end: 0, documented: false };
  return (module.body as unknown as SyntaxNode[]).flatMap((item) => {
    if (!/^ExportD(eclaration|efault)/.test(item.type)) return [];
    const name = exportedName(item);
    const [start, end] = [startOf(item) - 1, (item.span?.end ?? 1) - 1];
    const continues =
      block.documented &&
      /Variable|TypeAlias/.test((item['declaration'] as SyntaxNode | undefined)?.type ?? '') &&
      /^[ \t]*\n[ \t]*$/.test(bytes.subarray(block.end, start).toString());
    const documented =
      continues ||
      DOC_COMMENT_BEFORE.test(bytes.subarray(0, start).toString()) ||
      described.has(name) ||
      isDescribed(path, item);
    block = { end, documented };
    if (documented) described.add(name);
    return documented ? [] : [`${path}: ${name}`];
  });
}

const DOC_COMMENT_BEFORE = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/;

/** Returns whether an export has a GraphQL description, which replaces a doc comment. */
function isDescribed(path: string, item: SyntaxNode): boolean {
  const { decorators, declarations } = (item['declaration'] ?? {}) as { decorators?: unknown; declarations?: unknown };
  const of = /\.(enums|types|resolver)\.ts$/.test(path) ? [decorators, declarations] : decorators;
  const texts = nodesOf(of).flatMap(({ type, value }) => (type === 'StringLiteral' ? [String(value)] : []));
  return texts.some((text) => /^[A-Z].* .*\.$/.test(text));
}

/** Decorators precede `export`, and belong to the class. */
function startOf(item: SyntaxNode): number {
  const { decorators } = (item['declaration'] ?? {}) as { decorators?: SyntaxNode[] };
  return Math.min(...[item, ...(decorators ?? [])].map(({ span }) => span?.start ?? Infinity));
}

function exportedName(item: SyntaxNode): string {
  const { identifier, id, declarations } = (item['declaration'] ?? {}) as Record<string, { value: string }> & {
    declarations?: { id: { value: string } }[];
  };
  return (identifier ?? id ?? declarations?.[0]?.id)?.value ?? 'default';
}

/** Returns the number of lines of each function with a block, with its location. */
function functionLengths({ path, text, module }: SourceFile): (readonly [number, string])[] {
  const bytes = Buffer.from(text);
  const lineAt = (offset: number) =>
    bytes
      .subarray(0, offset - 1)
      .toString()
      .split('\n').length;
  return nodesOf(module.body).flatMap(({ type, span, function: ofMember, body: ownBody }) => {
    const body = ((ofMember as SyntaxNode | undefined)?.['body'] ?? ownBody) as SyntaxNode | null | undefined;
    if (!FUNCTIONS.has(type) || body?.type !== 'FunctionBody' || !span) return [];
    const first = lineAt(span.start);
    return [[lineAt(span.end) - first + 1, `${path}:${first}`] as const];
  });
}

const FUNCTIONS = new Set([
  ...['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'ClassMethod', 'PrivateMethod'],
  ...['Constructor', 'MethodProperty', 'GetterProperty', 'SetterProperty'],
]);

/** Returns the 95th percentile, with its location. */
function percentile95(values: readonly (readonly [number, string])[]): readonly [number, string] {
  const sorted = values.toSorted(([one], [other]) => one - other);
  return sorted[Math.floor(sorted.length * 0.95)] ?? [0, ''];
}
