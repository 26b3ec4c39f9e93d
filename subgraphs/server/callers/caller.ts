import { Authorized, Extensions } from 'type-graphql';
import type { AuthChecker } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import type { ConsumerClaims, ConsumerScope } from '../../../schema/consumer-claims';
import type { Role } from '../../../schema/roles';

/** The caller of a request: the claims of a verified bearer token whose account is active. */
export interface Caller {
  readonly accountId: string;
  readonly role: Role;
  /** The Data User of the account; null for roles that have none. */
  readonly duid: string | null;
  /**
   * Market participant id of a supplier, or of the supplier that issued a consumer's token; null for all other roles.
   */
  readonly mpid: string | null;
  /** Claims of the token that a supplier issued; only for the role `consumer`. */
  readonly consumer?: ConsumerClaims;
}

/** Services of the register. Each may call others in its own name. */
export type ServiceName =
  'gateway' | 'rest-adapter' | 'portal' | 'console' | 'access' | 'identity' | 'grid-models' | 'tariffs';

/** Context of a request in every resolver. */
export interface CallContext {
  readonly caller: Caller | null;
  /** The service that calls in its own name; null for a caller's request. No request of a client can set it. */
  readonly service: ServiceName | null;
  readonly transactionId: string;
  /** Network address of the client, as the gateway or REST adapter determined it. Stored only as a keyed hash. */
  readonly clientAddress: string;
  /** The caller's bearer token, passed on to subgraphs in other processes. */
  readonly bearer?: string;
  /** True if the caller is a supplier that authenticated by API key, which the gateway verified and attests. */
  readonly vouched?: boolean;
  /** True if another service calls on behalf of a check: nothing that the request writes is stored. */
  readonly checkOnly?: boolean;
}

/**
 * Who may call a field:
 *
 * - a role, or a role with a scope (`consumer:a-scope`);
 * - `inactive_consumer`: a consumer with one of the scopes also while its supplier or RTI User is suspended or disabled;
 * - `anyone`: also unauthenticated clients; an invalid token is ignored;
 * - `public`: also unauthenticated clients, but an invalid credential is rejected (decisions D.1);
 * - `service:<name>`: the service of that name, in its own name. No other entry admits a service.
 */
type Audience =
  Role | `consumer:${ConsumerScope}` | 'inactive_consumer' | 'anyone' | 'public' | `service:${ServiceName}`;

/** Services that identify callers: the gateway, and each subgraph for the clients of other routers. */
export const IDENTIFYING_SERVICES = [
  'service:gateway',
  'service:access',
  'service:identity',
  'service:grid-models',
  'service:tariffs',
] as const;

/**
 * Declares who may call a resolver. A structure test requires it on every root field; `schema/generated/audiences.json`
 * lists all. Rules of ownership are domain rules and not declared here. A plain property cannot have it, because no
 * resolver reads it (`simpleResolvers`).
 */
export function MayCall(...audience: [Audience, ...Audience[]]): MethodDecorator {
  return (target: object, key: string | symbol, descriptor: PropertyDescriptor) => {
    Extensions({ audience })(target, key as string, descriptor);
    if (!audience.includes('anyone') && !audience.includes('public'))
      Authorized<Audience>(...audience)(target, key as string, descriptor);
  };
}

/**
 * Throws PRM001 unless the audience contains the caller's role, or the role with one of the scopes of the caller's
 * token.
 */
export function requireAmong(audience: readonly string[], { role, consumer }: Caller): void {
  if (audience.includes(role) || consumer?.scopes.some((scope) => audience.includes(`${role}:${scope}`))) return;
  const needsScope = audience.some((each) => each.startsWith(`${role}:`));
  throw new RegisterError('PRM001', needsScope ? 'The token lacks the scope that this needs.' : undefined);
}

/** A service called a field that it must not call. A fault of the register, which no client may receive as its own. */
class ServiceRefused extends Error {
  override readonly name = 'ServiceRefused';

  constructor(readonly code: ServiceName) {
    super(`${code} may not call this field`);
  }
}

/** Throws {@link ServiceRefused}, which is logged, unless the audience contains the service. */
export function requireService(audience: readonly string[], service: ServiceName): void {
  if (!audience.includes(`service:${service}`)) throw new ServiceRefused(service);
}

/**
 * Enforces {@link MayCall}: throws AUT001 without a caller, PRM001 for another role or a missing scope, and an error that
 * is logged for a service that is not in the audience.
 */
export const checkAudience: AuthChecker<CallContext, Audience> = ({ context }, audience) => {
  if (context.service !== null) {
    requireService(audience, context.service);
    return true;
  }
  if (!context.caller) throw new RegisterError('AUT001');
  requireAmong(audience, context.caller);
  return true;
};

/** Returns the caller of a field that requires one; throws AUT001 without a caller. */
export function callerOf(context: CallContext): Caller {
  if (!context.caller) throw new RegisterError('AUT001');
  return context.caller;
}

/** Returns the Data User of a caller; throws PRM001 if the caller's role has none. */
export function duidOf(context: CallContext): string {
  return actorOf(context).duid;
}

/** The account and Data User of a change. */
export interface Actor {
  readonly accountId: string;
  readonly duid: string;
}

/** Returns the account and Data User of a caller; throws PRM001 if the caller's role has no Data User. */
export function actorOf(context: CallContext): Actor {
  const { accountId, duid } = callerOf(context);
  if (duid === null) throw new RegisterError('PRM001');
  return { accountId, duid };
}
