import { createHash } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { ConsumerClaims } from '../../../schema/consumer-claims';
import { RegisterError } from '../../../schema/register-error';
import { isTokenFault } from '../../server/bearer-token';
import type { Caller } from '../../server/caller';
import type { ConsumerStanding, ConsumerStandingRepository } from './consumer-standing.repository';
import { type IssuerKeys, faultOf } from './issuer-keys';
import { type ConsumerToken, unverifiedToken } from './unverified-token';

/** Verifies the tokens that suppliers issue to RTI Users for their consumers (3-decisions-c-d.md, D.1). */
export interface ConsumerTokens {
  /**
   * Whom a token lets in at this instant. AUT001 when it is forged or malformed, or names a supplier or an RTI User that there is not
   * or a supplier that is not active; AUT002 when it has expired; RTI001 when the RTI User is not active; SYS002 when the issuer's keys
   * cannot be had.
   */
  admitted(token: string): Promise<AdmittedConsumer>;
  /** The caller of a token that another process has admitted just now: verified here, too, and not looked up again if it was before. */
  caller(token: string): Promise<Caller>;
}

/** For whom a token lets an RTI User in, and at which supplier. */
export interface AdmittedConsumer extends ConsumerClaims {
  /** The supplier that issued the token. */
  readonly mpid: string;
}

/** A token whose signature was verified. */
interface Verified {
  readonly token: ConsumerToken;
  /** The supplier that it named when it was admitted last: an issuer may have become another supplier's since. */
  mpid: string;
}

/** Signatures of asymmetric keys only: a public key is nobody's secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const REMEMBERED_TOKENS = 10_000;
/**
 * Milliseconds for which a verified token is remembered, from when it was verified: a key that its issuer withdrew counts no more after the
 * five minutes for which key sets are believed and this one.
 */
const REMEMBERED_FOR = 60_000;
/** Milliseconds by which the clock of an issuer may be ahead. */
const CLOCK_SKEW = 60_000;

/** Verifying costs 150 µs: a verified token is remembered by its hash. Everything that changes is asked for every request. */
export function consumerTokens(
  standings: Pick<ConsumerStandingRepository, 'of'>,
  keys: Pick<IssuerKeys, 'of'>,
  logger: Pick<Logger, 'warn'>,
): ConsumerTokens {
  const remembered = new LRUCache<string, Verified>({ max: REMEMBERED_TOKENS, ttl: REMEMBERED_FOR });
  const admitted = async (token: string): Promise<AdmittedConsumer> => {
    const hash = hashOf(token);
    const known = remembered.get(hash);
    const said = known?.token ?? unverifiedToken(token);
    const standing = await standings.of(said);
    if (standing?.supplierStatus !== 'active') throw new RegisterError('AUT001');
    const { mpid } = standing;
    if (known) known.mpid = mpid;
    else {
      await verify(token, { ...said, audience: standing.audience }, keys, logger);
      remembered.set(hash, { token: said, mpid });
    }
    refuseUntimely(said, standing);
    return { ...claimsOf(said), mpid };
  };
  return {
    admitted,
    async caller(token) {
      const known = remembered.get(hashOf(token));
      const { mpid, ...consumer } = known ? { ...claimsOf(known.token), mpid: known.mpid } : await admitted(token);
      return { accountId: consumer.userId, role: 'consumer', duid: null, mpid, consumer };
    },
  };
}

/**
 * Verifies signature, issuer and audience; times are looked at by the register's clock. SYS002 when that failed for a reason that says
 * nothing of the token.
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
    if (isTokenFault(error)) throw new RegisterError('AUT001');
    logger.warn({ issuer, fault: faultOf(error) }, 'the token of an issuer could not be verified');
    throw new RegisterError('SYS002');
  }
}

function refuseUntimely({ expiresAt, notBefore }: ConsumerToken, { userStatus, now }: ConsumerStanding): void {
  if (userStatus === null) throw new RegisterError('AUT001');
  if (notBefore !== null && notBefore.getTime() > now.getTime() + CLOCK_SKEW) throw new RegisterError('AUT001');
  if (expiresAt.getTime() <= now.getTime()) throw new RegisterError('AUT002');
  if (userStatus !== 'active') throw new RegisterError('RTI001');
}

function claimsOf({ issuer, subject, userId, mpxns, scopes }: ConsumerToken): ConsumerClaims {
  return { issuer, subject, userId, mpxns, scopes };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
