import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, type JWTPayload, SignJWT, exportJWK, generateKeyPair } from 'jose';

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

const ALGORITHM = 'ES256';
const KEY_ID = 'one';
const HOUR = 3_600;

/** Starts an issuer on a free port: OpenID discovery and a key set; whoever holds it gets any token. */
export async function startConsumerIssuer(audience: string): Promise<ConsumerIssuer> {
  const [published, other] = await Promise.all([generateKeyPair(ALGORITHM), generateKeyPair(ALGORITHM)]);
  const keys = [{ ...(await exportJWK(published.publicKey)), kid: KEY_ID, alg: ALGORITHM }];
  const server = createServer(({ url }, response) => {
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/jwks` },
      '/jwks': { keys },
    };
    const document = documents[url ?? ''];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const signed = (claims: TokenClaims, key: CryptoKey) =>
    new SignJWT(claimsWith(claims, issuer, audience))
      .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID, typ: 'at+jwt' })
      .sign(key);
  return {
    issuer,
    audience,
    token: (claims) => signed(claims, published.privateKey),
    forged: (claims) => signed(claims, other.privateKey),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function claimsWith(claims: TokenClaims, issuer: string, audience: string): JWTPayload {
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
