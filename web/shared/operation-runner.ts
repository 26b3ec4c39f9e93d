import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../../gateway/client/client-address';
import type { GraphClient } from '../../gateway/client/graph-client';
import { MUTATIONS, type Operations } from '../../schema/generated/operations';
import { traced } from '../../subgraphs/server/observability/tracing';
import { OperationError } from './operation-error';

/** Variables of an operation; absent where it has none that is required. */
type VariablesOf<Name extends keyof Operations> =
  Record<string, never> extends Operations[Name]['variables']
    ? [variables?: Operations[Name]['variables'], token?: string]
    : [variables: Operations[Name]['variables'], token?: string];

/**
 * Executes a trusted document of the register by its name, with a bearer token or without; throws OperationError. Variables and result
 * have the types that `npm run schema` generates from the document.
 */
export type ExecuteOperation = <Name extends keyof Operations>(
  operation: Name,
  ...variables: VariablesOf<Name>
) => Promise<Operations[Name]['result']>;

/**
 * Returns a function that executes operations on behalf of one request, as an ordinary client of the gateway. For HEAD it
 * executes no mutation (MET001), because HEAD never changes anything (decisions A/B, 1).
 */
export function operationRunner(service: string, graph: GraphClient, request: FastifyRequest): ExecuteOperation {
  const metadata = { transactionId: request.id, clientAddress: clientAddress(request) };
  return async (operation, ...[variables = {}, token]) => {
    if (request.method === 'HEAD' && MUTATIONS.has(operation)) throw new OperationError('MET001');
    const { data, failures } = await traced(`${service} ${operation}`, metadata.transactionId, () =>
      graph.run(operation, variables, {
        ...metadata,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      }),
    );
    const [failure] = failures;
    if (failure) throw new OperationError(failure.code, failure.retryAfter);
    return data as Operations[typeof operation]['result'];
  };
}

/** Returns a function that executes operations with the token of the current session; AUT001 if there is none. */
export function withSession(execute: ExecuteOperation, tokenOf: () => string | undefined): ExecuteOperation {
  return (operation, ...[variables]) => {
    const token = tokenOf();
    return token === undefined
      ? Promise.reject(new OperationError('AUT001'))
      : execute(operation, ...([variables, token] as VariablesOf<typeof operation>));
  };
}
