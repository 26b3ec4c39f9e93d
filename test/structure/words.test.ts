import {
  type SourceFile,
  type SyntaxNode,
  nodesOf,
  productFiles,
  repositoryFiles,
  sourceFile,
  testFiles,
  textOf,
} from './source-files';

/** Words that name no actor, or are no terms of the field. Frozen texts of migrations are exempt. */
const IN_PROSE = words(
  'told tell tells ask asks asked asking question questions answer answers answered unanswered whoever whomever nobody',
  'somebody anybody everybody anew seldom ours refuse refuses refused refusal seal seals sealed unseal vault remember',
  'remembered room rooms',
);
const IN_NAMES = words(
  'told tell tells telling whoever nobody somebody anybody everybody seldom ours refusal vault vouches remember',
  'remembered recall recalled shift presented leftover mend visit wording outlet wish wished hurry room foundation spent',
  'ask asks asked question questions answer answers refuse refuses forget forgets seal unseal begun turn turns means',
  'happen storable',
);

const product = productFiles().filter(({ path }) => !/\/migrations\/|\/released-sql\.ts$/.test(path));
const tests = testFiles();
const exchanges = repositoryFiles()
  .filter((path) => path.endsWith('.http'))
  .map((path) => ({ path, text: textOf(path) }));

describe.each([
  ['product', product],
  ['tests', tests],
])('the words of the %s', (_, files) => {
  it('in comments contain none that language rules forbid', () => {
    expect(files.flatMap(commentWords)).toEqual([]);
  });

  it('in declared names contain none that language rules forbid', () => {
    expect(files.flatMap(nameWords)).toEqual([]);
  });
});

describe('the words of titles', () => {
  it('of tests contain none that language rules forbid', () => {
    expect(tests.flatMap(titleWords)).toEqual([]);
  });

  it('of exchanges contain none that language rules forbid', () => {
    expect(exchanges.flatMap(exchangeWords)).toEqual([]);
  });

  it('are found with and without a table, in templates, and in `.http` files', () => {
    const planted = sourceFile(
      'planted.ts',
      "describe.each([['told']])('A %s', () => { it('is told', f); it.each`a`(`asks ${'told'} anew`, f); test('`told`', f); });",
    );
    expect(titleWords(planted)).toEqual(['planted.ts: is told (told)', 'planted.ts: asks  anew (asks)']);
    const text = 'Nobody reads it.\n\n### Told once\nGET /told\n\n{ "told": true }\n\nHTTP/1.1 200\n';
    expect(exchangeWords({ path: 'planted.http', text })).toEqual([
      'planted.http: Nobody reads it. (nobody)',
      'planted.http: Told once (told)',
    ]);
  });
});

describe('the words of a file', () => {
  it('are found in comments of any form and in each part of a name, but not in code, strings and quoted code', () => {
    const planted = sourceFile(
      'planted.ts',
      `/** Nobody knows. Returns \`asked\`, see {@link tellAll}. */
      export const tellAll = 'asks'; // whoever reads it
      /* It is
       * told. */
      const SOMEBODY_ELSE = \`// answer \${tellAll}\`;
      class Wished { recalled = 1; }
      function first(this: unknown, other: string) { const { everybody: renamed } = fetch('https://ask'); }`,
    );
    expect(commentWords(planted)).toEqual([
      'planted.ts: Nobody knows. (nobody)',
      'planted.ts: whoever reads it (whoever)',
      'planted.ts: It is told. (told)',
    ]);
    expect(nameWords(planted)).toEqual(['planted.ts: tellAll', 'planted.ts: SOMEBODY_ELSE', 'planted.ts: Wished']);
  });
});

function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Returns the sentences of comments that contain a word of the list. */
function commentWords({ path, text, module }: SourceFile): string[] {
  return commentsIn(text, module).flatMap((comment) => sentencesWithWords(path, comment));
}

