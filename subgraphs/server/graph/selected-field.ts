import { type ASTVisitor, type GraphQLResolveInfo, type OperationDefinitionNode, visit } from 'graphql';

const selections = new WeakMap<OperationDefinitionNode, Map<string, boolean>>();

/** Returns whether an operation selects a field with a name, at any place. */
export function selectsField({ operation, fragments }: GraphQLResolveInfo, field: string): boolean {
  const known = selections.get(operation) ?? new Map<string, boolean>();
  selections.set(operation, known);
  let isSelected = known.get(field);
  if (isSelected === undefined) {
    isSelected = false;
    const visitor: ASTVisitor = { Field: ({ name }) => void (isSelected ||= name.value === field) };
    for (const part of [operation, ...Object.values(fragments)]) visit(part, visitor);
    known.set(field, isSelected);
  }
  return isSelected;
}
