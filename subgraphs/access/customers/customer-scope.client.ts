import { RegisterError } from '../../../schema/register-error';
import type { CallContext } from '../../server/callers/caller';
import { CustomerScope as CustomerScopeOperation } from '../../../schema/generated/service-queries-to-identity';
import { querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';

/** Which access records a customer's session can read (decisions A/B, 9). */
export interface CustomerScope {
  readonly meterPointId: string;
  /** The Identity Records of the customer's own contacts. */
  readonly ownRecordIds: readonly string[];
  /** False once the occupancy has ended: then only records linked to own Identity Records are visible. */
  readonly isCurrent: boolean;
  /** Whether contacts of the occupancy are contested: then, too, only records linked to own Identity Records are visible. */
  readonly isContested: boolean;
  /** Day on which the customer moved in, `YYYY-MM-DD`. History of records linked to own Identity Records starts on it. */
  readonly since: string;
  /** Instant at which the occupancy started. History of other records starts at it. Null without a Change of Tenancy. */
  readonly beganAt: string | null;
  /** Instant at which the next occupancy started. Later lookups are not visible. Null while the occupancy lasts. */
  readonly endedAt: string | null;
}

/** Scopes of the calling customer, queried from `identity`; AUT001 if the session has ended, which it can at any time. */
export interface CustomerScopes {
  /** The scope of a request, queried once. */
  of(context: CallContext): Promise<CustomerScope>;
  /** The scope at this instant. */
  now(context: CallContext): Promise<CustomerScope>;
}

/** Scopes by GraphQL, with the service account. */
export function customerScopes(identity: SubgraphLink): CustomerScopes {
  const scopes = new WeakMap<CallContext, Promise<CustomerScope>>();
  const now = async (context: CallContext) => {
    const token = context.bearer;
    if (context.caller?.role !== 'customer' || token === undefined) throw new RegisterError('AUT001');
    const { customerScope } = await querySubgraph(identity, 'access', CustomerScopeOperation, { token }, context);
    if (customerScope === null) throw new RegisterError('AUT001');
    return customerScope;
  };
  const of = (context: CallContext) => {
    const scope = scopes.get(context) ?? now(context);
    scopes.set(context, scope);
    return scope;
  };
  return { of, now };
}
