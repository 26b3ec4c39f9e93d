import { type JWTPayload, decodeJwt, decodeProtectedHeader } from 'jose';
import type { ConsumerClaims } from '../../../schema/consumer-claims';
import { RTI_USER_ID_PATTERN } from '../../../schema/identifiers';
import { MPXN_PROFILE, mpxnFault } from '../../../schema/mpxn';
import { RegisterError } from '../../../schema/register-error';
import { concernsMeterPoints } from './consumer-scope';

/** What the token of a supplier says, before or after its signature was verified (3-decisions-c-d.md, D.1; RFC 9068). */
export interface ConsumerToken extends ConsumerClaims {
  /** `aud`, one or several. */
  readonly audiences: readonly string[];
  /** `exp` */
  readonly expiresAt: Date;
  /** `nbf`; null without one. */
  readonly notBefore: Date | null;
}

/** Characters of a token; longer ones are not looked at. */
const LONGEST_TOKEN = 16_384;
/** Characters of `sub` (OpenID Connect Core, section 2) and of other names. */
const LONGEST_NAME = 255;
/** Characters of an issuer's address. */
const LONGEST_ISSUER = 2_048;
/** Audiences of a token. */
const MOST_AUDIENCES = 20;
/** Seconds since 1970 that a `Date` can hold. */
const LATEST = 8_640_000_000_000;

/**
 * Types under which suppliers issue access tokens: that of RFC 9068, and those of providers from before it. An ID token has one of them,
 * too, but neither the audience nor the claims of these.
 */
const TOKEN_TYPES: ReadonlySet<string> = new Set(['at+jwt', 'jwt']);

/** Reads a token whose signature nobody has verified; AUT001 unless it has the form of one for the register. */
export function unverifiedToken(token: string): ConsumerToken {
  const { header, payload } = decoded(token);
  const type = header['typ'];
  if (type !== undefined && !(typeof type === 'string' && TOKEN_TYPES.has(withoutMedia(type)))) refused();
  return consumerTokenOf(payload);
}

function decoded(token: string): { readonly header: Record<string, unknown>; readonly payload: JWTPayload } {
  if (token.length > LONGEST_TOKEN) refused();
  try {
    return { header: decodeProtectedHeader(token) as Record<string, unknown>, payload: decodeJwt(token) };
  } catch {
    return refused();
  }
}

/** `application/` may be left out (RFC 7515, section 4.1.9). */
function withoutMedia(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}

/** The claims of a token, each in its form; AUT001 when one is missing or malformed. */
function consumerTokenOf(payload: JWTPayload): ConsumerToken {
  const { iss, sub, aud, exp, nbf, iat, client_id: userId, scope, mpxn } = payload;
  instant(iat);
  if (typeof userId !== 'string' || !RTI_USER_ID_PATTERN.test(userId)) refused();
  if (typeof scope !== 'string') refused();
  const scopes = scope.split(' ').filter((name) => name !== '');
  const mpxns = meterPointsOf(mpxn);
  if (mpxns.length === 0 && concernsMeterPoints(scopes)) refused();
  return {
    issuer: nameOf(iss, LONGEST_ISSUER),
    audiences: audiencesOf(aud),
    subject: nameOf(sub, LONGEST_NAME),
    userId,
    scopes,
    mpxns,
    expiresAt: instant(exp),
    notBefore: nbf === undefined ? null : instant(nbf),
  };
}

/** One meter point, or a list of them; a token that is about none of a consumer's may lack it. */
function meterPointsOf(claim: unknown): readonly string[] {
  if (claim === undefined) return [];
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const mpxns = named.map((mpxn) =>
    typeof mpxn === 'string' && mpxnFault(mpxn, MPXN_PROFILE) === undefined ? mpxn : refused(),
  );
  return [...new Set(mpxns)];
}

function audiencesOf(claim: unknown): readonly string[] {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  if (named.length > MOST_AUDIENCES) refused();
  return named.map((audience) => nameOf(audience, LONGEST_ISSUER));
}

/** A text that PostgreSQL can hold. */
function nameOf(claim: unknown, longest: number): string {
  if (typeof claim !== 'string' || claim === '' || claim.length > longest || /[\0\ud800-\udfff]/u.test(claim))
    refused();
  return claim;
}

/** Seconds since 1970 (RFC 7519, NumericDate). */
function instant(claim: unknown): Date {
  if (typeof claim !== 'number' || !(claim >= 0 && claim <= LATEST)) refused();
  return new Date(claim * 1000);
}

function refused(): never {
  throw new RegisterError('AUT001');
}
