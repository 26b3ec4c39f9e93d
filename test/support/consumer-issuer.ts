import { type IssuerKey, newIssuerKey, startTokenIssuer } from './token-issuer';

/** Claims of an access token beside or instead of the usual ones; one that is null is left out. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** The authorisation server of a supplier, as far as the register looks at it: what it publishes of itself, and its tokens. */
export interface ConsumerIssuer {
  readonly issuer: string;
  readonly audience: string;
  /** An access token for an hour, with every scope. */
  token(claims: TokenClaims): Promise<string>;
  /** The same, signed by a key that the issuer does not publish, under the name of one that it does. */
  forged(claims: TokenClaims): Promise<string>;
  close(): Promise<void>;
}

const HOUR = 3_600;

/** Starts an issuer on a free port: OpenID discovery and a key set; whoever holds it gets any token. */
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
