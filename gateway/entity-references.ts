import { isObjectType, type GraphQLSchema } from 'graphql';
import type { QueryPlanSelectionNode } from '@apollo/query-planner';

/** A part of an answer that is being put together. */
export type Merged = Record<string, unknown>;

/** A reference to an entity, `{ __typename, <key> }`; null when the entity lacks what the subgraph needs. */
export type ReferenceOf = (entity: Merged) => Merged | null;

type Part = (entity: Merged, into: Merged) => boolean;

/** Compiles `requires` of a plan's fetch; undefined for forms that the planner does not emit for this supergraph. */
export function referenceOf(
  requires: readonly QueryPlanSelectionNode[],
  schema: GraphQLSchema,
): ReferenceOf | undefined {
  const byType = new Map<string, readonly Part[]>();
  for (const node of requires) {
    if (node.kind !== 'InlineFragment' || node.typeCondition === undefined) return undefined;
    const parts = isObjectType(schema.getType(node.typeCondition)) ? partsOf(node.selections) : undefined;
    if (!parts || byType.has(node.typeCondition)) return undefined;
    byType.set(node.typeCondition, parts);
  }
  return (entity) => {
    const parts = byType.get(String(entity['__typename']));
    const reference: Merged = {};
    return parts?.every((part) => part(entity, reference)) && typeof reference['__typename'] === 'string'
      ? reference
      : null;
  };
}

function partsOf(selections: readonly QueryPlanSelectionNode[]): readonly Part[] | undefined {
  const parts: Part[] = [];
  for (const node of selections) {
    if (node.kind !== 'Field') return undefined;
    const inner = node.selections && partsOf(node.selections);
    if (node.selections && !inner) return undefined;
    parts.push(fieldPart(node.alias ?? node.name, inner));
  }
  return parts;
}

function fieldPart(key: string, inner: readonly Part[] | undefined): Part {
  const copy = (value: unknown): unknown => {
    if (value === null || !inner) return value;
    if (Array.isArray(value)) return value.map(copy);
    const part: Merged = {};
    return inner.every((each) => each(value as Merged, part)) ? part : null;
  };
  return (entity, into) => {
    const value = entity[key];
    if (value === undefined) return false;
    into[key] = copy(value);
    return true;
  };
}

/** References without repetition: 200 records of one Data User ask for that Data User once. */
export interface References {
  readonly references: readonly Merged[];
  /** For each reference, the places in the list of entities that it stands for. */
  readonly places: readonly (readonly number[])[];
}

/** The distinct references of a list of entities. */
export function referencesOf(entities: readonly Merged[], reference: ReferenceOf): References {
  const references: Merged[] = [];
  const places: number[][] = [];
  const known = entities.length > 1 ? new Map<string, number>() : undefined;
  entities.forEach((entity, place) => {
    const made = reference(entity);
    if (!made) return;
    const text = known && JSON.stringify(made);
    const earlier = text === undefined ? undefined : known?.get(text);
    if (earlier !== undefined) places[earlier]?.push(place);
    else {
      if (text !== undefined) known?.set(text, references.length);
      references.push(made);
      places.push([place]);
    }
  });
  return { references, places };
}
