import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, type JWK, type JWTHeaderParameters, SignJWT, exportJWK, generateKeyPair } from 'jose';

/** A key pair of an issuer. */
export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  /** The public half, as key sets list it. */
  readonly jwk: JWK;
}

/** How an issuer misbehaves; nothing of it unless it is set. */
export interface Misbehaviour {
  /** Of every answer. */
  status?: number;
  /** Where it sends whoever asks for its key set. */
  redirectTo?: string;
  /** It takes questions and never answers. */
  silent?: boolean;
  /** Instead of its own name in what it tells of itself. */
  namesItself?: string;
  /** Instead of the JSON of every answer. */
  text?: string;
}

/** An issuer of tokens with a key set over HTTP, running. */
export interface TokenIssuer {
  readonly issuer: string;
  /** The keys that it publishes; what is put here is published. */
  readonly keys: IssuerKey[];
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  readonly misbehaviour: Misbehaviour;
  /** A token of these claims, signed by a key: the first that is published, unless another is given. */
  token(
    claims: Readonly<Record<string, unknown>>,
    header?: Partial<JWTHeaderParameters>,
    key?: IssuerKey,
  ): Promise<string>;
  close(): Promise<void>;
}

let made = 0;

/** A new key pair, which nobody publishes yet. */
export async function newIssuerKey(alg = 'ES256', kid = `key-${++made}`): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Starts an issuer with a key. */
export async function startTokenIssuer(alg?: string): Promise<TokenIssuer> {
  const keys = [await newIssuerKey(alg)];
  const asked: string[] = [];
  const misbehaviour: Misbehaviour = {};
  const server = createServer(({ url = '/' }, response) => {
    asked.push(url);
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
    asked,
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
