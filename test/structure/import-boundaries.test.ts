import { type SourceFile, productFiles, repositoryFiles, sourceFile } from './source-files';

/** The rules that the linter uses, too. */
const { boundaryOf, mayImport } = require('./import-boundaries') as {
  boundaryOf(path: string): { readonly name: string } | undefined;
  mayImport(path: string, imported: string): boolean;
};

/** A suffix states which framework a file uses; a file without one is pure. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  'type-graphql':
    /\.(types|enums|inputs?|payloads|resolver)\.ts$|^subgraphs\/server\/(callers\/caller|graph\/(checked-mutations|subgraph-schema))\.ts$/,
  typeorm: /\/migrations(\/[^/]+)?\.ts$|^subgraphs\/server\/database\/(apply-migrations|forward-migration)\.ts$/,
  pg: /\.(repository|queries)\.ts$|^subgraphs\/server\/|^sandbox\/postgres\/|^commands\/(backup\/|migrate\.ts$)/,
  fastify: /^(gateway|rest-adapter|web|subgraphs\/server)\/|^process\/(startup|shutdown|subgraph-http|wiring)\.ts$/,
  '@apollo/gateway': /^gateway\//,
  '@apollo/composition': /^schema\/build\//,
};

/** A meaningless name of a folder or file, or its last word; `index` alone would be a barrel. */
const MEANINGLESS = /(^|-)(utils?|helpers?|common|misc|managers?|services?|base)$|^index$/;

const files = productFiles();

describe('import boundaries', () => {
  it('are respected by every file', () => {
    expect(files.flatMap(violationsOf)).toEqual([]);
  });

  it('apply to every file', () => {
    expect(files.filter(({ path }) => !boundaryOf(path)).map(({ path }) => path)).toEqual([]);
  });

  it('apply to every kind of import', () => {
    const planted = sourceFile(
      'subgraphs/access/records/planted.ts',
      `import { a } from '../../identity/records/x';
       export * from '../../../gateway/gateway';
       const b = () => import('./access-record.repository');
       type C = import('../../../process/main').C;
       import { d } from '../../../schema/identifiers';
       import { e } from '../webhooks/webhook-event';`,
    );
    expect(boundaryOf(planted.path)?.name).toBe('pure files of a subgraph');
    expect(violationsOf(planted)).toEqual([
      'subgraphs/access/records/planted.ts imports subgraphs/identity/records/x',
      'subgraphs/access/records/planted.ts imports gateway/gateway',
      'subgraphs/access/records/planted.ts imports subgraphs/access/records/access-record.repository',
      'subgraphs/access/records/planted.ts imports process/main',
    ]);
  });

  it('are reported by the linter', () => {
    const reported: string[] = [];
    const context = { cwd: '/repository', filename: '/repository/web/portal/x.ts', report };
    function report({ message }: { message: string }): void {
      reported.push(message);
    }
    const { rules } = require('./import-boundaries') as { rules: { imports: { create(of: unknown): Visitors } } };
    const { ImportDeclaration: check } = rules.imports.create(context);
    for (const value of ['../console/console', '../shared/assets', 'fastify']) check({ source: { value } });
    expect(reported).toEqual(['portal and console may not import web/console/console']);
  });
});

type Visitors = Record<'ImportDeclaration', (node: { readonly source: { readonly value: string } }) => void>;

describe('frameworks', () => {
  it.each(Object.entries(FRAMEWORKS))('%s is used only in files whose name declares it', (name, allowed) => {
    const users = files.filter((file) => packagesOf(file).includes(name)).map(({ path }) => path);
    expect(users.filter((path) => !allowed.test(path))).toEqual([]);
    expect(users).not.toEqual([]);
  });

  it('register an enum in one place, which derives the GraphQL names', () => {
    const users = files.filter(({ text }) => text.includes('registerEnumType')).map(({ path }) => path);
    expect(users).toEqual(['subgraphs/server/graph/graphql.enums.ts']);
  });

  it('are not imported by pure files: these import only an XML parser, decimals, time zones and code lists', () => {
    const pure = files.filter(({ path }) => boundaryOf(path)?.name === 'pure files of a subgraph');
    expect(pure.length).toBeGreaterThan(50);
    const imported = pure.flatMap((file) => packagesOf(file).map((name) => `${file.path} imports ${name}`));
    expect(imported.filter((each) => !/ imports (saxes|big\.js|luxon|validator|node:\w+)/.test(each))).toEqual([]);
  });
});

describe('names', () => {
  it('describe the content of a file, not that it helps', () => {
    const named = (path: string) => path.split('/').flatMap((part) => part.split('.'));
    expect(repositoryFiles().filter((path) => named(path).some((name) => MEANINGLESS.test(name)))).toEqual([]);
  });
});

function violationsOf({ path, imports }: SourceFile): string[] {
  return imports.flatMap((imported) =>
    'own' in imported && !mayImport(path, imported.own) ? [`${path} imports ${imported.own}`] : [],
  );
}

function packagesOf({ imports }: SourceFile): string[] {
  return imports.flatMap((imported) => ('package' in imported ? [imported.package] : []));
}
