import { type DocumentNode, type FieldNode, type SelectionSetNode, getOperationAST } from 'graphql';
import type { ComplexityEstimator, ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { fragmentsOf, rootFieldsOf } from '../../subgraphs/server/graph/root-fields';

/** Cost of a field: with all entries and their fields, and of the fields of one entry. */
interface FieldCost {
  readonly cost: number;
  readonly costOfEntry: number;
}

/** Costs of the fields of a document; a field that a directive skips has none. */
type FieldCosts = ReadonlyMap<FieldNode, FieldCost>;

/** Returns a map of costs, and the estimators of a complexity that fill it. */
export function recordedCosts(costOf: (field: ComplexityEstimatorArgs) => number): {
  readonly costs: FieldCosts;
  readonly estimators: ComplexityEstimator[];
} {
  const costs = new Map<FieldNode, FieldCost>();
  const recording: ComplexityEstimator = (field) => {
    const cost = costOf(field);
    costs.set(field.node, { cost, costOfEntry: field.childComplexity });
    return cost;
  };
  return { costs, estimators: [recording] };
}

/**
 * Returns the path of the field by which a client can reduce the cost of an operation most: from the costliest root field down, as long as
 * one field is at least half the cost of an entry, to the last one that has several entries or a read cost. The path has the names of the
 * schema, because an alias may have any text.
 */
export function costliestField(document: DocumentNode, operationName: string | undefined, costs: FieldCosts): string {
  const fragments = fragmentsOf(document);
  const costOf = (field: FieldNode) => costs.get(field)?.cost ?? 0;
  const path: string[] = [];
  let pathLength = 1;
  let selected: SelectionSetNode | undefined = getOperationAST(document, operationName)?.selectionSet;
  let minCost = 0;
  while (selected) {
    const fields = rootFieldsOf(selected, fragments);
    const costliest = fields.reduce((most, field) => (costOf(field) > costOf(most) ? field : most));
    const { cost, costOfEntry } = costs.get(costliest) ?? { cost: 0, costOfEntry: 0 };
    if (cost < minCost) break;
    path.push(costliest.name.value);
    if (cost > 1 + costOfEntry) pathLength = path.length;
    minCost = costOfEntry / 2;
    selected = costliest.selectionSet;
  }
  return path.slice(0, pathLength).join('.');
}
