import { RegisterError } from '../schema/register-error';
import type { Role } from '../schema/roles';
import type { TokenClaims, TokenVerifier } from '../subgraphs/server/bearer-token';
import type { CallContext, Caller } from '../subgraphs/server/caller';
import { askSubgraph } from '../subgraphs/server/service-question';
import type { SubgraphLink } from '../subgraphs/server/subgraph-link';
import { admittedCustomer, isCustomerToken } from './customers';
import type { RequestOrigin } from './request-origin';

/** Who asks: the context for resolvers, and why a token that was sent is not accepted (the caller is null then). */
export interface Identified {
  readonly context: CallContext;
  readonly fault?: RegisterError;
  /** When the account's token expires, by the register's clock. */
  readonly expiresAt?: Date;
}

/** Finds out, once per request, who asks. */
export interface Authentication {
  identify(origin: RequestOrigin): Identified | Promise<Identified>;
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

/** Who knows of callers: the keys of bearer tokens, `access` of accounts, `identity` of customers' sessions. */
export interface CallerSources {
  readonly verifier: TokenVerifier;
  readonly access: SubgraphLink;
  readonly identity: SubgraphLink;
}

/**
 * Bearer token, then the account's admission (2-decisions-a-b.md, section 2): a suspended or terminated account is refused
 * at once, also with an unexpired token. The role is the account's present one. A customer's token is that of a session (section 9).
 */
export function authentication(sources: CallerSources): Authentication {
  return {
    identify(origin) {
      if (origin.authorization === undefined) return { context: anonymous(origin) };
      return identifyBearer(origin.authorization, origin, sources);
    },
  };
}

async function identifyBearer(
  authorization: string,
  origin: RequestOrigin,
  { verifier, access, identity }: CallerSources,
): Promise<Identified> {
  const context = anonymous(origin);
  try {
    const bearer = BEARER.exec(authorization)?.[1];
    if (bearer === undefined) throw new RegisterError('AUT001');
    if (isCustomerToken(bearer)) {
      return { context: { ...context, caller: await admittedCustomer(bearer, identity, context), bearer } };
    }
    const claims = await verifier.verify(bearer);
    const caller = await admitted(claims, access, context);
    return { context: { ...context, caller, bearer }, expiresAt: claims.expiresAt };
  } catch (error) {
    if (error instanceof RegisterError) return { context, fault: error };
    throw error;
  }
}

function anonymous({ transactionId, clientAddress }: RequestOrigin): CallContext {
  return { caller: null, service: null, transactionId, clientAddress };
}

async function admitted(
  { accountId, expiresAt }: TokenClaims,
  access: SubgraphLink,
  context: CallContext,
): Promise<Caller> {
  type Answer = { readonly admission: Admission | null };
  const { admission } = await askSubgraph<Answer>(access, 'gateway', ADMISSION, { accountId }, context);
  if (!admission || admission.status.toUpperCase() !== 'ACTIVE') throw new RegisterError('AUT001');
  if (expiresAt.getTime() <= Date.parse(admission.now)) throw new RegisterError('AUT002');
  if (!admission.allowed) throw new RegisterError('LIM002', undefined, { retryAfter: admission.retryAfter ?? 1 });
  const { role, duid, mpid } = admission;
  return { accountId, role: role.toLowerCase() as Role, duid, mpid };
}
