import { RegisterError } from '../schema/register-error';
import type { Role } from '../schema/roles';
import { ForeignToken, type TokenClaims, type TokenVerifier, requireCurrent } from '../subgraphs/server/bearer-token';
import type { CallContext, Caller } from '../subgraphs/server/caller';
import { askSubgraph } from '../subgraphs/server/service-question';
import type { SubgraphLink } from '../subgraphs/server/subgraph-link';
import { admittedConsumer } from './consumers';
import { admittedCustomer, isCustomerToken } from './customers';
import type { RequestFacts } from './client/graph-client';
import { admittedSupplier } from './supplier-keys';

/** Who asks: the context for resolvers, and why a token that was sent is not accepted (the caller is null then). */
export interface Identified {
  readonly context: CallContext;
  readonly fault?: RegisterError;
  /** When the account's token expires, by the register's clock. */
  readonly expiresAt?: Date;
  /** The supplier's API key by its id, if that let the caller in. */
  readonly supplierKeyId?: string;
}

/** Finds out, once per request, who asks. */
export interface Authentication {
  identify(facts: RequestFacts): Identified | Promise<Identified>;
}

/** What subgraph `access` says of an account at this instant: its status is read with every request, never cached. */
interface Admission {
  readonly status: string;
  readonly allowed: boolean;
  readonly retryAfter: number | null;
  readonly role: string;
  readonly duid: string | null;
  readonly mpid: string | null;
  /** The register's clock, which decides whether a token has expired. */
  readonly now: string;
}

const ADMISSION =
  'query Admission($accountId: String!) { admission(accountId: $accountId) { status allowed retryAfter role duid mpid now } }';
const BEARER = /^Bearer +([^\s]+) *$/i;

/** Who knows of callers: the keys of bearer tokens, `access` of accounts, `identity` of customers' sessions, `tariffs` of consumers. */
export interface CallerSources {
  readonly verifier: TokenVerifier;
  readonly access: SubgraphLink;
  readonly identity: SubgraphLink;
  /** Without it no token of another issuer is valid. */
  readonly tariffs: SubgraphLink | undefined;
}

/**
 * Bearer token, then the account's admission (2-decisions-a-b.md, section 2): a suspended or terminated account is refused
 * at once, also with an unexpired token. The role is the account's present one. A customer's token is that of a session (section 9); one
 * of another issuer is that of a supplier (3-decisions-c-d.md, D.1), who itself sends an API key. One credential in a request.
 */
export function authentication(sources: CallerSources): Authentication {
  return {
    identify(facts) {
      const { authorization, supplierKey } = facts;
      const context = anonymous(facts);
      if (supplierKey !== undefined) {
        if (authorization !== undefined) return { context, fault: new RegisterError('AUT001', SEND_ONE) };
        return orFault(context, identifySupplier(supplierKey, context, sources));
      }
      if (authorization === undefined) return { context };
      return orFault(context, identifyBearer(authorization, context, sources));
    },
  };
}

const SEND_ONE = 'Send one credential: a bearer token or an API key of a supplier.';

async function orFault(context: CallContext, identifying: Promise<Identified>): Promise<Identified> {
  try {
    return await identifying;
  } catch (error) {
    if (error instanceof RegisterError) return { context, fault: error };
    throw error;
  }
}

/** No subgraph is shown the key: the gateway vouches for the caller. */
async function identifySupplier(key: string, context: CallContext, { access }: CallerSources): Promise<Identified> {
  const { caller, keyId } = await admittedSupplier(key, access, context);
  return { context: { ...context, caller, vouched: true }, supplierKeyId: keyId };
}

async function identifyBearer(
  authorization: string,
  context: CallContext,
  { verifier, access, identity, tariffs }: CallerSources,
): Promise<Identified> {
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer === undefined) throw new RegisterError('AUT001');
  if (isCustomerToken(bearer)) {
    return { context: { ...context, caller: await admittedCustomer(bearer, identity, context), bearer } };
  }
  try {
    const claims = await verifier.verify(bearer);
    const caller = await admitted(claims, access, context);
    return { context: { ...context, caller, bearer }, expiresAt: claims.expiresAt };
  } catch (error) {
    if (!(error instanceof ForeignToken) || !tariffs) throw error;
    return { context: { ...context, caller: await admittedConsumer(bearer, tariffs, context), bearer } };
  }
}

function anonymous({ transactionId, clientAddress }: RequestFacts): CallContext {
  return { caller: null, service: null, transactionId, clientAddress };
}

async function admitted(claims: TokenClaims, access: SubgraphLink, context: CallContext): Promise<Caller> {
  const { accountId } = claims;
  type Answer = { readonly admission: Admission | null };
  const { admission } = await askSubgraph<Answer>(access, 'gateway', ADMISSION, { accountId }, context);
  if (!admission || admission.status.toUpperCase() !== 'ACTIVE') throw new RegisterError('AUT001');
  requireCurrent(claims, Date.parse(admission.now));
  if (!admission.allowed) throw new RegisterError('LIM002', undefined, { retryAfter: admission.retryAfter ?? 1 });
  const { role, duid, mpid } = admission;
  return { accountId, role: role.toLowerCase() as Role, duid, mpid };
}
