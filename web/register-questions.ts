import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../gateway/client/client-address';
import type { GraphClient, RequestFacts } from '../gateway/client/graph-client';
import { traced } from '../subgraphs/server/tracing';
import { RegisterRefusal } from './register-refusal';

/** Asks the register one trusted document by its name, with a bearer token or as nobody; throws RegisterRefusal. */
export type AskRegister = <Data>(
  operation: string,
  variables: Record<string, unknown>,
  token: string | undefined,
) => Promise<Data>;

/** How the pages of a service ask the register on behalf of one request: as an ordinary client. */
export function registerQuestions(service: string, graph: GraphClient, request: FastifyRequest): AskRegister {
  const facts: RequestFacts = { transactionId: request.id, clientAddress: clientAddress(request) };
  return async <Data>(operation: string, variables: Record<string, unknown>, token: string | undefined) => {
    const { data, failures } = await traced(`${service} ${operation}`, facts.transactionId, () =>
      graph.run(operation, variables, {
        ...facts,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      }),
    );
    const [failure] = failures;
    if (failure) throw new RegisterRefusal(failure.code, failure.retryAfter);
    return data as Data;
  };
}
