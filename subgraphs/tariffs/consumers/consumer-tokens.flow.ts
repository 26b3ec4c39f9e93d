import { createHash } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type ConsumerClaims, MAX_CLOCK_SKEW_MS } from '../../../schema/consumer-claims';
import { RegisterError } from '../../../schema/register-error';
import { isInvalidToken } from '../../server/callers/bearer-token';
import { type CallContext, type Caller, callerOf } from '../../server/callers/caller';
import type { ConsumerStatus, ConsumerStatusQueries } from './consumer-status.queries';
import { type IssuerKeys, errorCodeOf } from './issuer-keys.client';
import { type ConsumerToken, unverifiedToken } from './unverified-token.flow';

/** Verifies the tokens that suppliers issue to RTI Users for consumers (decisions C/D, D.1). */
export interface ConsumerTokens {
  /**
   * Verifies a token and returns its consumer. AUT001 if it is forged or malformed, if its supplier or RTI User is unregistered, or if the
   * supplier is removed; AUT002 if it has expired; RTI001 if the RTI User is removed; SYS002 if the issuer's keys are unavailable.
   */
  verified(token: string): Promise<VerifiedConsumer>;
  /**
   * Returns the caller of a token that another process has just admitted, which decided about inactive parties: verifies the token, without
   * reading the database if it is cached.
   */
  caller(token: string): Promise<Caller>;
}

/** The claims of an admitted token, and its supplier. */
interface AdmittedConsumer extends ConsumerClaims {
  /** The supplier that issued the token. */
  readonly mpid: string;
}

/** The consumer of a verified token. */
export interface VerifiedConsumer extends AdmittedConsumer {
  /**
   * The error of all operations except those for inactive consumers: AUT001 if the supplier is suspended or disabled, RTI001 if the RTI User
   * is; null if both are active.
   */
  readonly inactive: 'AUT001' | 'RTI001' | null;
}

/** A token whose signature is verified. */
interface VerifiedToken {
  readonly token: ConsumerToken;
  /** The supplier at the last admission; an admin may move an issuer to another supplier. */
  mpid: string;
}

/** Asymmetric algorithms only: with a symmetric one the published key could sign tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const TOKEN_CACHE_SIZE = 10_000;
/**
 * Lifetime of a cached token from its verification. A withdrawn key is effective for at most this time and that of the key set cache: six
 * minutes.
 */
const TOKEN_CACHE_TTL_MS = 60_000;

/** Caches verified tokens by hash, because verification costs 150 µs. Reads the statuses of supplier and RTI User for every request. */
export function consumerTokens(
  statuses: Pick<ConsumerStatusQueries, 'of'>,
  keys: Pick<IssuerKeys, 'of'>,
  logger: Pick<Logger, 'warn'>,
): ConsumerTokens {
  const cache = new LRUCache<string, VerifiedToken>({ max: TOKEN_CACHE_SIZE, ttl: TOKEN_CACHE_TTL_MS });
  const verified = async (token: string): Promise<VerifiedConsumer> => {
    const hash = hashOf(token);
    const cached = cache.get(hash);
    const claims = cached?.token ?? unverifiedToken(token);
    const status = await statuses.of(claims);
    if (status === undefined) throw new RegisterError('AUT001');
    const { mpid } = status;
    if (cached) cached.mpid = mpid;
    else {
      await verify(token, { ...claims, audience: status.audience }, keys, logger);
      cache.set(hash, { token: claims, mpid });
    }
    requireCurrent(claims, status);
    return { ...claimsOf(claims), mpid, inactive: inactivityOf(status) };
  };
  return {
    verified,
    async caller(token) {
      const cached = cache.get(hashOf(token));
      const { mpid, ...claims } = cached ? { ...cached.token, mpid: cached.mpid } : await verified(token);
      return { accountId: claims.userId, role: 'consumer', duid: null, mpid, consumer: claimsOf(claims) };
    },
  };
}

/**
 * Verifies signature, issuer and audience, but not the times, which the register's clock decides. AUT001 if the token is invalid, SYS002 if
 * verification fails for another reason.
 */
async function verify(
  token: string,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
  keys: Pick<IssuerKeys, 'of'>,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  try {
    await jwtVerify(token, keys.of(issuer), {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      clockTolerance: Number.MAX_SAFE_INTEGER,
    });
  } catch (error) {
    if (error instanceof RegisterError) throw error;
    if (isInvalidToken(error)) throw new RegisterError('AUT001');
    logger.warn({ issuer, fault: errorCodeOf(error) }, 'token verification failed');
    throw new RegisterError('SYS002');
  }
}

/** Checks validity by the register's clock, and that the RTI User is registered. */
function requireCurrent({ issuedAt, expiresAt, notBefore }: ConsumerToken, { userStatus, now }: ConsumerStatus): void {
  if (userStatus === null) throw new RegisterError('AUT001');
  const startsAt = Math.max(issuedAt.getTime(), notBefore?.getTime() ?? 0);
  if (startsAt > now.getTime() + MAX_CLOCK_SKEW_MS) throw new RegisterError('AUT001');
  if (expiresAt.getTime() <= now.getTime()) throw new RegisterError('AUT002');
  if (userStatus === 'removed') throw new RegisterError('RTI001');
}

/** Only active parties obtain consumer data (decisions C/D, D.2); a consumer withdraws consent whatever their status. */
function inactivityOf({ supplierStatus, userStatus }: ConsumerStatus): VerifiedConsumer['inactive'] {
  if (supplierStatus !== 'active') return 'AUT001';
  return userStatus === 'active' ? null : 'RTI001';
}

function claimsOf({ issuer, subject, userId, mpxns, scopes, issuedAt }: ConsumerClaims): ConsumerClaims {
  return { issuer, subject, userId, mpxns, scopes, issuedAt };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

/** Returns the consumer of a caller with the token of a supplier; PRM001 for other callers. `MayCall` checks the scope. */
export function consumerOf(context: CallContext): AdmittedConsumer {
  const { consumer, mpid } = callerOf(context);
  if (!consumer || mpid === null) throw new RegisterError('PRM001');
  return { ...consumer, mpid };
}

/** Returns the consumer as {@link consumerOf}, for operations about meter points. AUT001 if the token names none. */
export function consumerWithMeterPoints(context: CallContext): AdmittedConsumer {
  const consumer = consumerOf(context);
  if (consumer.mpxns.length === 0) throw new RegisterError('AUT001', 'The token names no meter point.');
  return consumer;
}
