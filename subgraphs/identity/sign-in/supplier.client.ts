import { LRUCache } from 'lru-cache';
import * as oidc from 'openid-client';
import type { Logger } from 'pino';
import { RegisterError } from '../../../schema/register-error';
import {
  SupplierClient as SupplierClientOperation,
  type SupplierClientQuery,
} from '../../../schema/generated/service-queries-to-access';
import { type CallOrigin, querySubgraph } from '../../server/graph/service-query';
import type { SubgraphLink } from '../../server/graph/subgraph-link';
import { type IssuerRequests, IssuerUnavailable, issuerRequests } from '../../server/outgoing/issuer-requests';

/** Values with which a supplier's response is checked (OpenID Connect Core; PKCE, RFC 7636). */
interface AuthorizationChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The register as OpenID Connect client of one supplier. */
interface SupplierClient {
  /** Returns the URL at which the customer signs in, and the values for the check of the response. */
  authorization(): Promise<{ readonly url: string; readonly checks: AuthorizationChecks }>;
  /** Returns the claims of the ID token. Throws AUT001 if a check fails. */
  claims(callbackUrl: string, checks: AuthorizationChecks): Promise<Readonly<Record<string, unknown>>>;
}

/** Clients of suppliers by the present settings of their accounts. */
interface SupplierClients {
  /** Returns undefined if customers cannot sign in there: the supplier is unknown or suspended, or its client is incomplete. */
  of(mpid: string, origin: CallOrigin): Promise<SupplierClient | undefined>;
  close(): void;
}

type ClientSettings = NonNullable<SupplierClientQuery['supplierClient']>;

const SCOPE = 'openid mpxn';
const CACHE_SIZE = 100;
/** Milliseconds for which a supplier's OpenID configuration is cached. */
const CACHE_TTL_MS = 5 * 60_000;
/** Milliseconds in which a supplier must respond to a request. */
const RESPONSE_TIMEOUT_MS = 5_000;
/** Milliseconds in which all requests of a step must end; the register responds within ten seconds. */
const STEP_TIMEOUT_MS = 8_000;

/** Clients of the suppliers that `access` stores. Their OpenID configurations are cached. */
export function supplierClients(
  access: SubgraphLink,
  redirectUri: string,
  { production, logger }: { readonly production: boolean; readonly logger: Logger },
): SupplierClients {
  const discovered = new LRUCache<string, oidc.Configuration>({ max: CACHE_SIZE, ttl: CACHE_TTL_MS });
  const requests = issuerRequests({ production, timeoutMs: RESPONSE_TIMEOUT_MS });
  const configurationOf = async (settings: ClientSettings): Promise<oidc.Configuration> => {
    const key = JSON.stringify(settings);
    const known = discovered.get(key);
    if (known) return known;
    const configuration = await discover(settings, requests, production);
    discovered.set(key, configuration);
    return configuration;
  };
  return {
    async of(mpid, origin) {
      const { supplierClient } = await querySubgraph(access, 'identity', SupplierClientOperation, { mpid }, origin);
      if (supplierClient === null) return undefined;
      const unavailable = (error: unknown) => {
        logger.warn({ supplier: mpid, error: codeOf(error) }, 'request to supplier failed');
        return new RegisterError('SYS002');
      };
      return client(() => configurationOf(supplierClient), redirectUri, unavailable);
    },
    close: () => requests.close(),
  };
}

function client(
  configuration: () => Promise<oidc.Configuration>,
  redirectUri: string,
  unavailable: (error: unknown) => RegisterError,
): SupplierClient {
  return {
    authorization: () =>
      inTime(unavailable, async () => {
        const checks = newChecks();
        const url = oidc.buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri,
          scope: SCOPE,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, checks };
      }),
    claims: (callbackUrl, { state, nonce, codeVerifier }) =>
      inTime(unavailable, async () => {
        const server = await configuration();
        const tokens = await oidc
          .authorizationCodeGrant(server, callback(redirectUri, callbackUrl), {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: codeVerifier,
            idTokenExpected: true,
          })
          .catch((error: unknown) => {
            throw isErrorOfSupplier(error) ? error : new RegisterError('AUT001');
          });
        return tokens.claims() ?? {};
      }),
  };
}

function newChecks(): AuthorizationChecks {
  return { state: oidc.randomState(), nonce: oidc.randomNonce(), codeVerifier: oidc.randomPKCECodeVerifier() };
}

/** Returns the callback URL: the register's own with the received query. */
function callback(redirectUri: string, received: string): URL {
  const url = new URL(redirectUri);
  url.search = URL.canParse(received) ? new URL(received).search : '';
  return url;
}

/** Verifies the signature of ID tokens, although they arrive from the supplier directly, because the claim must be proven. */
function discover(
  { issuer, clientId, clientSecret }: ClientSettings,
  requests: IssuerRequests,
  production: boolean,
): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
    [oidc.customFetch]: (url, { method, headers, body }) =>
      requests.send(url, { method, headers, ...(body instanceof URLSearchParams && { body: body.toString() }) }),
    execute: [oidc.enableNonRepudiationChecks, ...(production ? [] : [oidc.allowInsecureRequests])],
  });
}

/**
 * Authenticates as the supplier requires: by `client_secret_basic`, the standard's default, unless it supports only `client_secret_post`.
 */
function authentication(clientSecret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const isPost = methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic');
    return (isPost ? post : basic)(server, ...request);
  };
}

/** Runs the requests of a step. Throws SYS002 if the step fails otherwise than by a rejected check, or exceeds its timeout. */
async function inTime<Result>(
  unavailable: (error: unknown) => RegisterError,
  step: () => Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), STEP_TIMEOUT_MS);
  });
  try {
    return await Promise.race([step(), late]);
  } catch (error) {
    throw error instanceof RegisterError ? error : unavailable(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Codes of openid-client for a supplier that violates the protocol. */
const VIOLATION = /^OAUTH_(RESPONSE_IS_NOT_(CONFORM|JSON)|PARSE_ERROR)$/;

/** Whether the supplier caused an error, not the response that the browser sent. */
function isErrorOfSupplier(error: unknown): boolean {
  const { status, error: reason, cause } = error as Record<'status' | 'error' | 'cause', unknown>;
  if (typeof status === 'number') return status >= 500 || status === 401 || reason === 'invalid_client';
  return cause instanceof IssuerUnavailable || VIOLATION.test(codeOf(error));
}

/** Code of an error for the log, without text from the supplier. */
function codeOf(error: unknown): string {
  const { code, name, cause } = error as { readonly code?: unknown; readonly name?: unknown; readonly cause?: unknown };
  return String(cause instanceof IssuerUnavailable ? cause.code : (code ?? name));
}
