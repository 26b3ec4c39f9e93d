import { isObjectType, type GraphQLSchema } from 'graphql';
import type { QueryPlanSelectionNode } from '@apollo/query-planner';

/** An object of a result that is being merged. */
export type ResultObject = Record<string, unknown>;

/**
 * Returns a reference to an entity, `{ __typename, <key> }`, or null if the entity lacks a field that the subgraph
 * requires.
 */
type ReferenceOf = (entity: ResultObject) => ResultObject | null;

type FieldCopier = (entity: ResultObject, into: ResultObject) => boolean;

/**
 * Compiles the `requires` selection of a plan's fetch. Returns undefined for forms that the planner does not emit for
 * this supergraph.
 */
export function referenceOf(
  requires: readonly QueryPlanSelectionNode[],
  schema: GraphQLSchema,
): ReferenceOf | undefined {
  const byType = new Map<string, readonly FieldCopier[]>();
  for (const node of requires) {
    if (node.kind !== 'InlineFragment' || node.typeCondition === undefined) return undefined;
    const copiers = isObjectType(schema.getType(node.typeCondition)) ? copiersOf(node.selections) : undefined;
    if (!copiers || byType.has(node.typeCondition)) return undefined;
    byType.set(node.typeCondition, copiers);
  }
  return (entity) => {
    const copiers = byType.get(String(entity['__typename']));
    const reference: ResultObject = {};
    return copiers?.every((copyField) => copyField(entity, reference)) && typeof reference['__typename'] === 'string'
      ? reference
      : null;
  };
}

function copiersOf(selections: readonly QueryPlanSelectionNode[]): readonly FieldCopier[] | undefined {
  const copiers: FieldCopier[] = [];
  for (const node of selections) {
    if (node.kind !== 'Field') return undefined;
    const nested = node.selections && copiersOf(node.selections);
    if (node.selections && !nested) return undefined;
    copiers.push(fieldCopier(node.alias ?? node.name, nested));
  }
  return copiers;
}

function fieldCopier(key: string, nested: readonly FieldCopier[] | undefined): FieldCopier {
  const copy = (value: unknown): unknown => {
    if (value === null || !nested) return value;
    if (Array.isArray(value)) return value.map(copy);
    const copied: ResultObject = {};
    return nested.every((each) => each(value as ResultObject, copied)) ? copied : null;
  };
  return (entity, into) => {
    const value = entity[key];
    if (value === undefined) return false;
    into[key] = copy(value);
    return true;
  };
}

/** Distinct references: 200 records of one Data User need one reference to it. */
interface References {
  readonly references: readonly ResultObject[];
  /** For each reference, the positions of its entities in the list. */
  readonly positions: readonly (readonly number[])[];
}

/** Returns the distinct references of a list of entities. */
export function referencesOf(entities: readonly ResultObject[], reference: ReferenceOf): References {
  const references: ResultObject[] = [];
  const positions: number[][] = [];
  const indexByText = entities.length > 1 ? new Map<string, number>() : undefined;
  entities.forEach((entity, position) => {
    const built = reference(entity);
    if (!built) return;
    const text = indexByText && JSON.stringify(built);
    const earlier = text === undefined ? undefined : indexByText?.get(text);
    if (earlier !== undefined) positions[earlier]?.push(position);
    else {
      if (text !== undefined) indexByText?.set(text, references.length);
      references.push(built);
      positions.push([position]);
    }
  });
  return { references, positions };
}
