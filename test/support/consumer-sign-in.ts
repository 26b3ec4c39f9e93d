import * as oidc from 'openid-client';
import type { RunningSupplier } from '../../sandbox/supplier/supplier';
import { RTI_REDIRECT_URIS, type RtiClient } from '../../sandbox/supplier/supplier-clients';
import type { SupplierLogin } from '../../sandbox/supplier/supplier-pages';
import { signInAtSupplier } from './supplier-browser';

/** An RTI User at a supplier: a real client of its OpenID provider (authorization code, PKCE S256). */
export interface RtiApplication {
  /**
   * Returns the URL where a consumer begins, and functions that exchange the response for a token, or for the complete
   * token response.
   */
  begin(scope: string): Promise<{
    readonly url: string;
    finish(callback: string): Promise<string>;
    exchange(callback: string): Promise<oidc.TokenEndpointResponse>;
  }>;
  /** Returns the application's own token, for webhooks (client credentials). */
  ownToken(): Promise<string>;
}

/** Returns the application of an RTI User; its redirect URI is an address of this machine. */
export async function rtiApplication(
  { issuer }: Pick<RunningSupplier, 'issuer'>,
  { id, secret }: Pick<RtiClient, 'id' | 'secret'>,
  redirectUri: string = RTI_REDIRECT_URIS[0],
): Promise<RtiApplication> {
  const authentication = oidc.ClientSecretBasic(secret);
  const server = await oidc.discovery(new URL(issuer), id, undefined, authentication, {
    execute: [oidc.allowInsecureRequests],
  });
  return {
    async begin(scope) {
      const [state, codeVerifier] = [oidc.randomState(), oidc.randomPKCECodeVerifier()];
      const url = oidc.buildAuthorizationUrl(server, {
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      const checks = { expectedState: state, pkceCodeVerifier: codeVerifier };
      const exchange = (callback: string) => oidc.authorizationCodeGrant(server, new URL(callback), checks);
      return { url: url.href, exchange, finish: async (callback) => (await exchange(callback)).access_token };
    },
    ownToken: async () => (await oidc.clientCredentialsGrant(server, { scope: 'webhook:write' })).access_token,
  };
}

/** Returns the token that a consumer permits for an RTI User, without a real browser. */
export async function consumerToken(
  supplier: Pick<RunningSupplier, 'issuer'>,
  client: Pick<RtiClient, 'id' | 'secret'>,
  login: Pick<SupplierLogin, 'login' | 'password'>,
  scope = 'tariff:read consent:write webhook:write',
): Promise<string> {
  const { url, finish } = await (await rtiApplication(supplier, client)).begin(scope);
  return finish(await signInAtSupplier(url, login));
}
