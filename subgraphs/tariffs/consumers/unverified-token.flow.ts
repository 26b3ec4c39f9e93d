import { type JWTPayload, decodeJwt, decodeProtectedHeader } from 'jose';
import type { ConsumerClaims } from '../../../schema/consumer-claims';
import { RTI_USER_ID_PATTERN } from '../../../schema/identifiers';
import { MPXN_PROFILE, mpxnViolation } from '../../../schema/mpxn';
import { RegisterError } from '../../../schema/register-error';

/** The claims of a supplier's token, verified or not (decisions C/D, D.1; RFC 9068). */
export interface ConsumerToken extends ConsumerClaims {
  /** `aud`: one or several. */
  readonly audiences: readonly string[];
  /** `exp` */
  readonly expiresAt: Date;
  /** `nbf`; null if absent. */
  readonly notBefore: Date | null;
}

/** Characters of a token; longer ones are rejected without decoding. */
const MAX_TOKEN_LENGTH = 16_384;
/** Characters of `sub` (OpenID Connect Core, section 2). */
const MAX_SUBJECT_LENGTH = 255;
/** Characters of an issuer or an audience. */
const MAX_ISSUER_LENGTH = 2_048;
const MAX_AUDIENCES = 20;
/** The last instant that a `Date` represents, in seconds since 1970. */
const MAX_NUMERIC_DATE = 8_640_000_000_000;

/**
 * Values of `typ` in access tokens: `at+jwt` (RFC 9068), and `JWT` from older providers. An ID token may have the type `JWT`; the checks of
 * audience and claims reject it.
 */
const TOKEN_TYPES: ReadonlySet<string> = new Set(['at+jwt', 'jwt']);

/** Decodes a token without verifying its signature. AUT001 unless it has the form of a supplier's token. */
export function unverifiedToken(token: string): ConsumerToken {
  const { header, payload } = decoded(token);
  const type = header['typ'];
  if (type !== undefined && !(typeof type === 'string' && TOKEN_TYPES.has(withoutMediaTypePrefix(type)))) reject();
  return consumerTokenOf(payload);
}

function decoded(token: string): { readonly header: Record<string, unknown>; readonly payload: JWTPayload } {
  if (token.length > MAX_TOKEN_LENGTH) reject();
  try {
    return { header: decodeProtectedHeader(token) as Record<string, unknown>, payload: decodeJwt(token) };
  } catch {
    return reject();
  }
}

/** Removes the prefix `application/`, which a token may omit (RFC 7515, section 4.1.9). */
function withoutMediaTypePrefix(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}

/** Validates the claims of a token. AUT001 if one is missing or malformed. */
function consumerTokenOf(payload: JWTPayload): ConsumerToken {
  const { iss, sub, aud, exp, nbf, iat, client_id: userId, scope, mpxn } = payload;
  if (typeof userId !== 'string' || !RTI_USER_ID_PATTERN.test(userId)) reject();
  if (typeof scope !== 'string') reject();
  const scopes = scope.split(' ').filter((name) => name !== '');
  return {
    issuer: textOf(iss, MAX_ISSUER_LENGTH),
    audiences: audiencesOf(aud),
    subject: textOf(sub, MAX_SUBJECT_LENGTH),
    userId,
    scopes,
    mpxns: meterPointsOf(mpxn),
    issuedAt: instantOf(iat),
    expiresAt: instantOf(exp),
    notBefore: nbf === undefined ? null : instantOf(nbf),
  };
}

/** Reads `mpxn`: a meter point, or a list. It is absent or empty for a consumer without a current meter point. */
function meterPointsOf(claim: unknown): readonly string[] {
  if (claim === undefined) return [];
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const mpxns = values.map((mpxn) =>
    typeof mpxn === 'string' && mpxnViolation(mpxn, MPXN_PROFILE) === undefined ? mpxn : reject(),
  );
  return [...new Set(mpxns)];
}

function audiencesOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  if (values.length > MAX_AUDIENCES) reject();
  return values.map((audience) => textOf(audience, MAX_ISSUER_LENGTH));
}

/** Reads a non-empty text that PostgreSQL can store. */
function textOf(claim: unknown, maxLength: number): string {
  if (typeof claim !== 'string' || claim === '' || claim.length > maxLength || /[\0\ud800-\udfff]/u.test(claim))
    reject();
  return claim;
}

/** Reads seconds since 1970 (RFC 7519, NumericDate). */
function instantOf(claim: unknown): Date {
  if (typeof claim !== 'number' || !(claim >= 0 && claim <= MAX_NUMERIC_DATE)) reject();
  return new Date(claim * 1000);
}

function reject(): never {
  throw new RegisterError('AUT001');
}
