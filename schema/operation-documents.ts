import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  parse,
} from 'graphql';

const EXTENSION = '.graphql';

/** Returns the documents of a folder by file name without extension: each is one named operation, or fragments that operations use. */
export function parsedDocumentsIn(folder: string): ReadonlyMap<string, DocumentNode> {
  const files = readdirSync(folder).filter((file) => file.endsWith(EXTENSION));
  return new Map(
    files
      .toSorted()
      .map((file) => [
        basename(file, EXTENSION),
        parse(readFileSync(join(folder, file), 'utf8'), { noLocation: true }),
      ]),
  );
}

/**
 * Returns the operations of the documents by file name, with fragments replaced by their selections: plans and projections of trusted
 * documents need no fragments. Throws for a file with several operations or none and no fragment, and for an unknown fragment.
 */
export function operationsOf(
  documents: ReadonlyMap<string, DocumentNode>,
): ReadonlyMap<string, OperationDefinitionNode> {
  const definitions = [...documents].flatMap(([file, document]) =>
    document.definitions.map((definition) => ({ file, definition })),
  );
  const fragments = new Map(
    definitions.flatMap(({ definition }) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  const operations = new Map<string, OperationDefinitionNode>();
  for (const { file, definition } of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) continue;
    if (definition.kind !== Kind.OPERATION_DEFINITION || !definition.name || operations.has(file))
      throw new Error(`${file}${EXTENSION} must contain one named operation, or fragments`);
    operations.set(file, { ...definition, selectionSet: inlined(definition.selectionSet, fragments, []) });
  }
  return operations;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function inlined(set: SelectionSetNode, fragments: Fragments, path: readonly string[]): SelectionSetNode {
  return { ...set, selections: set.selections.flatMap((selection) => selectionsOf(selection, fragments, path)) };
}

function selectionsOf(selection: SelectionNode, fragments: Fragments, path: readonly string[]): SelectionNode[] {
  if (selection.kind !== Kind.FRAGMENT_SPREAD) {
    if (!selection.selectionSet) return [selection];
    return [{ ...selection, selectionSet: inlined(selection.selectionSet, fragments, path) }];
  }
  const name = selection.name.value;
  const fragment = fragments.get(name);
  if (fragment === undefined || path.includes(name)) throw new Error(`fragment ${name} is unknown, or contains itself`);
  return [...inlined(fragment.selectionSet, fragments, [...path, name]).selections];
}
