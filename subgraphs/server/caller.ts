import { Authorized, Extensions } from 'type-graphql';
import type { AuthChecker } from 'type-graphql';
import { RegisterError } from '../../schema/register-error';
import type { ConsumerClaims, ConsumerScope } from '../../schema/consumer-claims';
import type { Role } from '../../schema/roles';

/** Whose request it is: the claims of a verified bearer token whose account was found active. */
export interface Caller {
  readonly accountId: string;
  readonly role: Role;
  /** The Data User of the account; null for roles that have none. */
  readonly duid: string | null;
  /** The market participant id of the supplier, also of that whose token acts for a consumer; null for every other role. */
  readonly mpid: string | null;
  /** For whom and for what a supplier's token was issued; for the role `consumer` only. */
  readonly consumer?: ConsumerClaims;
}

/** Services that ask each other on their own account. */
export type ServiceName =
  'gateway' | 'rest-adapter' | 'portal' | 'console' | 'access' | 'identity' | 'grid-models' | 'tariffs';

/** What every resolver knows of the request. */
export interface CallContext {
  readonly caller: Caller | null;
  /** The service that asks on its own account, never set from outside; null for a caller's request. */
  readonly service: ServiceName | null;
  readonly transactionId: string;
  /** The client's network address, as seen by the edge; never stored in clear. */
  readonly clientAddress: string;
  /** The caller's bearer token as sent, passed on to subgraphs that are processes of their own. */
  readonly bearer?: string;
  /** The caller proved itself otherwise than by a bearer token: the service that passes its request on vouches for it. */
  readonly vouched?: boolean;
}

/**
 * Who may call a field: roles, one that acts with scopes by a scope, too (`consumer:a-scope`); `anyone`, also without a token, and an
 * invalid one is ignored; `public`, also without a credential, but one that is sent must be valid (3-decisions-c-d.md, D.1); or `service`
 * (another service of the register only).
 */
export type Audience = Role | `consumer:${ConsumerScope}` | 'anyone' | 'public' | 'service';

/**
 * Declares who may call a resolver; every root field has it (a structure test demands it) and
 * `schema/generated/audiences.json` lists it. Ownership is a rule of the domain, not said here. Plain properties cannot have
 * one: they are read without a resolver (`simpleResolvers`).
 */
export function MayCall(...audience: [Audience, ...Audience[]]): MethodDecorator {
  return (target: object, key: string | symbol, descriptor: PropertyDescriptor) => {
    Extensions({ audience })(target, key as string, descriptor);
    if (!audience.includes('anyone') && !audience.includes('public'))
      Authorized<Audience>(...audience)(target, key as string, descriptor);
  };
}

/** Refuses (PRM001) a caller who is not among an audience: by role, or by one of the scopes of a token. */
export function requireAmong(audience: readonly string[], { role, consumer }: Caller): void {
  if (audience.includes(role) || consumer?.scopes.some((scope) => audience.includes(`${role}:${scope}`))) return;
  const needsScope = audience.some((each) => each.startsWith(`${role}:`));
  throw new RegisterError('PRM001', needsScope ? 'The token lacks the scope that this needs.' : undefined);
}

/** Lets in whom {@link MayCall} names: AUT001 without a caller, PRM001 with the wrong role or without the scope. */
export const checkAudience: AuthChecker<CallContext, Audience> = ({ context }, audience) => {
  if (context.service !== null && audience.includes('service')) return true;
  if (!context.caller) throw new RegisterError('AUT001');
  requireAmong(audience, context.caller);
  return true;
};

/** The caller of a field that only signed-in roles may call. */
export function callerOf(context: CallContext): Caller {
  if (!context.caller) throw new RegisterError('AUT001');
  return context.caller;
}

/** The Data User of a caller whose role always has one. */
export function duidOf(context: CallContext): string {
  const { duid } = callerOf(context);
  if (duid === null) throw new RegisterError('PRM001');
  return duid;
}
