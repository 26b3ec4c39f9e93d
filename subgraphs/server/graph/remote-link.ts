import type { ExecutionResult } from 'graphql';
import type { CallContext, Caller } from '../callers/caller';
import type { ServiceLink } from '../link/link-client';
import type { ServiceFetch } from '../link/peer-check';
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

/** Maximum wait for the health response of a service. */
const HEALTH_TIMEOUT_MS = 3_000;

/** Returns true if the service in another process reports that it can serve requests. */
export async function isReady(url: string, get: ServiceFetch): Promise<boolean> {
  return get(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
