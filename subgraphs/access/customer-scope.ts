import { RegisterError } from '../../schema/register-error';
import type { CallContext } from '../server/caller';
import { askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';

/** Which access records a customer's session shows (2-decisions-a-b.md, section 9). */
export interface CustomerScope {
  readonly meterPointId: string;
  /** The Identity Record with which the customer signed in; a supplier's login may do without one. */
  readonly identityRecordId: string | null;
  /** False once its occupancy has ended: then only what is linked to that Identity Record is shown. */
  readonly isCurrent: boolean;
  /** The day from which history is shown, `YYYY-MM-DD`. */
  readonly since: string;
  /** The day of the Change of Tenancy that ended the occupancy: who looked from then on is not shown. Null while it lasts. */
  readonly until: string | null;
}

/** Asks `identity` what the customer who calls may see; read with every request, since a session can end at any time. */
export type CustomerScopes = (context: CallContext) => Promise<CustomerScope>;

const SCOPE = `query CustomerScope($token: String!) {
  customerScope(token: $token) { identityRecordId meterPointId isCurrent since until }
}`;

/** Scopes by GraphQL, on the account of this service. AUT001 when the session has ended. */
export function customerScopes(identity: SubgraphLink): CustomerScopes {
  return async (context) => {
    const token = context.bearer;
    if (context.caller?.role !== 'customer' || token === undefined) throw new RegisterError('AUT001');
    const { customerScope } = await askSubgraph<{ customerScope: CustomerScope | null }>(
      identity,
      'access',
      SCOPE,
      { token },
      context,
    );
    if (customerScope === null) throw new RegisterError('AUT001');
    return customerScope;
  };
}
