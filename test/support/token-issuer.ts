import type { KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWK, type JWTHeaderParameters, SignJWT, exportJWK } from 'jose';
import { keyPair } from './key-pair';

/** A key pair of an issuer. */
export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  /** The public key, in the form of a key set. */
  readonly jwk: JWK;
}

/** Faults of an issuer; none by default. */
export interface Misbehaviour {
  /** Status of every response. */
  status?: number;
  /** Target of a redirect of requests for the key set. */
  redirectTo?: string;
  /** It accepts requests and never responds. */
  silent?: boolean;
  /** Issuer name in its metadata, instead of its own. */
  namesItself?: string;
  /** Body of every response, instead of JSON. */
  text?: string;
}

/** A running issuer of tokens with a key set over HTTP. */
export interface TokenIssuer {
  readonly issuer: string;
  /** Its published keys; tests can add and remove keys. */
  readonly keys: IssuerKey[];
  /** Paths of the requests, in order. */
  readonly requests: string[];
  readonly misbehaviour: Misbehaviour;
  /** Returns a token with these claims, by default signed by the first published key. */
  token(
    claims: Readonly<Record<string, unknown>>,
    header?: Partial<JWTHeaderParameters>,
    key?: IssuerKey,
  ): Promise<string>;
  close(): Promise<void>;
}

let made = 0;

/** Creates an unpublished key pair. */
export async function newIssuerKey(alg = 'ES256', kid = `key-${++made}`): Promise<IssuerKey> {
  const { privateKey, publicKey } = keyPair(alg);
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Starts an issuer with a key. */
export async function startTokenIssuer(alg?: string): Promise<TokenIssuer> {
  const keys = [await newIssuerKey(alg)];
  const requests: string[] = [];
  const misbehaviour: Misbehaviour = {};
  const server = createServer(({ url = '/' }, response) => {
    requests.push(url);
    const { status = 200, redirectTo, silent, namesItself = issuer, text } = misbehaviour;
    if (silent) return;
    if (redirectTo !== undefined && url === '/keys') {
      response.writeHead(302, { location: redirectTo }).end();
      return;
    }
    const metadata = { issuer: namesItself, jwks_uri: `${issuer}/keys` };
    const body = url === '/keys' ? { keys: keys.map(({ jwk }) => jwk) } : metadata;
    response.writeHead(status, { 'content-type': 'application/json' }).end(text ?? JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    keys,
    requests,
    misbehaviour,
    token: (claims, header = {}, key = keys[0] as IssuerKey) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
        .sign(key.privateKey),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
