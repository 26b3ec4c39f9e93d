import { CUSTOMER_TOKEN_PATTERN } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import type { TokenVerifier } from '../callers/bearer-token';
import type { CallContext, Caller, ServiceName } from '../callers/caller';
import { SERVICE_RIGHTS } from '../callers/service-rights';
import { LinkBreach, type LinkHandler } from '../link/link-server';
import type { RunningSubgraph } from './running-subgraph';
import type { SubgraphLink } from './subgraph-link';

/** A request to a subgraph in another process; its document travels beside it. */
export interface SubgraphCall {
  readonly transactionId: string;
  readonly clientAddress: string;
  /** True if the service calls in its own name. */
  readonly onOwnAccount?: boolean;
  readonly caller?: Caller;
  readonly bearer?: string;
  readonly vouched?: boolean;
  /** True if the service calls on behalf of a check. */
  readonly checkOnly?: boolean;
  readonly variables?: Record<string, unknown> | undefined;
  readonly operationName?: string | undefined;
  /** True if the subgraph may write lists as {@link JsonText}, which the link sends as bytes. */
  readonly acceptsBytes?: boolean;
}

/** Options of {@link subgraphCalls}. */
interface SubgraphCallOptions {
  readonly name: ServiceName;
  readonly link: SubgraphLink;
  readonly verifier: TokenVerifier;
  readonly foreignCaller?: RunningSubgraph['foreignCaller'];
}

/** Executes requests of other services in a subgraph, each with the rights of its sender. */
export function subgraphCalls(options: SubgraphCallOptions): LinkHandler {
  return async (from, payload, document) => {
    if (!isSubgraphCall(payload) || document === undefined) throw new LinkBreach('malformed request');
    requireRight(from, payload, options.name);
    const context = await contextOf(from, payload, options);
    const { variables, operationName, acceptsBytes = false } = payload;
    const { text: query, fixed } = document;
    return options.link.execute({ query, fixed, variables, operationName, acceptsText: acceptsBytes }, context);
  };
}

/** Throws unless the sender may send requests of callers, or requests in its own name. */
function requireRight(from: ServiceName, { caller, vouched, onOwnAccount }: SubgraphCall, to: ServiceName): void {
  const right = SERVICE_RIGHTS[from][to];
  if (right === 'callers') return;
  if (right !== 'own account') throw new LinkBreach('the service may not send requests');
  const isOwn = onOwnAccount === true && caller === undefined && vouched === undefined;
  if (!isOwn) throw new LinkBreach('the service may not speak for callers or for unauthenticated clients');
}

function isSubgraphCall(payload: unknown): payload is SubgraphCall {
  if (typeof payload !== 'object' || payload === null) return false;
  const { transactionId, clientAddress, caller, bearer } = payload as Record<string, unknown>;
  const texts = [transactionId, clientAddress, bearer ?? ''];
  const isCaller = caller === undefined || typeof (caller as { accountId?: unknown } | null)?.accountId === 'string';
  return isCaller && texts.every((text) => typeof text === 'string');
}

/**
 * Returns the context of a request. Verifies that the bearer token belongs to the caller, and states its role and
 * organisation, except for:
 *
 * - a supplier whom the service attests, because the supplier sent an API key; no other role can be attested;
 * - a customer, whose session token is opaque: resolvers for customers look the session up;
 * - a consumer, in a subgraph that does not accept the supplier's tokens: it admits no consumer to a field.
 */
async function contextOf(
  from: ServiceName,
  { transactionId, clientAddress, onOwnAccount, caller, bearer = '', vouched, checkOnly = false }: SubgraphCall,
  { verifier, foreignCaller }: SubgraphCallOptions,
): Promise<CallContext> {
  const service = onOwnAccount === true ? from : null;
  const context: CallContext = { caller: null, service, transactionId, clientAddress, checkOnly };
  if (caller === undefined) return context;
  const { accountId, role, duid, mpid } = caller;
  if (vouched === true) {
    if (role !== 'supplier') throw new LinkBreach('only suppliers can be attested');
    return { ...context, caller: { accountId, role, duid: null, mpid }, vouched };
  }
  if (role === 'customer' && CUSTOMER_TOKEN_PATTERN.test(bearer))
    return { ...context, caller: { accountId, role, duid: null, mpid: null }, bearer };
  if (role === 'consumer') {
    if (!foreignCaller) return { ...context, caller: { accountId, role, duid: null, mpid } };
    const verified = await foreignCaller(bearer);
    if (verified.accountId !== accountId || verified.mpid !== mpid) throw new RegisterError('AUT001');
    return { ...context, caller: verified, bearer };
  }
  const claims = await verifier.verify(bearer);
  const isCaller = claims.accountId === accountId && claims.role === role;
  if (!isCaller || claims.duid !== duid || claims.mpid !== mpid) throw new RegisterError('AUT001');
  return { ...context, caller: { accountId, role, duid, mpid }, bearer };
}
