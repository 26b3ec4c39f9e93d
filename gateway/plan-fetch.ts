import type { FetchNode } from '@apollo/query-planner';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { CallContext } from '../subgraphs/server/caller';
import type { SubgraphLink, SubgraphRequest } from '../subgraphs/server/subgraph-link';
import type { Merged } from './entity-references';

/** What plans are compiled for. */
export interface PlanSurroundings {
  readonly apiSchema: GraphQLSchema;
  readonly links: ReadonlyMap<string, SubgraphLink>;
  readonly logger: Logger;
  /** The plans are those of trusted documents: subgraphs may compile their fetches for good. */
  readonly fixed: boolean;
}

/** Sends a fetch of a plan to its subgraph: variables of the operation, and references if it asks for entities. */
export type Send = (
  variables: Readonly<Record<string, unknown>>,
  context: CallContext,
  references?: readonly Merged[],
) => Promise<ExecutionResult>;

/** How a fetch is sent; undefined for fetches with rewrites or deferred parts. */
export function fetchOf(node: FetchNode, { links, fixed }: PlanSurroundings): Send | undefined {
  const { operation: query, operationName, variableUsages = [], serviceName } = node;
  const link = links.get(serviceName);
  const rewritten = [node.inputRewrites, node.outputRewrites, node.contextRewrites].some(
    (rewrites) => rewrites?.length,
  );
  if (!link || rewritten || node.hasDefers === true) return undefined;
  return (given, context, references) => {
    const variables: Merged = {};
    for (const name of variableUsages) {
      if (Object.hasOwn(given, name)) variables[name] = given[name];
    }
    if (references) variables['representations'] = references;
    const request: SubgraphRequest = { query, variables, operationName, fixed };
    return link.execute(request, context);
  };
}
