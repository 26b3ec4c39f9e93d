import { CLOCK_TOLERANCE_MS } from '../database/register-clock';
import { createHash, randomUUID } from 'node:crypto';
import {
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  SignJWT,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  importJWK,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { isDateTime } from '../../../schema/date-time';
import { RegisterError } from '../../../schema/register-error';
import { ACCOUNT_ROLES, type AccountRole } from '../../../schema/roles';
import { isWellFormed } from '../../../schema/well-formed-text';
import type { ServiceFetch } from '../link/service-requests';
import type { Caller } from './caller';

/** Lifetime of a bearer token in seconds (specification, Limits). */
export const BEARER_TOKEN_LIFETIME = 7200;

const ALGORITHM = 'EdDSA';
const TOKEN_TYPE = 'at+jwt';
const AUDIENCE = 'central-data-access-register';
const TOKEN_CACHE_SIZE = 10_000;
/** Well below the ten seconds within which every request receives a response. */
const KEY_SET_TIMEOUT_MS = 3_000;

/** Claims of a bearer token: the account, and the validity by the register's clock. */
export interface TokenClaims extends Caller {
  readonly validFrom: Date;
  readonly expiresAt: Date;
  /** Series of the account's tokens at the sign-in; null before their first revocation. */
  readonly series: string | null;
}

/** Instants between which a token is valid, by the register's clock. */
type Validity = Pick<TokenClaims, 'validFrom' | 'expiresAt'>;

/** Returns why claims are not valid at `now` (register's clock): AUT001 before `validFrom`, AUT002 from `expiresAt`. */
export function validityError({ validFrom, expiresAt }: Validity, now: number): 'AUT001' | 'AUT002' | undefined {
  if (validFrom.getTime() > now + CLOCK_TOLERANCE_MS) return 'AUT001';
  return expiresAt.getTime() <= now ? 'AUT002' : undefined;
}

/** Throws the {@link validityError} of claims. */
export function requireCurrent(validity: Validity, now: number): void {
  const code = validityError(validity, now);
  if (code) throw new RegisterError(code);
}

/** Thrown for a token that names another issuer. Becomes AUT001 unless a subgraph accepts that issuer. */
export class ForeignToken extends RegisterError {
  constructor() {
    super('AUT001');
  }
}

/**
 * Verifies the form, signature, issuer and audience of bearer tokens. Throws AUT001 for an invalid token, {@link
 * ForeignToken} for one that names another issuer, SYS002 if the key set is unavailable.
 */
export interface TokenVerifier {
  verify(token: string): Promise<TokenClaims>;
}

/** Private signing keys. The first one signs and all verify, so a key can be replaced without downtime. */
export interface SigningKeys {
  readonly issuer: string;
  readonly keys: readonly JWK[];
}

/** Returns the public keys, as `/.well-known/jwks.json` serves them. */
export function publicKeys({ keys }: SigningKeys): { keys: JWK[] } {
  return { keys: keys.map(({ kty, crv, x, kid }) => ({ kty, crv, x, kid, alg: ALGORITHM, use: 'sig' }) as JWK) };
}

/**
 * Issues a bearer token for an account, valid from `now` for {@link BEARER_TOKEN_LIFETIME} seconds, while the account has this series.
 */
export async function issueBearerToken(
  signing: SigningKeys,
  { duid, role, mpid, accountId }: Caller,
  now: Date,
  series: string | null = null,
): Promise<string> {
  const [key] = signing.keys;
  if (!key) throw new Error('no signing key');
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({ duid, role, ...(mpid === null ? {} : { mpid }), ...(series === null ? {} : { series }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE, ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .setIssuer(signing.issuer)
    .setAudience(AUDIENCE)
    .setSubject(accountId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + BEARER_TOKEN_LIFETIME)
    .setJti(randomUUID())
    .sign(await importJWK(key, ALGORITHM));
}

/** Returns the series of a verified bearer token; null before the first revocation, and without a token. */
export function seriesOf(bearer: string | undefined): string | null {
  return bearer === undefined ? null : seriesIn(decodeJwt(bearer));
}

const seriesIn = ({ series }: JWTPayload): string | null => (typeof series === 'string' ? series : null);

/** Returns a verifier for the process that holds the signing keys. */
export function localVerifier(signing: SigningKeys): TokenVerifier {
  return cachingVerifier(createLocalJWKSet(publicKeys(signing)), signing.issuer);
}

/** Returns a verifier for other processes. Fetches the key set of `access`, and again for an unknown key id. */
export function remoteVerifier(jwksUrl: string, issuer: string, get: ServiceFetch): TokenVerifier {
  const options = { timeoutDuration: KEY_SET_TIMEOUT_MS, [customFetch]: get };
  return cachingVerifier(createRemoteJWKSet(new URL(jwksUrl), options), issuer);
}

/** Caches verified tokens by hash, because verification costs 190 µs. Callers check the expiry at every request. */
function cachingVerifier(keys: JWTVerifyGetKey, issuer: string): TokenVerifier {
  const cache = new LRUCache<string, TokenClaims>({ max: TOKEN_CACHE_SIZE });
  return {
    async verify(token) {
      const hash = createHash('sha256').update(token).digest('base64');
      const cached = cache.get(hash);
      if (cached) return cached;
      if (isForeign(token, issuer)) throw new ForeignToken();
      const claims = await verified(token, keys, issuer);
      cache.set(hash, claims);
      return claims;
    },
  };
}

/** Returns true if a token names another issuer. Checked before any verification, so it proves nothing. */
function isForeign(token: string, issuer: string): boolean {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' && iss !== issuer;
  } catch {
    return false; // not a JWT: verification rejects it
  }
}

async function verified(token: string, keys: JWTVerifyGetKey, issuer: string): Promise<TokenClaims> {
  if (!isCanonical(token)) throw new RegisterError('AUT001');
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: [ALGORITHM],
      typ: TOKEN_TYPE,
      issuer,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp', 'iat', 'jti'],
      clockTolerance: Number.MAX_SAFE_INTEGER,
    });
    return claimsOf(payload);
  } catch (error) {
    if (error instanceof RegisterError) throw error;
    throw new RegisterError(isInvalidToken(error) ? 'AUT001' : 'SYS002');
  }
}

