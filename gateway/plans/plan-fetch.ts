import type { FetchNode } from '@apollo/query-planner';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { CallContext } from '../../subgraphs/server/callers/caller';
import type { SubgraphLink, SubgraphRequest } from '../../subgraphs/server/graph/subgraph-link';
import type { ResultObject } from './entity-references';

/** Schema, links and logger that plans are compiled with. */
export interface PlanContext {
  readonly apiSchema: GraphQLSchema;
  readonly links: ReadonlyMap<string, SubgraphLink>;
  readonly logger: Logger;
  /** True for trusted documents: subgraphs compile their fetches at the first execution. */
  readonly fixed: boolean;
}

/** Sends a fetch of a plan to its subgraph, with the operation's variables and, for entities, the references. */
export type Send = (
  variables: Readonly<Record<string, unknown>>,
  context: CallContext,
  references?: readonly ResultObject[],
) => Promise<ExecutionResult>;

/** Returns the function that sends a fetch, or undefined for fetches with rewrites or deferred parts. */
export function fetchOf(node: FetchNode, { links, fixed }: PlanContext): Send | undefined {
  const { operation: query, operationName, variableUsages = [], serviceName } = node;
  const link = links.get(serviceName);
  const rewritten = [node.inputRewrites, node.outputRewrites, node.contextRewrites].some(
    (rewrites) => rewrites?.length,
  );
  if (!link || rewritten || node.hasDefers === true) return undefined;
  return (operationVariables, context, references) => {
    const variables: ResultObject = {};
    for (const name of variableUsages) {
      if (Object.hasOwn(operationVariables, name)) variables[name] = operationVariables[name];
    }
    if (references) variables['representations'] = references;
    const request: SubgraphRequest = { query, variables, operationName, fixed, acceptsText: !fixed };
    return link.execute(request, context);
  };
}
