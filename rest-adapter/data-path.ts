import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { chosenFields } from './answer-shape';
import type { Join } from './join';
import type { OperationDocument } from './operation-documents';

/** Data of an operation, as the graph answers it. */
export type Data = Record<string, unknown>;

/** Type and selection at a path of the data, all of whose steps must be objects that are there, or are answered 404 when not. */
export function descend(
  join: Join,
  path: string | undefined,
  root: GraphQLObjectType,
  { operation }: OperationDocument,
) {
  let type: GraphQLOutputType = root;
  let selection: OperationDocument['operation']['selectionSet'] | undefined = operation.selectionSet;
  const steps = path?.split('.') ?? [];
  for (const [index, step] of steps.entries()) {
    const chosen = chosenFields(join, selection, '');
    const field = chosen.get(step);
    const definition: GraphQLField<unknown, unknown> | undefined = field && fieldsOf(type)[field.name.value];
    if (!field || !definition) {
      join.problems.push(`the row spreads ${String(path)}, but ${step} is not selected`);
      break;
    }
    if (chosen.size > 1) join.problems.push(`the row spreads ${String(path)}, but ${step} is not selected alone`);
    const isExcused = join.excused.has(steps.slice(0, index + 1).join('.'));
    if (!isExcused && !isNonNullType(definition.type))
      join.problems.push(`the row spreads ${String(path)}, but ${step} is nullable`);
    type = getNullableType(definition.type);
    selection = field.selectionSet;
  }
  return { type, selection };
}

function fieldsOf(type: GraphQLOutputType) {
  const named = getNamedType(type);
  return isObjectType(named) ? named.getFields() : {};
}

/** Like {@link descend}, for steps whose problems are told elsewhere. */
export function descendQuietly(steps: readonly string[], root: GraphQLObjectType, document: OperationDocument) {
  const quiet: Join = { problems: [], consumed: new Set(), excused: new Set() };
  return descend(quiet, steps.length === 0 ? undefined : steps.join('.'), root, document);
}

/** Reads the data at a path; undefined where something on the way is null. */
export function dataAt(path: string | undefined): (data: Data) => unknown {
  const [first, ...others] = path?.split('.') ?? [];
  if (first === undefined) return (data) => data;
  if (others.length === 0) return (data) => data[first];
  return (data) => others.reduce<unknown>((value, step) => (value as Data | null | undefined)?.[step], data[first]);
}
