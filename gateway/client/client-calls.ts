import { SERVICE_RIGHTS } from '../../subgraphs/server/callers/service-rights';
import { LinkBreach, type LinkHandler } from '../../subgraphs/server/link/link-server';
import type { GraphClient } from './graph-client';
import type { Admission, ClientCall } from './remote-graph-client';

/** The service that checks the admission of a caller before it reads a large body, and runs the operation afterwards. */
const ADMITTING_SERVICE = 'rest-adapter';

/** Runs requests of graph clients in other processes. The gateway verifies the credentials that they pass on. */
export function clientCalls(client: GraphClient): LinkHandler {
  return async (from, payload) => {
    if (SERVICE_RIGHTS[from].gateway !== 'clients') throw new LinkBreach('the service may not send requests');
    if (!isClientCall(payload)) throw new LinkBreach('malformed request');
    const { operation, variables, metadata } = payload;
    if (metadata.isCounted === true && from !== ADMITTING_SERVICE)
      throw new LinkBreach('the service may not exempt requests from limits');
    if (variables !== undefined) return client.run(operation, variables, metadata);
    const failure = await client.admit(operation, metadata);
    return (failure === undefined ? {} : { failure }) satisfies Admission;
  };
}

function isClientCall(payload: unknown): payload is ClientCall {
  if (typeof payload !== 'object' || payload === null) return false;
  const { operation, variables = {}, metadata } = payload as Record<string, unknown>;
  if (typeof variables !== 'object' || variables === null) return false;
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { isCounted = false, ...texts } = metadata as Record<string, unknown>;
  const { transactionId, clientAddress, authorization = '', supplierKey = '' } = texts;
  if (typeof isCounted !== 'boolean') return false;
  return [operation, transactionId, clientAddress, authorization, supplierKey].every(
    (text) => typeof text === 'string',
  );
}
