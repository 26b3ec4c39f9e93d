import { type IssuerKey, newIssuerKey, startTokenIssuer } from './token-issuer';

/** Claims of an access token that are added to the usual ones or replace them; null removes a claim. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** The authorisation server of a supplier, with what the register reads of it: its metadata, and its tokens. */
export interface ConsumerIssuer {
  readonly issuer: string;
  readonly audience: string;
  /** Returns an access token that is valid for an hour, with every scope. */
  token(claims: TokenClaims): Promise<string>;
  /** Returns the same token, signed by an unpublished key under the `kid` of a published one. */
  forged(claims: TokenClaims): Promise<string>;
  close(): Promise<void>;
}

const HOUR = 3_600;

/** Starts an issuer on a free port: OpenID discovery and a key set. It issues any token that the test requests. */
export async function startConsumerIssuer(audience: string): Promise<ConsumerIssuer> {
  const [{ issuer, keys, token, close }, unpublished] = await Promise.all([startTokenIssuer(), newIssuerKey()]);
  const [{ kid }] = keys as [IssuerKey];
  const usual = (claims: TokenClaims) => claimsWith(claims, issuer, audience);
  return {
    issuer,
    audience,
    token: (claims) => token(usual(claims)),
    forged: (claims) => token(usual(claims), { kid }, unpublished),
    close,
  };
}

function claimsWith(claims: TokenClaims, issuer: string, audience: string): TokenClaims {
  const now = Math.floor(Date.now() / 1000);
  const usual = {
    iss: issuer,
    aud: audience,
    scope: 'tariff:read consent:write webhook:write',
    iat: now,
    exp: now + HOUR,
  };
  return Object.fromEntries(Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== null));
}
