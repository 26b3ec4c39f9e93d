import { CustomerAdmission } from '../../schema/generated/service-queries-to-identity';
import { CUSTOMER_TOKEN_PATTERN } from '../../schema/identifiers';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import { rejectLimited } from '../../subgraphs/server/callers/rate-limits';
import { type QueriedSubgraph, querySubgraph } from '../../subgraphs/server/graph/service-query';

/**
 * Returns true if a bearer token has the form of a customer session token. The token is opaque; only `identity` can
 * resolve it.
 */
export function isCustomerToken(bearer: string): boolean {
  return bearer.startsWith('cst_') && CUSTOMER_TOKEN_PATTERN.test(bearer);
}

/**
 * Returns the customer of a session, read from `identity` for every request: an ended session is rejected at once
 * (AUT001). Throws LIM002 if the session exceeds its requests per minute.
 */
export async function admittedCustomer(
  token: string,
  identity: QueriedSubgraph,
  context: CallContext,
): Promise<Caller> {
  const { customerScope } = await querySubgraph(identity.link, identity.from, CustomerAdmission, { token }, context);
  if (customerScope === null) throw new RegisterError('AUT001');
  rejectLimited(customerScope.retryAfter);
  return { accountId: customerScope.sessionId, role: 'customer', duid: null, mpid: null };
}
