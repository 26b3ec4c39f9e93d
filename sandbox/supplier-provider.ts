import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration, Provider } from 'oidc-provider';
import {
  RTI_SCOPES,
  type RegisterClient,
  type RtiClient,
  TARIFF_AUDIENCE,
  isRtiClient,
  registerClient,
} from './supplier-clients';
import { type SupplierLogin, errorPage } from './supplier-pages';
import { supplierStore } from './supplier-store';

/** What the provider knows: its lists grow while it runs. */
export interface ProviderParts {
  readonly redirectUris: readonly string[];
  /** The register as its client. */
  readonly client: RegisterClient;
  readonly logins: readonly SupplierLogin[];
  readonly rtiClients: readonly RtiClient[];
}

const SIGN_IN_SCOPE = 'openid mpxn';
/** Seconds: whoever tries several demo logins in one browser is asked again. */
const SESSION = 60;
const SHORT = 600;
/** Seconds for which a token of an RTI User is good. */
const RTI_TOKEN = 3_600;
const TTL = {
  ...{ Session: SESSION, Interaction: SHORT, IdToken: SHORT, Grant: RTI_TOKEN, ClientCredentials: RTI_TOKEN },
  AccessToken: (_, { resourceServer }) => resourceServer?.accessTokenTTL ?? SHORT,
} satisfies Configuration['ttl'];

/** Its class alone: the package's front file warns at each start that it would like a newer Node.js. */
const PROVIDER_CLASS: string = 'oidc-provider/lib/provider.js';

/**
 * An OpenID provider as suppliers run one: code flow with PKCE S256. For sign-in the claim `mpxn` (one meter point, or a list) stands in the
 * ID token; the access tokens of RTI Users are JWTs for the register (RFC 9068) with `client_id`, `scope` and `mpxn`, a list. The package
 * is loaded when a sandbox needs it only.
 */
export async function openIdProvider(issuer: string, parts: ProviderParts): Promise<Provider> {
  const { Provider: OpenIdProvider } = (await import(PROVIDER_CLASS)) as typeof import('oidc-provider');
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const signingKey = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' };
  return new OpenIdProvider(issuer, configuration(parts, signingKey));
}

function configuration({ client, redirectUris, logins, rtiClients }: ProviderParts, signingKey: object): Configuration {
  return {
    adapter: supplierStore(rtiClients),
    clients: [registerClient(client, redirectUris)],
    jwks: { keys: [signingKey as never] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], mpxn: ['mpxn'] },
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: tariffTokens,
    },
    extraTokenClaims: (_, token) => {
      const account = 'accountId' in token ? logins.find(({ login }) => login === token.accountId) : undefined;
      return account && { mpxn: account.mpxns };
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: { ...TTL },
    renderError: (context, { error_description: said = '' }) => {
      context.type = 'html';
      context.body = errorPage(said);
    },
    findAccount: (_, login) => {
      const account = logins.find((each) => each.login === login);
      if (!account) return undefined;
      const [only, ...others] = account.mpxns;
      return { accountId: login, claims: () => ({ sub: login, mpxn: others.length === 0 ? only : account.mpxns }) };
    },
    loadExistingGrant: async ({ oidc }) => {
      const { session, client: asking, result, provider } = oidc;
      const grantId = result?.consent?.grantId;
      if (grantId !== undefined) return provider.Grant.find(grantId);
      const grant = new provider.Grant({ accountId: session?.accountId, clientId: asking?.clientId });
      if (isRtiClient(asking?.clientId)) return grant; // of nothing, so that the customer is asked
      grant.addOIDCScope(SIGN_IN_SCOPE);
      await grant.save();
      return grant;
    },
  };
}

/** Tokens of RTI Users are for the register, whether they say so or not. */
const tariffTokens: NonNullable<NonNullable<Configuration['features']>['resourceIndicators']> = {
  enabled: true,
  defaultResource: (_, client) => (isRtiClient(client?.clientId) ? TARIFF_AUDIENCE : (undefined as never)),
  useGrantedResource: () => true,
  getResourceServerInfo: async (_, resource, client) => {
    if (resource !== TARIFF_AUDIENCE || !isRtiClient(client.clientId)) throw await invalidTarget();
    return {
      audience: TARIFF_AUDIENCE,
      scope: Object.keys(RTI_SCOPES).join(' '),
      accessTokenFormat: 'jwt',
      accessTokenTTL: RTI_TOKEN,
      jwt: { sign: { alg: 'RS256' } },
    };
  },
};

const PROVIDER_ERRORS: string = 'oidc-provider/lib/helpers/errors.js';

async function invalidTarget(): Promise<Error> {
  const { InvalidTarget } = (await import(PROVIDER_ERRORS)) as typeof import('oidc-provider').errors;
  return new InvalidTarget('there is one resource: the register');
}
