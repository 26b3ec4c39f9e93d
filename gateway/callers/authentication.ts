import { RegisterError } from '../../schema/register-error';
import { ForeignToken, type TokenClaims, type TokenVerifier } from '../../subgraphs/server/callers/bearer-token';
import type { CallContext, ServiceName } from '../../subgraphs/server/callers/caller';
import type { SubgraphLink } from '../../subgraphs/server/graph/subgraph-link';
import type { RequestMetadata } from '../client/graph-client';
import { admittedAccount, admittedCustomer, admittedSupplier, identifiedConsumer, isCustomerToken } from './admission';

/**
 * Result of authentication: the context for resolvers, and the error of a rejected credential (the caller is then
 * null).
 */
export interface Identification {
  readonly context: CallContext;
  readonly error?: RegisterError;
  /** With an error: the context of a consumer whose supplier or RTI User is inactive, for operations that admit such. */
  readonly inactiveContext?: CallContext;
  /** With LIM002: the context of the account, for verification, which counts its lookups. */
  readonly limitedContext?: CallContext;
  /** With LIM002: the context of the customer, for the end of their session. */
  readonly limitedCustomer?: CallContext;
  /** Validity, by the register's clock, and series of the account's bearer token. */
  readonly token?: Pick<TokenClaims, 'validFrom' | 'expiresAt' | 'series'>;
  /** Id of the API key that authenticated the supplier. */
  readonly supplierKeyId?: string;
}

/** Identifies the caller, once per request. */
export interface Authentication {
  identify(metadata: RequestMetadata): Identification | Promise<Identification>;
}

const BEARER = /^Bearer +([^\s]+) *$/i;

/**
 * Sources of caller identity: bearer token keys, `access` for accounts, `identity` for customer sessions, `tariffs` for
 * consumers.
 */
export interface CallerSources {
  /** The service that identifies callers; it queries the other services under its own identity. */
  readonly service: ServiceName;
  readonly verifier: TokenVerifier;
  readonly access: SubgraphLink;
  /** Undefined in a service that cannot resolve customer sessions: customers then have no privileges there. */
  readonly identity: SubgraphLink | undefined;
  /** Undefined if no `tariffs` subgraph runs: then every token of another issuer is invalid. */
  readonly tariffs: SubgraphLink | undefined;
}

/**
 * Identifies a caller by one credential. A bearer token of the register is verified, then `access` admits its account
 * (decisions A/B, 2): a suspended or terminated account and a revoked token are rejected at once, and the account's current role applies. A customer
 * token belongs to a session (decisions A/B, 9). A token of another issuer is one that a supplier issued (decisions
 * D.1); suppliers themselves send an API key.
 */
export function authentication(sources: CallerSources): Authentication {
  return {
    identify(metadata) {
      const { authorization, supplierKey, isCounted = false } = metadata;
      const context = anonymous(metadata);
      if (supplierKey !== undefined) {
        if (authorization !== undefined) return { context, error: new RegisterError('AUT001', SEND_ONE) };
        return orError(context, identifySupplier(supplierKey, context, sources, isCounted));
      }
      if (authorization === undefined) return { context };
      return orError(context, identifyBearer(authorization, context, sources, isCounted));
    },
  };
}

/** Returns true if an `Authorization` header has the form of the token of a customer's session. */
export function isCustomerCredential(authorization: string | undefined): boolean {
  return isCustomerToken(BEARER.exec(authorization ?? '')?.[1] ?? '');
}

const SEND_ONE = 'Send one credential: a bearer token or an API key of a supplier.';

async function orError(context: CallContext, identifying: Promise<Identification>): Promise<Identification> {
  try {
    return await identifying;
  } catch (error) {
    if (error instanceof RegisterError) return { context, error };
    throw error;
  }
}

/** The gateway attests the caller (`vouched`), so that no subgraph receives the API key. */
async function identifySupplier(
  key: string,
  context: CallContext,
  { access, service }: CallerSources,
  isCounted: boolean,
): Promise<Identification> {
  const { caller, keyId } = await admittedSupplier({ key, isCounted }, { link: access, from: service }, context);
  return { context: { ...context, caller, vouched: true }, supplierKeyId: keyId };
}

async function identifyBearer(
  authorization: string,
  context: CallContext,
  { service: from, verifier, access, identity, tariffs }: CallerSources,
  isCounted: boolean,
): Promise<Identification> {
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer === undefined) throw new RegisterError('AUT001');
  if (isCustomerToken(bearer)) {
    if (identity === undefined) return { context };
    const { caller, excess } = await admittedCustomer(bearer, { link: identity, from }, context);
    const customerContext = { ...context, caller, bearer };
    return excess ? { context, error: excess, limitedCustomer: customerContext } : { context: customerContext };
  }
  try {
    const claims = await verifier.verify(bearer);
    const { caller, excess } = await admittedAccount({ ...claims, isCounted }, { link: access, from }, context);
    const accountContext = { ...context, caller, bearer };
    if (excess) return { context, error: excess, limitedContext: accountContext };
    return { context: accountContext, token: claims };
  } catch (error) {
    if (!(error instanceof ForeignToken) || !tariffs) throw error;
    const { caller, inactive } = await identifiedConsumer(
      { token: bearer, isCounted },
      { link: tariffs, from },
      context,
    );
    const consumerContext = { ...context, caller, bearer };
    return inactive ? { context, error: inactive, inactiveContext: consumerContext } : { context: consumerContext };
  }
}

/** Returns the context of a request without a caller. */
export function anonymous({ transactionId, clientAddress }: RequestMetadata): CallContext {
  return { caller: null, service: null, transactionId, clientAddress };
}
