import { createHash, randomUUID } from 'node:crypto';
import {
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  SignJWT,
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  importJWK,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { RegisterError } from '../../schema/register-error';
import { ACCOUNT_ROLES, type AccountRole } from '../../schema/roles';
import { isStorable } from '../../schema/storable-text';
import type { Caller } from './caller';

/** Lifetime of a bearer token in seconds (1-specification.md, Limits). */
export const BEARER_TOKEN_LIFETIME = 7200;

const ALGORITHM = 'EdDSA';
const TOKEN_TYPE = 'at+jwt';
const AUDIENCE = 'central-data-access-register';
const REMEMBERED_TOKENS = 10_000;
/** Milliseconds in which the key set must come, well below the ten seconds in which every request is answered. */
const KEY_SET_TIMEOUT = 3_000;

/** What a bearer token says: who it was issued to, from when and until when (the register's clock decides whether it is then). */
export interface TokenClaims extends Caller {
  readonly validFrom: Date;
  readonly expiresAt: Date;
}

/** Milliseconds by which the register's clock may have been set back since a token was issued: a standby database that took over. */
const CLOCK_TOLERANCE = 60_000;

/** Refuses claims that do not hold at an instant of the register's clock: AUT001 before their time, AUT002 after it. */
export function requireCurrent(
  { validFrom, expiresAt }: Pick<TokenClaims, 'validFrom' | 'expiresAt'>,
  now: number,
): void {
  // Dates beyond what a Date can hold are neither: both questions are asked so that they are refused.
  if (!(validFrom.getTime() <= now + CLOCK_TOLERANCE)) throw new RegisterError('AUT001');
  if (!(expiresAt.getTime() > now)) throw new RegisterError('AUT002');
}

/** A token that says of itself that it is another issuer's: AUT001, unless somebody knows that issuer. */
export class ForeignToken extends RegisterError {
  constructor() {
    super('AUT001');
  }
}

/**
 * Verifies the form, signature, issuer and audience of bearer tokens: AUT001 otherwise ({@link ForeignToken} when it names another
 * issuer), SYS002 when the keys cannot be had.
 */
export interface TokenVerifier {
  verify(token: string): Promise<TokenClaims>;
}

/** Private signing keys: the first signs, all of them verify, so that a key can be replaced without downtime. */
export interface SigningKeys {
  readonly issuer: string;
  readonly keys: readonly JWK[];
}

/** The public half, as served at `/.well-known/jwks.json`. */
export function publicKeys({ keys }: SigningKeys): { keys: JWK[] } {
  return { keys: keys.map(({ kty, crv, x, kid }) => ({ kty, crv, x, kid, alg: ALGORITHM, use: 'sig' }) as JWK) };
}

/** Issues the bearer token of an account, valid from `now` for 7200 seconds. */
export async function issueBearerToken(signing: SigningKeys, caller: Caller, now: Date): Promise<string> {
  const [key] = signing.keys;
  if (!key) throw new Error('no signing key');
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({ duid: caller.duid, role: caller.role, ...(caller.mpid === null ? {} : { mpid: caller.mpid }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE, ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .setIssuer(signing.issuer)
    .setAudience(AUDIENCE)
    .setSubject(caller.accountId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + BEARER_TOKEN_LIFETIME)
    .setJti(randomUUID())
    .sign(await importJWK(key, ALGORITHM));
}

/** A verifier in the process that holds the keys. */
export function localVerifier(signing: SigningKeys): TokenVerifier {
  return rememberingVerifier(createLocalJWKSet(publicKeys(signing)), signing.issuer);
}

/** A verifier in another process: asks the key set of `access`, again when a key id is unknown. */
export function remoteVerifier(jwksUrl: string, issuer: string): TokenVerifier {
  return rememberingVerifier(createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: KEY_SET_TIMEOUT }), issuer);
}

/** Verifying costs 190 µs: a verified token is remembered by its hash. Whether it has expired is asked for every request. */
function rememberingVerifier(keys: JWTVerifyGetKey, issuer: string): TokenVerifier {
  const remembered = new LRUCache<string, TokenClaims>({ max: REMEMBERED_TOKENS });
  return {
    async verify(token) {
      const hash = createHash('sha256').update(token).digest('base64');
      const known = remembered.get(hash);
      if (known) return known;
      if (isForeign(token, issuer)) throw new ForeignToken();
      const claims = await verified(token, keys, issuer);
      remembered.set(hash, claims);
      return claims;
    },
  };
}

/** Whether a token names another issuer; that proves nothing, and is asked before anything is verified. */
function isForeign(token: string, issuer: string): boolean {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' && iss !== issuer;
  } catch {
    return false; // no token at all: verifying says so
  }
}

async function verified(token: string, keys: JWTVerifyGetKey, issuer: string): Promise<TokenClaims> {
  if (!isWrittenAsIssued(token)) throw new RegisterError('AUT001');
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
    throw new RegisterError(isTokenFault(error) ? 'AUT001' : 'SYS002');
  }
}

/** Header and payload are signed as they are written; of a signature, base64 has several spellings that jose reads alike. */
function isWrittenAsIssued(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** Whether jose found a token at fault, or the key that it names; all else are faults of the key set's service. */
export function isTokenFault(error: unknown): boolean {
  return TOKEN_FAULT.test(String((error as { code?: unknown }).code));
}

/** Codes of jose for what is wrong with a token, or with the key that it names; all others are faults of the key set's service. */
const TOKEN_FAULT = /^ERR_(JW[ST]_|JOSE_(ALG_NOT_ALLOWED|NOT_SUPPORTED)$|JWKS_(NO|MULTIPLE)_MATCHING_KEYS?$)/;

/** A token of no account, or one that lives longer than those that are issued here, was not issued here, whoever signed it. */
function claimsOf({ sub, iat = NaN, nbf = iat, exp = NaN, duid, role, mpid }: JWTPayload): TokenClaims {
  const isIssuedHere = typeof sub === 'string' && isStorable(sub) && exp - iat <= BEARER_TOKEN_LIFETIME;
  if (!isIssuedHere || !ACCOUNT_ROLES.includes(role as AccountRole)) throw new RegisterError('AUT001');
  return {
    accountId: sub,
    role: role as AccountRole,
    duid: typeof duid === 'string' ? duid : null,
    mpid: typeof mpid === 'string' ? mpid : null,
    validFrom: new Date(Math.max(iat, nbf) * 1000),
    expiresAt: new Date(exp * 1000),
  };
}