/**
 * Returns false for a signature in non-canonical base64url, which jose accepts; the cache must hold one form of each
 * token.
 */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/**
 * Returns true if a jose error means that the token, or the key that it names, is invalid; false if the key set is
 * unavailable.
 */
export function isInvalidToken(error: unknown): boolean {
  return INVALID_TOKEN_CODE.test(String((error as { code?: unknown }).code));
}

const INVALID_TOKEN_CODE = /^ERR_(JW[ST]_|JOSE_(ALG_NOT_ALLOWED|NOT_SUPPORTED)$|JWKS_(NO|MULTIPLE)_MATCHING_KEYS?$)/;

/**
 * Returns the claims; throws AUT001 for a signed token without a valid account, role and validity, or with a longer
 * lifetime than issued ones.
 */
function claimsOf(payload: JWTPayload): TokenClaims {
  const { sub, iat = NaN, nbf = iat, exp = NaN, duid, role, mpid } = payload;
  const [validFrom, expiresAt] = [new Date(Math.max(iat, nbf) * 1000), new Date(exp * 1000)];
  const isIssuedHere = typeof sub === 'string' && isWellFormed(sub) && exp - iat <= BEARER_TOKEN_LIFETIME;
  if (!isIssuedHere || !isDateTime(validFrom) || !isDateTime(expiresAt)) throw new RegisterError('AUT001');
  if (!ACCOUNT_ROLES.includes(role as AccountRole)) throw new RegisterError('AUT001');
  return {
    accountId: sub,
    role: role as AccountRole,
    duid: typeof duid === 'string' ? duid : null,
    mpid: typeof mpid === 'string' ? mpid : null,
    validFrom,
    expiresAt,
    series: seriesIn(payload),
  };
}
