import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  Kind,
  type SelectionSetNode,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { JsonText } from '../../subgraphs/server/graph/json-text';
import type { Fragments } from '../../subgraphs/server/graph/root-fields';

/** Selected fields of an object type; response keys in document order. */
export interface Selection {
  readonly type: GraphQLObjectType;
  readonly keys: readonly SelectedField[];
}

interface SelectedField {
  readonly key: string;
  readonly name: string;
  readonly type: GraphQLOutputType | undefined;
  /** Undefined for leaves. */
  readonly selection: Selection | undefined;
}

/**
 * Returns the selection with fragments merged. Returns undefined if it depends on the request or the run-time type
 * (`@skip`, `@include`, abstract types, introspection), or contains the key `__proto__`.
 */
export function selectionOf(
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): Selection | undefined {
  const collected = new Map<string, FieldNode[]>();
  if (!sets.every((set) => collect(type, set, fragments, collected))) return undefined;
  const keys: SelectedField[] = [];
  for (const [key, nodes] of collected) {
    const field = selectedField(key, nodes, type, fragments);
    if (!field) return undefined;
    keys.push(field);
  }
  return { type, keys };
}

function collect(
  type: GraphQLObjectType,
  set: SelectionSetNode,
  fragments: Fragments,
  into: Map<string, FieldNode[]>,
): boolean {
  return set.selections.every((selection) => {
    if (selection.directives?.length) return false;
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      into.set(key, [...(into.get(key) ?? []), selection]);
      return true;
    }
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
    const condition = fragment?.typeCondition?.name.value ?? type.name;
    return fragment !== undefined && condition === type.name && collect(type, fragment.selectionSet, fragments, into);
  });
}

function selectedField(
  key: string,
  nodes: readonly FieldNode[],
  parent: GraphQLObjectType,
  fragments: Fragments,
): SelectedField | undefined {
  const name = nodes[0]?.name.value ?? '';
  if (key === '__proto__') return undefined;
  if (name === '__typename') return { key, name, type: undefined, selection: undefined };
  const type = parent.getFields()[name]?.type;
  if (!type || name.startsWith('__')) return undefined;
  const named = getNamedType(type);
  if (isLeafType(named)) return { key, name, type, selection: undefined };
  if (!isObjectType(named)) return undefined;
  const sets = nodes.flatMap((node) => node.selectionSet ?? []);
  const selection = selectionOf(named, sets, fragments);
  return selection && { key, name, type, selection };
}

/**
 * Returns true if two selections have the same keys in the same order, so that a result of one is a result of the
 * other.
 */
export function isSameSelection(one: Selection, other: Selection): boolean {
  return (
    one.keys.length === other.keys.length &&
    one.keys.every((field, index) => {
      const counterpart = other.keys[index];
      if (!counterpart || counterpart.key !== field.key || counterpart.name !== field.name) return false;
      if (!field.selection || !counterpart.selection) return field.selection === counterpart.selection;
      return isSameSelection(field.selection, counterpart.selection);
    })
  );
}

/** Copies exactly the selected fields from the merged results; returns null if a non-null field has no value. */
export type Projection = (
  value: Readonly<Record<string, unknown>>,
  problems: ProjectionProblems,
) => Record<string, unknown> | null;

/** `missing` is set when a non-null field has no value. */
interface ProjectionProblems {
  missing: boolean;
}

type ValueMapper = (value: unknown, problems: ProjectionProblems) => unknown;

/**
 * Compiles a selection into a projection. Nulls propagate as GraphQL requires (GraphQL October 2021, section 6.4.4).
 */
export function projectionOf({ type, keys }: Selection): Projection {
  const fields = keys.map((field) => ({
    key: field.key,
    nonNull: field.type !== undefined && isNonNullType(field.type),
    typename: field.type === undefined ? type.name : undefined,
    map: field.type === undefined ? undefined : mapperOf(field.type, field.selection && projectionOf(field.selection)),
  }));
  return (source, problems) => {
    const target: Record<string, unknown> = {};
    for (const entry of fields) {
      if (entry.typename !== undefined) {
        target[entry.key] = entry.typename;
        continue;
      }
      const found = source[entry.key];
      const value = found === null || found === undefined ? null : entry.map ? entry.map(found, problems) : found;
      if (value === null && entry.nonNull) {
        problems.missing = true;
        return null;
      }
      target[entry.key] = value;
    }
    return target;
  };
}

/** Returns the mapper of a non-null value, or undefined for leaves, which are copied unchanged. */
function mapperOf(type: GraphQLOutputType, projection: Projection | undefined): ValueMapper | undefined {
  if (!projection) return undefined;
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (!isListType(nullable)) return projection as ValueMapper;
  const item = mapperOf(nullable.ofType, projection) ?? (projection as ValueMapper);
  return listMapper(item, isNonNullType(nullable.ofType));
}

function listMapper(item: ValueMapper, nonNull: boolean): ValueMapper {
  return (list, problems) => {
    if (list instanceof JsonText) return list; // written with exactly the selected fields
    const mapped: unknown[] = [];
    for (const element of list as readonly unknown[]) {
      const value = element === null || element === undefined ? null : item(element, problems);
      if (value === null && nonNull) {
        problems.missing = true;
        return null;
      }
      mapped.push(value);
    }
    return mapped;
  };
}
