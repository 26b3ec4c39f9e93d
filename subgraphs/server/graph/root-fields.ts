import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Fragments by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Returns the fragments of a document. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((each) => [each.name.value, each]));
}

/** Returns the root fields of an operation, those of fragments included, in the order of the document. */
export function rootFieldsOf({ selections }: SelectionSetNode, fragments: Fragments): readonly FieldNode[] {
  return selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? [selection] : rootFieldsOf(selectionSetOf(selection, fragments), fragments),
  );
}

/** Returns the selections of a fragment; none for a name that the document does not define. */
export function selectionSetOf(fragment: Exclude<SelectionNode, FieldNode>, fragments: Fragments): SelectionSetNode {
  const part = fragment.kind === Kind.INLINE_FRAGMENT ? fragment : fragments.get(fragment.name.value);
  return part?.selectionSet ?? { kind: Kind.SELECTION_SET, selections: [] };
}
