import { CUSTOMER_TOKEN_PATTERN } from '../schema/identifiers';
import { RegisterError } from '../schema/register-error';
import type { CallContext, Caller } from '../subgraphs/server/caller';
import { askSubgraph } from '../subgraphs/server/service-question';
import type { SubgraphLink } from '../subgraphs/server/subgraph-link';

/** Whether a bearer token is that of a customer's session: it says nothing by itself, only `identity` knows. */
export function isCustomerToken(bearer: string): boolean {
  return bearer.startsWith('cst_') && CUSTOMER_TOKEN_PATTERN.test(bearer);
}

const SESSION = 'query CustomerAdmission($token: String!) { customerScope(token: $token) { sessionId } }';

/** The customer of a session, asked at every request: a session that was ended is refused at once (AUT001). */
export async function admittedCustomer(token: string, identity: SubgraphLink, context: CallContext): Promise<Caller> {
  type Answer = { readonly customerScope: { readonly sessionId: string } | null };
  const { customerScope } = await askSubgraph<Answer>(identity, 'gateway', SESSION, { token }, context);
  if (customerScope === null) throw new RegisterError('AUT001');
  return { accountId: customerScope.sessionId, role: 'customer', duid: null, mpid: null };
}
