import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
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

/** What is selected of an object type: response keys in the order of the document. */
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

/** The fragments of a document by name. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const definitions = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(definitions.map((definition) => [definition.name.value, definition]));
}

/**
 * The selection with fragments merged; undefined when it depends on the request or on the run-time type (`@skip`,
 * `@include`, abstract types, introspection), or has a key that JavaScript objects treat specially.
 */
export function selectionOf(
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
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
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
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
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): SelectedField | undefined {
  const name = nodes[0]?.name.value ?? '';
  if (name === '__typename') return { key, name, type: undefined, selection: undefined };
  const type = parent.getFields()[name]?.type;
  if (!type || name.startsWith('__') || key === '__proto__') return undefined;
  const named = getNamedType(type);
  if (isLeafType(named)) return { key, name, type, selection: undefined };
  if (!isObjectType(named)) return undefined;
  const sets = nodes.flatMap((node) => node.selectionSet ?? []);
  const selection = selectionOf(named, sets, fragments);
  return selection && { key, name, type, selection };
}

/** Whether two selections ask for the same keys in the same order, so that an answer to one is an answer to the other. */
export function isSameSelection(one: Selection, other: Selection): boolean {
  return (
    one.keys.length === other.keys.length &&
    one.keys.every((field, index) => {
      const twin = other.keys[index];
      if (!twin || twin.key !== field.key || twin.name !== field.name) return false;
      if (!field.selection || !twin.selection) return field.selection === twin.selection;
      return isSameSelection(field.selection, twin.selection);
    })
  );
}

/** Takes out of merged answers of subgraphs exactly what was selected; null where a non-null field below has no value. */
export type Projection = (
  value: Readonly<Record<string, unknown>>,
  faults: ProjectionFaults,
) => Record<string, unknown> | null;

/** Set when a non-null field had no value. */
export interface ProjectionFaults {
  missing: boolean;
}

type Shape = (value: unknown, faults: ProjectionFaults) => unknown;

/** Compiles a selection into a projection; nulls propagate as GraphQL demands (specification, section 6.4.4). */
export function projectionOf({ type, keys }: Selection): Projection {
  const lines = keys.map((field) => ({
    key: field.key,
    nonNull: field.type !== undefined && isNonNullType(field.type),
    typename: field.type === undefined ? type.name : undefined,
    shape: field.type === undefined ? undefined : shapeOf(field.type, field.selection && projectionOf(field.selection)),
  }));
  return (source, faults) => {
    const target: Record<string, unknown> = {};
    for (const line of lines) {
      if (line.typename !== undefined) {
        target[line.key] = line.typename;
        continue;
      }
      const found = source[line.key];
      const value = found === null || found === undefined ? null : line.shape ? line.shape(found, faults) : found;
      if (value === null && line.nonNull) {
        faults.missing = true;
        return null;
      }
      target[line.key] = value;
    }
    return target;
  };
}

/** How a value that is not null is shaped; undefined for leaves, which stay as they are. */
function shapeOf(type: GraphQLOutputType, projection: Projection | undefined): Shape | undefined {
  if (!projection) return undefined;
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (!isListType(nullable)) return projection as Shape;
  const item = shapeOf(nullable.ofType, projection) ?? (projection as Shape);
  return listShape(item, isNonNullType(nullable.ofType));
}

function listShape(item: Shape, nonNull: boolean): Shape {
  return (list, faults) => {
    const shaped: unknown[] = [];
    for (const element of list as readonly unknown[]) {
      const value = element === null || element === undefined ? null : item(element, faults);
      if (value === null && nonNull) {
        faults.missing = true;
        return null;
      }
      shaped.push(value);
    }
    return shaped;
  };
}
