import { LRUCache } from 'lru-cache';
import * as oidc from 'openid-client';
import type { Logger } from 'pino';
import { RegisterError } from '../../../schema/register-error';
import { type QuestionOrigin, askSubgraph } from '../../server/service-question';
import type { SubgraphLink } from '../../server/subgraph-link';

/** What the answer of a supplier must fit (OpenID Connect Core; PKCE, RFC 7636). */
export interface AuthorizationChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The register as OpenID Connect client of one supplier. */
export interface SupplierClient {
  /** Where the customer signs in, and what the answer must fit. */
  authorization(): Promise<{ readonly url: string; readonly checks: AuthorizationChecks }>;
  /** The claims of the ID token that the answer leads to; AUT001 when anything does not fit. */
  claims(answer: string, checks: AuthorizationChecks): Promise<Readonly<Record<string, unknown>>>;
}

/** Clients of suppliers, as their accounts are set up now. */
export interface SupplierClients {
  /** Undefined when customers cannot sign in there: unknown, suspended, or its client is not set completely. */
  of(mpid: string, origin: QuestionOrigin): Promise<SupplierClient | undefined>;
}

interface ClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const SUPPLIER_CLIENT = `query SupplierClient($mpid: String!) {
  supplierClient(mpid: $mpid) { issuer clientId clientSecret }
}`;
const SCOPE = 'openid mpxn';
const REMEMBERED_SUPPLIERS = 100;
/** Milliseconds for which what a supplier says of itself is remembered. */
const REMEMBERED_FOR = 5 * 60_000;
/** Seconds in which a supplier must answer a request. */
const ANSWER_WITHIN = 5;
/** Milliseconds in which all requests of a step must be done, below the ten seconds in which every request is answered. */
const STEP_WITHIN = 8_000;

/** Clients of the suppliers that `access` knows; what a supplier says of itself is asked for again after some minutes. */
export function supplierClients(
  access: SubgraphLink,
  redirectUri: string,
  { production, logger }: { readonly production: boolean; readonly logger: Logger },
): SupplierClients {
  const discovered = new LRUCache<string, oidc.Configuration>({ max: REMEMBERED_SUPPLIERS, ttl: REMEMBERED_FOR });
  const configurationOf = async (settings: ClientSettings): Promise<oidc.Configuration> => {
    const key = JSON.stringify(settings);
    const known = discovered.get(key);
    if (known) return known;
    const configuration = await discover(settings, production);
    discovered.set(key, configuration);
    return configuration;
  };
  return {
    async of(mpid, origin) {
      type Answer = { supplierClient: ClientSettings | null };
      const { supplierClient } = await askSubgraph<Answer>(access, 'identity', SUPPLIER_CLIENT, { mpid }, origin);
      if (supplierClient === null) return undefined;
      const away = (error: unknown) => {
        logger.warn({ supplier: mpid, fault: faultOf(error) }, 'a supplier cannot be asked');
        return new RegisterError('SYS002');
      };
      return client(() => configurationOf(supplierClient), redirectUri, away);
    },
  };
}

function client(
  configuration: () => Promise<oidc.Configuration>,
  redirectUri: string,
  away: (error: unknown) => RegisterError,
): SupplierClient {
  return {
    authorization: () =>
      inTime(away, async () => {
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
    claims: (answer, { state, nonce, codeVerifier }) =>
      inTime(away, async () => {
        const server = await configuration();
        const tokens = await oidc
          .authorizationCodeGrant(server, callback(redirectUri, answer), {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: codeVerifier,
            idTokenExpected: true,
          })
          .catch((error: unknown) => {
            throw isFaultOfSupplier(error) ? error : new RegisterError('AUT001');
          });
        return tokens.claims() ?? {};
      }),
  };
}

function newChecks(): AuthorizationChecks {
  return { state: oidc.randomState(), nonce: oidc.randomNonce(), codeVerifier: oidc.randomPKCECodeVerifier() };
}

/** The address that the customer came back to: only its query counts, the rest is the register's own. */
function callback(redirectUri: string, answer: string): URL {
  const url = new URL(redirectUri);
  url.search = URL.canParse(answer) ? new URL(answer).search : '';
  return url;
}

/** The signature of ID tokens is verified, too, although they come from the supplier directly: the claim must be proven. */
function discover(
  { issuer, clientId, clientSecret }: ClientSettings,
  production: boolean,
): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
    timeout: ANSWER_WITHIN,
    execute: [oidc.enableNonRepudiationChecks, ...(production ? [] : [oidc.allowInsecureRequests])],
  });
}

/** As the supplier wants it: by `client_secret_basic`, the standard's default, unless it names only `client_secret_post`. */
function authentication(clientSecret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const isPost = methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic');
    return (isPost ? post : basic)(server, ...request);
  };
}

/** Does the requests of a step; SYS002 when it fails otherwise than by a refusal, or is late. */
async function inTime<Result>(away: (error: unknown) => RegisterError, step: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), STEP_WITHIN);
  });
  try {
    return await Promise.race([step(), late]);
  } catch (error) {
    throw error instanceof RegisterError ? error : away(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Codes of openid-client for a supplier that is away, or answers what no OpenID provider answers. */
const AWAY = /^OAUTH_(TIMEOUT|ABORT|RESPONSE_IS_NOT_(CONFORM|JSON)|PARSE_ERROR)$/;

/** Whether a supplier is at fault, and not the answer that somebody brought from it. */
function isFaultOfSupplier(error: unknown): boolean {
  const { status, error: reason, message, cause } = error as Record<'status' | 'error' | 'message' | 'cause', unknown>;
  if (typeof status === 'number') return status >= 500 || status === 401 || reason === 'invalid_client';
  return AWAY.test(faultOf(error)) || [message, (cause as Error | undefined)?.message].includes('fetch failed');
}

/** What may be logged of a fault: its code, never what the supplier said. */
function faultOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return String(code ?? name);
}
