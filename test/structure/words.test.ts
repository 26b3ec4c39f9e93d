import { type SourceFile, type SyntaxNode, nodesOf, productFiles, sourceFile } from './source-files';

/** Words that name no actor, or are no terms of the field. Frozen texts of migrations are exempt. */
const IN_COMMENTS = words(
  'told tell tells ask asks asked asking question questions answer answers answered unanswered whoever whomever nobody',
  'somebody anybody everybody anew seldom ours refuse refuses refused refusal seal seals sealed unseal vault remember',
  'remembered',
);
const IN_NAMES = words(
  'told tell tells telling whoever nobody somebody anybody everybody seldom ours refusal vault vouches remember',
  'remembered recall recalled shift presented leftover mend visit wording outlet wish wished hurry room foundation spent',
  'ask asks asked question questions answer answers refuse refuses forget forgets seal unseal begun turn turns means',
  'happen storable',
);

const files = productFiles().filter(({ path }) => !/\/migrations\/|\/released-sql\.ts$/.test(path));

describe('the words of the product', () => {
  it('in comments name who does what', () => {
    expect(files.flatMap(commentWords)).toEqual([]);
  });

  it('in declared names are terms of the field', () => {
    expect(files.flatMap(nameWords)).toEqual([]);
  });

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

/** Returns the sentences of comments that contain a word of the list outside of quoted code. */
function commentWords({ path, text, module }: SourceFile): string[] {
  return commentsIn(text, module).flatMap((comment) => {
    const prose = comment.replaceAll(/`[^`]*`|\{@\w+[^}]*\}/g, '');
    return prose.split(/(?<=\.)\s/).flatMap((sentence) => {
      const found = sentence.match(/[A-Za-z]+/g)?.find((word) => IN_COMMENTS.has(word.toLowerCase()));
      return found === undefined ? [] : [`${path}: ${sentence.trim()} (${found.toLowerCase()})`];
    });
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
  return [...nodesOf(module.body)].flatMap(declaredName).flatMap((name) => {
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
