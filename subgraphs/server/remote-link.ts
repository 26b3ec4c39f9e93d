import type { ExecutionResult } from 'graphql';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller, ServiceName } from './caller';
import { serviceRequests } from './service-request';
import { SERVICE_TOKEN_HEADER, type ServiceTokens } from './service-token';
import type { SubgraphLink } from './subgraph-link';

/** A subgraph in another process: each request carries a service token, and the caller's own bearer token. */
export function remoteLink(name: ServiceName, url: string, tokens: ServiceTokens): SubgraphLink {
  const requests = serviceRequests(url);
  return {
    name,
    async execute({ query, variables, operationName, fixed }, context) {
      const headers = {
        [SERVICE_TOKEN_HEADER]: await tokens.issue(name, factsOf(context)),
        ...(context.bearer === undefined ? {} : { authorization: `Bearer ${context.bearer}` }),
      };
      const answer = (await requests.post(headers, { query, variables, operationName, fixed })) as
        ExecutionResult | undefined;
      if (answer === undefined || isRefusal(answer)) throw new RegisterError('SYS002');
      return answer;
    },
  };
}

/**
 * Whether the other service does not accept this one, or a caller that this one has let in: their clocks or keys differ. A client cannot help
 * that, so it never becomes the client's 401. Callers that are refused by an operation have an answer with `data`.
 */
function isRefusal({ data, errors = [] }: ExecutionResult): boolean {
  return data === undefined && errors.some(({ extensions }) => String(extensions?.['code']).startsWith('AUT'));
}

/** Milliseconds in which a service tells whether it is ready. */
const READY_WITHIN = 3_000;

/** Whether the subgraph in another process says that it can answer. */
export async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health`, { signal: AbortSignal.timeout(READY_WITHIN) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** What a token says beyond who called stays in the token itself: whoever needs it verifies that again. */
function factsOf({ caller, transactionId, clientAddress, service, vouched = false }: CallContext) {
  const { accountId, role, duid, mpid } = caller ?? {};
  const told = caller === null ? null : ({ accountId, role, duid, mpid } as Caller);
  return { caller: told, transactionId, clientAddress, onOwnAccount: service !== null, vouched };
}
