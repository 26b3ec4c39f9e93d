import { Admission, SupplierAdmission } from '../../schema/generated/service-queries-to-access';
import { CustomerAdmission } from '../../schema/generated/service-queries-to-identity';
import { ConsumerAdmission } from '../../schema/generated/service-queries-to-tariffs';
import { isErrorCode } from '../../schema/error-catalogue';
import { CUSTOMER_TOKEN_PATTERN } from '../../schema/identifiers';
import { RegisterError } from '../../schema/register-error';
import type { Role } from '../../schema/roles';
import type { TokenClaims } from '../../subgraphs/server/callers/bearer-token';
import type { CallContext, Caller } from '../../subgraphs/server/callers/caller';
import { TOO_MANY_OF_ACCOUNT, rejectLimited } from '../../subgraphs/server/callers/rate-limits';
import { type QueriedSubgraph, querySubgraph } from '../../subgraphs/server/graph/service-query';

/** A caller with a valid token, and LIM002 if its account or session is over its request rate. */
interface AdmittedAccount {
  readonly caller: Caller;
  readonly excess: RegisterError | undefined;
}

/** Lets `access` check the token and count the request, for every request; tokens expire by the register's clock. */
export async function admittedAccount(
  { accountId, series, validFrom, expiresAt, isCounted }: TokenClaims & { readonly isCounted: boolean },
  access: QueriedSubgraph,
  context: CallContext,
): Promise<AdmittedAccount> {
  const token = { series, validFrom: validFrom.toISOString(), expiresAt: expiresAt.toISOString() };
  const variables = { accountId, token, isCounted };
  const { admission } = await querySubgraph(access.link, access.from, Admission, variables, context);
  if (!admission) throw new RegisterError('AUT001');
  const { role, duid, mpid, allowed, retryAfter } = admission;
  return {
    caller: { accountId, role: role.toLowerCase() as Role, duid, mpid },
    excess: allowed ? undefined : new RegisterError('LIM002', TOO_MANY_OF_ACCOUNT, { retryAfter: retryAfter ?? 1 }),
  };
}

/** A supplier authenticated by its API key. */
interface AdmittedSupplier {
  readonly caller: Caller;
  /** Public id of the key. Long-lived connections end when the key is replaced. */
  readonly keyId: string;
}

/**
 * Returns the supplier of an API key (`X-Supplier-API-Key`, decisions D.1), read from `access` for every request: a
 * replaced key, or the key of an account that is not active, is rejected at once (AUT003). `access` counts unknown keys
 * with the failed sign-ins of the client's network: LIM002 with the seconds to wait.
 */
export async function admittedSupplier(
  credential: { readonly key: string; readonly isCounted: boolean },
  access: QueriedSubgraph,
  context: CallContext,
): Promise<AdmittedSupplier> {
  const { supplierAdmission } = await querySubgraph(access.link, access.from, SupplierAdmission, credential, context);
  if (supplierAdmission === null) throw new RegisterError('AUT003');
  const { accountId, mpid, keyId, retryAfter } = supplierAdmission;
  rejectLimited(retryAfter, TOO_MANY_OF_ACCOUNT);
  return { caller: { accountId, role: 'supplier', duid: null, mpid }, keyId };
}

/**
 * Returns true if a bearer token has the form of a customer session token. The token is opaque; only `identity` can
 * resolve it.
 */
export function isCustomerToken(bearer: string): boolean {
  return bearer.startsWith('cst_') && CUSTOMER_TOKEN_PATTERN.test(bearer);
}

/**
 * Returns the customer of a session, read from `identity` for every request: an ended session is rejected at once
 * (AUT001). The excess is LIM002 if the session exceeds its requests per minute.
 */
export async function admittedCustomer(
  token: string,
  identity: QueriedSubgraph,
  context: CallContext,
): Promise<AdmittedAccount> {
  const { customerScope } = await querySubgraph(identity.link, identity.from, CustomerAdmission, { token }, context);
  if (customerScope === null) throw new RegisterError('AUT001');
  const { sessionId, retryAfter } = customerScope;
  return {
    caller: { accountId: sessionId, role: 'customer', duid: null, mpid: null },
    excess: retryAfter === null ? undefined : new RegisterError('LIM002', undefined, { retryAfter }),
  };
}

/** The caller of a supplier's token. */
interface IdentifiedConsumer {
  readonly caller: Caller;
  /** The error of all operations except those for inactive consumers, unless supplier and RTI User are active. */
  readonly inactive?: RegisterError;
}

/**
 * Returns the RTI User to whom a supplier issued the token, and the consumer for whom it acts (decisions D.1).
 * `tariffs` verifies the token and reads supplier and RTI User for every request. Throws AUT001, AUT002 if the token
 * has expired, RTI001 if the RTI User is removed, and SYS002 if the supplier's keys are unavailable.
 */
export async function identifiedConsumer(
  credential: { readonly token: string; readonly isCounted: boolean },
  tariffs: QueriedSubgraph,
  context: CallContext,
): Promise<IdentifiedConsumer> {
  const { consumerAdmission } = await querySubgraph(tariffs.link, tariffs.from, ConsumerAdmission, credential, context);
  const { mpid, retryAfter, inactive, issuedAt, ...claims } = consumerAdmission;
  rejectLimited(retryAfter, 'Too many requests of this RTI User at this supplier.');
  const consumer = { ...claims, issuedAt: new Date(issuedAt) };
  const caller: Caller = { accountId: consumer.userId, role: 'consumer', duid: null, mpid, consumer };
  if (inactive === null) return { caller };
  return { caller, inactive: new RegisterError(isErrorCode(inactive) ? inactive : 'AUT001') };
}
