import type { ExecutionResult } from 'graphql';
import type { CallContext, Caller } from '../callers/caller';
import type { ServiceLink } from '../link/link-client';
import type { SubgraphCall } from './subgraph-calls';
import type { SubgraphLink } from './subgraph-link';

/** Returns the link to a subgraph in another process. */
export function remoteLink(name: string, service: ServiceLink): SubgraphLink {
  return {
    name,
    execute: ({ query, variables, operationName, fixed, acceptsText }, context) =>
      service.call(
        { ...originOf(context), variables, operationName, ...(acceptsText === true ? { acceptsBytes: true } : {}) },
        { text: query, fixed: fixed === true },
      ) as Promise<ExecutionResult>,
  };
}

/**
 * Returns the part of a context that another process receives. It identifies the caller only: a subgraph that needs
 * more verifies the bearer token again.
 */
function originOf(context: CallContext): SubgraphCall {
  const { caller, service, bearer, vouched, checkOnly, transactionId, clientAddress } = context;
  const { accountId, role, duid, mpid } = caller ?? {};
  return {
    transactionId,
    clientAddress,
    ...(service === null ? {} : { onOwnAccount: true }),
    ...(caller === null ? {} : { caller: { accountId, role, duid, mpid } as Caller }),
    ...(bearer === undefined ? {} : { bearer }),
    ...(vouched === true ? { vouched } : {}),
    ...(checkOnly === true ? { checkOnly } : {}),
  };
}
