import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { type Module, parseSync } from '@swc/core';
import { REPOSITORY_ROOT } from '../../schema/repository-root';

/** Folders with generated files only. */
const MADE_BY_TOOLS = new Set(['.git', '.data', 'coverage', 'dist', 'node_modules', 'tmp']);

/** Returns every source file of the repository, tracked or not, by path from the root with `/`. */
export function repositoryFiles(folder = REPOSITORY_ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (MADE_BY_TOOLS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? repositoryFiles(path) : [relative(REPOSITORY_ROOT, path).split(sep).join('/')];
  });
}

/** Returns the text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, path), 'utf8');
}

/** A TypeScript file. It is parsed when its module or its imports are first read. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly module: Module;
  /** Its imports of any kind: paths of this repository without suffix, or names of packages. */
  readonly imports: readonly ImportedModule[];
}

/** A file of this repository (path from the root, without suffix) or a package. */
export type ImportedModule = { readonly own: string } | { readonly package: string };

/** Returns a file; tests may pass their own text. */
export function sourceFile(path: string, text: string): SourceFile {
  let module: Module | undefined;
  let imports: readonly ImportedModule[] | undefined;
  const file: SourceFile = {
    path,
    text,
    get module() {
      return (module ??= parseSync(text, { syntax: 'typescript', decorators: true, target: 'es2022' }));
    },
    get imports() {
      return (imports ??= specifiersIn(file.module).map((specifier) => importedModule(path, specifier)));
    },
  };
  return file;
}

/** Returns the TypeScript files of the product, without tests, the same at each call. */
export function productFiles(): readonly SourceFile[] {
  return (product ??= typeScriptFiles(/^(?!(test|schema\/generated)\/)/));
}

let product: readonly SourceFile[] | undefined;

/** Returns the TypeScript files of `test/`. */
export function testFiles(): readonly SourceFile[] {
  return typeScriptFiles(/^test\//);
}

function typeScriptFiles(paths: RegExp): readonly SourceFile[] {
  return repositoryFiles()
    .filter((path) => path.endsWith('.ts') && paths.test(path))
    .map((path) => sourceFile(path, textOf(path)));
}

/** A node of swc's syntax tree, with the members that these tests use. */
export interface SyntaxNode {
  readonly type: string;
  /** Bytes from the start of the text, counted from 1. */
  readonly span?: { readonly start: number; readonly end: number };
  readonly [property: string]: unknown;
}

/** Returns a node and all its descendants, each before its parts. */
export function nodesOf(root: unknown): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const add = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return;
    if ('type' in part && typeof part.type === 'string') nodes.push(part as SyntaxNode);
    for (const key in part) add((part as Record<string, unknown>)[key]);
  };
  add(root);
  return nodes;
}

/**
 * Returns the specifiers of imports, re-exports, `import()`, `require()` and `require.resolve()` with a constant text.
 */
function specifiersIn(module: Module): string[] {
  return nodesOf(module.body).flatMap((node) => {
    const source = node['source'] as { value?: string } | null | undefined;
    if (/^(Import|Export)/.test(node.type) && source?.value !== undefined) return [source.value];
    if (node.type === 'TsImportType') return [(node['argument'] as { value: string }).value];
    return node.type === 'CallExpression' ? requested(node) : [];
  });
}

function requested(call: SyntaxNode): string[] {
  const callee = call['callee'] as SyntaxNode & { value?: string; object?: { value?: string } };
  const loadsModule = callee.type === 'Import' || callee.value === 'require' || callee.object?.value === 'require';
  const [first] = call['arguments'] as { expression: { type: string; value?: unknown } }[];
  return loadsModule && first?.expression.type === 'StringLiteral' ? [String(first.expression.value)] : [];
}

function importedModule(path: string, specifier: string): ImportedModule {
  if (specifier.startsWith('.')) return { own: posix.normalize(posix.join(dirname(path), specifier)) };
  const [scope = '', name] = specifier.split('/');
  return { package: scope.startsWith('@') ? `${scope}/${name}` : scope };
}

/** A quoted name; `=== 'OKP'` compares a value. */
const VARIABLE = /(?<!=== )'([A-Z][A-Z_]+)'/g;

/** Returns the names of the environment variables that the product reads. */
export function variablesRead(): Set<string> {
  const places = productFiles().map(({ path, text }) =>
    /^process\/settings\/(settings|read-settings|database-settings|environment|keys|ports|service-keys)\.ts$/.test(path)
      ? text
      : (text.match(/(process\.env|environment)\[.*?\]/g)?.join() ?? ''),
  );
  return new Set(places.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name]) => name ?? '')));
}
