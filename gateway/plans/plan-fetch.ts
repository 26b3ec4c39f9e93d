import type { FetchNode } from '@apollo/query-planner';
import { type ExecutionResult, type GraphQLSchema, Kind, parse } from 'graphql';
import type { Logger } from 'pino';
import type { CallContext } from '../../subgraphs/server/callers/caller';
import type { SubgraphLink, SubgraphRequest } from '../../subgraphs/server/graph/subgraph-link';
import { fragmentsOf } from '../../subgraphs/server/graph/root-fields';
import type { ResultObject } from './entity-references';
import { selectedKeys } from './merged-result';

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

/** Returns the selection set of a fetch, in a list, and its fragments. */
export function fetchDocument({ operation: source }: FetchNode) {
  const document = parse(source, { noLocation: true });
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return { sets: operation ? [operation.selectionSet] : [], fragments: fragmentsOf(document) };
}

/** Returns the response keys of a fetch. */
export function fetchedKeys(node: FetchNode) {
  const { sets, fragments } = fetchDocument(node);
  return selectedKeys(sets, fragments);
}
