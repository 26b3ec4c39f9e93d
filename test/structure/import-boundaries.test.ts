import { type SourceFile, productFiles, repositoryFiles, sourceFile } from './source-files';

/** A room of the house: whose files they are, and what they may import of ours. */
interface Room {
  readonly name: string;
  readonly files: RegExp;
  readonly mayImport: RegExp;
}

/** The first that fits counts. Only the composition roots and what builds the supergraph see several rooms. */
const ROOMS: readonly Room[] = [
  { name: 'schema/build', files: /^schema\/build\//, mayImport: /^schema\/|^subgraphs\/[^/]+\/schema$/ },
  { name: 'schema', files: /^schema\//, mayImport: /^schema\/(?!build\/)/ },
  { name: 'subgraphs/server', files: /^subgraphs\/server\//, mayImport: /^(schema\/(?!build\/)|subgraphs\/server\/)/ },
  {
    name: 'subgraphs/delivery',
    files: /^subgraphs\/delivery\//,
    mayImport: /^(schema\/(?!build\/)|subgraphs\/(delivery|server)\/)/,
  },
  ...['access', 'identity', 'grid-models', 'tariffs'].flatMap((name): Room[] => [
    {
      name: `the domain of ${name}`,
      files: new RegExp(`^subgraphs/${name}/domain/`),
      mayImport: new RegExp(
        `^(schema/(?!build/)|subgraphs/${name}/domain/|subgraphs/(server/web-address|delivery/callback-url)$)`,
      ),
    },
    {
      name: `the subgraph ${name}`,
      files: new RegExp(`^subgraphs/${name}/`),
      mayImport: new RegExp(`^(schema/(?!build/)|subgraphs/${name}/|subgraphs/(server|delivery)/)`),
    },
  ]),
  {
    name: 'gateway/client',
    files: /^gateway\/client\//,
    mayImport: /^(gateway\/client\/|schema\/(?!build\/)|subgraphs\/server\/service-(token|request)$)/,
  },
  {
    name: 'gateway',
    files: /^gateway\//,
    mayImport: /^(gateway\/|schema\/(?!build\/)|subgraphs\/server\/)/,
  },
  {
    name: 'rest-adapter',
    files: /^rest-adapter\//,
    mayImport: /^(rest-adapter\/|gateway\/client\/|schema\/(?!build\/)|subgraphs\/server\/(tracing|metrics-route)$)/,
  },
  {
    name: 'web',
    files: /^web\//,
    mayImport:
      /^(web\/|gateway\/client\/|schema\/(?!build\/)|subgraphs\/server\/(sealed|keyed-hash|tracing|failures)$)/,
  },
  ...['portal', 'console'].map((name): Room => ({
    name,
    files: new RegExp(`^${name}/`),
    mayImport: new RegExp(`^(${name}/|web/|gateway/client/|schema/(?!build/))`),
  })),
  { name: 'sandbox/postgres', files: /^sandbox\/postgres\//, mayImport: /^sandbox\/postgres\// },
  {
    name: 'the wiring',
    files: /^process\/wiring\.ts$/,
    mayImport: /^((process|gateway\/client|sandbox|subgraphs\/server)\/|schema\/register-error$)/,
  },
  {
    name: 'process',
    files: /^process\//,
    mayImport: /^(process\/|subgraphs\/server\/(caller|rate-limits)$|subgraphs\/grid-models\/domain\/licence-areas$)/,
  },
  { name: 'sandbox', files: /^sandbox\//, mayImport: /^(?!test\/|gateway\/|rest-adapter\/|main$|admin$)/ },
  {
    name: 'the subgraphs of a restore',
    files: /^backup\/restored-subgraphs\.ts$/,
    mayImport: /^(backup\/restore$|process\/keys$|sandbox\/keys$|subgraphs\/)/,
  },
  {
    name: 'backup',
    files: /^backup\//,
    mayImport: /^(backup\/|subgraphs\/server\/|subgraphs\/\w+\/database\/(closing|anonymising)\.repository$)/,
  },
  {
    name: 'the composition roots',
    files: /^(main|load-parts|admin|backup|publish-grid)\.ts$/,
    mayImport: /^(?!test\/)/,
  },
];

/** A suffix says which framework a file uses; no suffix means pure (style, 3). */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  'type-graphql': /\.(types|enums|inputs?|payloads|resolver)\.ts$|^subgraphs\/server\/(caller|subgraph-schema)\.ts$/,
  typeorm: /\.(entity|repository)\.ts$|\/migrations(\/[^/]+)?\.ts$|^subgraphs\/server\//,
  pg: /\.repository\.ts$|^subgraphs\/server\/|^sandbox\/postgres\/|^backup\//,
  fastify: /^(gateway|rest-adapter|portal|console|web|subgraphs\/server)\/|^main\.ts$|^process\/(shutdown|wiring)\.ts$/,
  '@apollo/gateway': /^gateway\//,
  '@apollo/composition': /^schema\/build\//,
};

/** Of a folder or a file, alone or as its last word; `index` alone (no barrels). */
const SAYS_NOTHING = /(^|-)(utils?|helpers?|common|misc|managers?|services?|base)$|^index$/;

const files = productFiles();

describe('the walls between the rooms', () => {
  it.each(ROOMS)('$name imports only what it may', (room) => {
    expect(files.filter((file) => roomOf(file) === room).flatMap((file) => trespasses(file, room))).toEqual([]);
  });

  it('every file stands in a room', () => {
    expect(files.filter((file) => !roomOf(file)).map(({ path }) => path)).toEqual([]);
  });

  it('see an import that goes through them', () => {
    const planted = sourceFile(
      'subgraphs/access/domain/planted.ts',
      `import { a } from '../../identity/domain/x';
       export * from '../../../gateway/gateway';
       const b = () => import('../database/y');
       type C = import('../../../main').C;
       import { d } from '../../../schema/identifiers';`,
    );
    const room = roomOf(planted);
    expect(room?.name).toBe('the domain of access');
    expect(room && trespasses(planted, room)).toEqual([
      'subgraphs/access/domain/planted.ts imports subgraphs/identity/domain/x',
      'subgraphs/access/domain/planted.ts imports gateway/gateway',
      'subgraphs/access/domain/planted.ts imports subgraphs/access/database/y',
      'subgraphs/access/domain/planted.ts imports main',
    ]);
  });
});

describe('frameworks', () => {
  it.each(Object.entries(FRAMEWORKS))('%s is used only where the name of the file says so', (name, allowed) => {
    const users = files.filter((file) => packagesOf(file).includes(name)).map(({ path }) => path);
    expect(users.filter((path) => !allowed.test(path))).toEqual([]);
    expect(users).not.toEqual([]);
  });

  it('are unknown to the domain: its rules are pure, and so are the parser of XML, decimals, time zones and lists of codes', () => {
    const domain = files.filter(({ path }) => /^subgraphs\/[^/]+\/domain\//.test(path));
    expect(domain.length).toBeGreaterThan(10);
    const imported = domain.flatMap((file) => packagesOf(file).map((name) => `${file.path} imports ${name}`));
    expect(imported.filter((each) => !/ imports (saxes|big\.js|luxon|validator|node:util)$/.test(each))).toEqual([]);
  });
});

describe('names', () => {
  it('say what a file is about, never that it helps', () => {
    const named = (path: string) => path.split('/').flatMap((part) => part.split('.'));
    expect(repositoryFiles().filter((path) => named(path).some((name) => SAYS_NOTHING.test(name)))).toEqual([]);
  });
});

function roomOf({ path }: SourceFile): Room | undefined {
  return ROOMS.find(({ files: own }) => own.test(path));
}

function trespasses({ path, imports }: SourceFile, { mayImport }: Room): string[] {
  return imports.flatMap((imported) =>
    'ours' in imported && !mayImport.test(imported.ours) ? [`${path} imports ${imported.ours}`] : [],
  );
}

function packagesOf({ imports }: SourceFile): string[] {
  return imports.flatMap((imported) => ('package' in imported ? [imported.package] : []));
}
