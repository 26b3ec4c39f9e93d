import { type ASTVisitor, type GraphQLResolveInfo, type OperationDefinitionNode, visit } from 'graphql';

const selections = new WeakMap<OperationDefinitionNode, boolean>();

/** Returns whether an operation selects versions of access records. */
export function selectsVersions({ operation, fragments }: GraphQLResolveInfo): boolean {
  const known = selections.get(operation);
  if (known !== undefined) return known;
  let isSelected = false;
  const visitor: ASTVisitor = { Field: ({ name }) => void (isSelected ||= name.value === 'versions') };
  for (const part of [operation, ...Object.values(fragments)]) visit(part, visitor);
  selections.set(operation, isSelected);
  return isSelected;
}
