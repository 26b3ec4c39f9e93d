import { isErrorCode } from '../../../schema/error-catalogue';
import type { ServiceQuery } from '../../../schema/service-query';
import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import type { CallContext, ServiceName } from '../callers/caller';
import { isChecking } from '../database/check-only';
import type { SubgraphLink } from './subgraph-link';

/** The request on whose behalf a service calls another one; for logs, traces and rate limits. */
export type CallOrigin = Pick<CallContext, 'transactionId' | 'clientAddress'>;

/** Returns the origin of a call that a service makes on its own behalf, such as in a job. */
export function ofThisService(): CallOrigin {
  return { transactionId: newIdentifier('tid'), clientAddress: '' };
}

/** A subgraph, and the service that queries it. */
export interface QueriedSubgraph {
  readonly link: SubgraphLink;
  readonly from: ServiceName;
}

/**
 * Queries another subgraph under the identity of the calling service. Throws an error of the result with its code, and
 * the wait of LIM002. A query of a check is a check in the other subgraph, too.
 */
export async function querySubgraph<Result, Variables extends Record<string, unknown>>(
  link: SubgraphLink,
  from: ServiceName,
  { text: query }: ServiceQuery<Result, Variables>,
  variables: Variables,
  { transactionId, clientAddress }: CallOrigin,
): Promise<Result> {
  const { data, errors } = await link.execute(
    { query, variables, fixed: true },
    { caller: null, service: from, transactionId, clientAddress, checkOnly: isChecking() },
  );
  const [error] = errors ?? [];
  if (!error) return data as Result;
  const { code, retryAfter } = error.extensions ?? {};
  if (!isErrorCode(code)) throw error;
  throw new RegisterError(code, error.message, typeof retryAfter === 'number' ? { retryAfter } : {});
}
