import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTPayload, SignJWT, exportJWK } from 'jose';
import { keyPair } from './key-pair';

/** Deviations of a false supplier's ID token and responses. */
export interface Forgery {
  /** Claims that are added to the correct ones or replace them. */
  readonly claims?: JWTPayload;
  readonly signedByAnother?: boolean;
  /** Milliseconds for which the token endpoint does not respond. */
  readonly late?: number;
  /** The token endpoint does not respond before it resolves. */
  readonly after?: Promise<void>;
  /** Status of the token endpoint, instead of a token. */
  readonly status?: number;
  /** Characters by which the token response is longer than necessary. */
  readonly padding?: number;
}

/** A running OpenID provider whose responses the test decides. */
export interface Forger {
  readonly issuer: string;
  /** Characters by which documents at a path are longer than necessary. */
  readonly padding: Map<string, number>;
  /** Authorization codes that the token endpoint received. */
  readonly codes: readonly string[];
  /**
   * Returns the response to the authorization request, without a login page; `forgery` is the token response for its
   * code.
   */
  respondTo(authorizationUrl: string, forgery: Forgery): string;
  close(): Promise<void>;
}

/** Starts the false OpenID provider. */
export async function startForger(): Promise<Forger> {
  const [published, other] = [keyPair('RS256'), keyPair('RS256')];
  const promised = new Map<string, { readonly forgery: Forgery; readonly nonce: string; readonly client: string }>();
  const padding: Forger['padding'] = new Map();
  const codes: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', issuer).pathname;
    const respond = (status: number, body: object, extra = padding.get(path) ?? 0) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ...body, padding: 'x'.repeat(extra) }));
    const tokens = async (code: string) => {
      codes.push(code);
      const { forgery, nonce, client } = promised.get(code) ?? { forgery: {}, nonce: '', client: '' };
      if (forgery.late !== undefined) await new Promise((resolve) => void setTimeout(resolve, forgery.late).unref());
      await forgery.after;
      if (forgery.status !== undefined) return respond(forgery.status, { error: 'server_error' });
      const idToken = await new SignJWT({ nonce, ...forgery.claims })
        .setProtectedHeader({ alg: 'RS256' })
        .setIssuer(forgery.claims?.iss ?? issuer)
        .setAudience(forgery.claims?.aud ?? client)
        .setSubject('somebody')
        .setIssuedAt()
        .setExpirationTime(forgery.claims?.exp ?? '5 min')
        .sign((forgery.signedByAnother ? other : published).privateKey);
      return respond(200, { access_token: 'x', token_type: 'Bearer', id_token: idToken }, forgery.padding);
    };
    if (path === '/.well-known/openid-configuration') return void respond(200, metadata(issuer));
    if (path === '/jwks')
      return void exportJWK(published.publicKey).then((key) => respond(200, { keys: [{ ...key, alg: 'RS256' }] }));
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => void tokens(new URLSearchParams(body).get('code') ?? ''));
  });
  await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    padding,
    codes,
    respondTo(authorizationUrl, forgery) {
      const parameters = new URL(authorizationUrl).searchParams;
      const code = `code-${promised.size}`;
      promised.set(code, { forgery, nonce: parameters.get('nonce') ?? '', client: parameters.get('client_id') ?? '' });
      const back = new URL(parameters.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code, state: parameters.get('state') ?? '' }).toString();
      return back.href;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    code_challenge_methods_supported: ['S256'],
  };
}
