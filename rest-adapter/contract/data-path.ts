import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  getNamedType,
  getNullableType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { selectedFields } from '../responses/response-mapper';
import type { MappingContext } from './contract-mapping';

/** Data of an operation, as the graph returns them. */
export type Data = Record<string, unknown>;

/**
 * Returns type and selection at a path of the data. Reports steps that are not selected, not the only selection, or
 * nullable (unless the row allows it).
 */
export function descend(
  mapping: MappingContext,
  path: string | undefined,
  root: GraphQLObjectType,
  operation: OperationDefinitionNode,
) {
  let type: GraphQLOutputType = root;
  let selection: SelectionSetNode | undefined = operation.selectionSet;
  const steps = path?.split('.') ?? [];
  for (const [index, step] of steps.entries()) {
    const selected = selectedFields(mapping, selection, '');
    const field = selected.get(step);
    const definition: GraphQLField<unknown, unknown> | undefined = field && fieldsOf(type)[field.name.value];
    if (!field || !definition) {
      mapping.problems.push(`the row spreads ${String(path)}, but ${step} is not selected`);
      break;
    }
    if (selected.size > 1)
      mapping.problems.push(`the row spreads ${String(path)}, but ${step} is not the only selected field`);
    const isNullableByRow = mapping.nullableByRow.has(steps.slice(0, index + 1).join('.'));
    if (!isNullableByRow && !isNonNullType(definition.type))
      mapping.problems.push(`the row spreads ${String(path)}, but ${step} is nullable`);
    type = getNullableType(definition.type);
    selection = field.selectionSet;
  }
  return { type, selection };
}

function fieldsOf(type: GraphQLOutputType) {
  const named = getNamedType(type);
  return isObjectType(named) ? named.getFields() : {};
}

/** Like {@link descend}, without reporting problems. */
export function descendUnchecked(steps: readonly string[], root: GraphQLObjectType, document: OperationDefinitionNode) {
  const unchecked: MappingContext = { problems: [], headerSources: new Set(), nullableByRow: new Set() };
  return descend(unchecked, steps.length === 0 ? undefined : steps.join('.'), root, document);
}

/** Returns a function that reads the data at a path; undefined if a step is null. */
export function dataAt(path: string | undefined): (data: Data) => unknown {
  const [first, ...others] = path?.split('.') ?? [];
  if (first === undefined) return (data) => data;
  if (others.length === 0) return (data) => data[first];
  return (data) => others.reduce<unknown>((value, step) => (value as Data | null | undefined)?.[step], data[first]);
}