/** Returns the titles of suites and tests that contain a word of the list; values in templates are exempt. */
function titleWords({ path, module }: SourceFile): string[] {
  return nodesOf(module.body).flatMap((node) => {
    const title = TITLED.test(calleeOf(node)) ? titleOf(node) : '';
    return sentencesWithWords(path, title);
  });
}

/** Returns the introduction and the titles of an `.http` file that contain a word of the list; requests are exempt. */
function exchangeWords({ path, text }: { readonly path: string; readonly text: string }): string[] {
  const [introduction = '', ...sections] = text.split(/^### /m);
  const titles = sections.map((section) => section.slice(0, section.indexOf('\n')));
  return [introduction, ...titles].flatMap((prose) => sentencesWithWords(path, prose));
}

const TITLED = /^(describe|it|test)$/;

/** Returns the first name of a called expression: `it` for `it.each(table)(title, run)`; empty for other nodes. */
function calleeOf(node: SyntaxNode | undefined): string {
  if (node?.type === 'Identifier') return String(node['value']);
  const inner = node?.['callee'] ?? node?.['object'] ?? node?.['tag'];
  return inner === undefined ? '' : calleeOf(inner as SyntaxNode);
}

/** Returns the first argument of a call if it is a text; empty for other nodes. */
function titleOf(node: SyntaxNode): string {
  const [first] = (node['arguments'] ?? []) as { readonly expression: SyntaxNode }[];
  if (first?.expression.type === 'StringLiteral') return String(first.expression['value']);
  if (first?.expression.type !== 'TemplateLiteral') return '';
  return (first.expression['quasis'] as { readonly raw: string }[]).map(({ raw }) => raw).join('');
}

/** Returns the sentences that contain a word of the list outside of quoted code. */
function sentencesWithWords(path: string, text: string): string[] {
  const prose = text.replaceAll(/`[^`]*`|\{@\w+[^}]*\}/g, '');
  return prose.split(/(?<=\.)\s/).flatMap((sentence) => {
    const found = sentence.match(/[A-Za-z]+/g)?.find((word) => IN_PROSE.has(word.toLowerCase()));
    return found === undefined ? [] : [`${path}: ${sentence.trim()} (${found.toLowerCase()})`];
  });
}

/** Returns the comments of a file, without their marks. Text of strings, templates and patterns is no comment. */
function commentsIn(text: string, module: SourceFile['module']): string[] {
  const bytes = Buffer.from(text);
  for (const { type, span } of nodesOf(module.body)) {
    if (span && LITERALS.has(type)) bytes.fill(' ', span.start - 1, span.end - 1);
  }
  return [...bytes.toString().matchAll(/\/\*([\s\S]*?)\*\/|\/\/(.*)/g)].map(([, block, line]) =>
    (block ?? line ?? '').replaceAll(/\s*\n\s*\*?\s*|^\*/g, ' '),
  );
}

const LITERALS = new Set(['StringLiteral', 'TemplateElement', 'RegExpLiteral']);

/** Returns the declared names of a file, of which a part is a word of the list. */
function nameWords({ path, module }: SourceFile): string[] {
  return nodesOf(module.body)
    .flatMap(declaredName)
    .flatMap((name) => {
      const parts = name
        .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
        .toLowerCase()
        .split('_');
      return parts.some((part) => IN_NAMES.has(part)) ? [`${path}: ${name}`] : [];
    });
}

function declaredName(node: SyntaxNode): string[] {
  const id = (node['id'] ?? node['identifier']) as { readonly type?: string; readonly value?: string } | undefined;
  return DECLARATIONS.has(node.type) && id?.type === 'Identifier' && id.value !== undefined ? [id.value] : [];
}

const DECLARATIONS = new Set([
  ...['VariableDeclarator', 'FunctionDeclaration', 'ClassDeclaration'],
  ...['TsInterfaceDeclaration', 'TsTypeAliasDeclaration', 'TsEnumDeclaration'],
]);
