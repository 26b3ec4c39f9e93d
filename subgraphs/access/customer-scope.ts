import { RegisterError } from '../../schema/register-error';
import type { CallContext } from '../server/caller';
import { askSubgraph } from '../server/service-question';
import type { SubgraphLink } from '../server/subgraph-link';

/** Which access records a customer's session shows (2-decisions-a-b.md, section 9). */
export interface CustomerScope {
  readonly meterPointId: string;
  /** The Identity Records of the customer's own contacts. */
  readonly ownRecordIds: readonly string[];
  /** False once the occupancy has ended: then only what is linked to own Identity Records is shown. */
  readonly isCurrent: boolean;
  /** Whether the contacts of the occupancy stand against each other: then, too, only what is linked to own Identity Records. */
  readonly isContested: boolean;
  /** The day on which the customer moved in, `YYYY-MM-DD`: history of what is linked to own Identity Records begins with it. */
  readonly since: string;
  /** The instant at which the occupancy began: no other history of before is shown. Null where there was no Change of Tenancy. */
  readonly beganAt: string | null;
  /** The instant at which the next occupancy began: who looked from then on is not shown. Null while this one lasts. */
  readonly endedAt: string | null;
}

/** Asks `identity` what the customer who calls may see; read with every request, since a session can end at any time. */
export type CustomerScopes = (context: CallContext) => Promise<CustomerScope>;

const SCOPE = `query CustomerScope($token: String!) {
  customerScope(token: $token) { meterPointId ownRecordIds isCurrent isContested since beganAt endedAt }
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
