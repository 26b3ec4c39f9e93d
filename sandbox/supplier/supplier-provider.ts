import { randomBytes } from 'node:crypto';
import type { Configuration, Provider } from 'oidc-provider';
import { generatedKey } from '../../process/settings/generated-key';
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

/** Inputs of the provider. The lists may grow while it runs. */
interface ProviderOptions {
  readonly redirectUris: readonly string[];
  /** The register as an OAuth client. */
  readonly client: RegisterClient;
  readonly logins: readonly SupplierLogin[];
  readonly rtiClients: readonly RtiClient[];
}

/** Algorithm of ID tokens and of RTI Users' tokens. A key for RS256 would take a third of a second at each start. */
const SIGNING_ALGORITHM = 'ES256';
const SIGN_IN_SCOPE = 'openid mpxn';
/** Short, so that a developer can use several demo logins in one browser. */
const SESSION_SECONDS = 60;
const DEFAULT_TTL_SECONDS = 600;
/** Lifetime of tokens of RTI Users. */
const RTI_TOKEN_SECONDS = 3_600;
const TTL = {
  ...{ Session: SESSION_SECONDS, Interaction: DEFAULT_TTL_SECONDS, IdToken: DEFAULT_TTL_SECONDS },
  ...{ Grant: RTI_TOKEN_SECONDS, ClientCredentials: RTI_TOKEN_SECONDS },
  AccessToken: (_, { resourceServer }) => resourceServer?.accessTokenTTL ?? DEFAULT_TTL_SECONDS,
} satisfies Configuration['ttl'];

/** Module of the class. The main module of the package warns on Node 20 at each start. */
const PROVIDER_CLASS: string = 'oidc-provider/lib/provider.js';

/**
 * Creates an OpenID provider like that of a supplier: authorization code flow with PKCE S256. The ID token of a sign-in
 * contains the claim `mpxn` (one meter point, or a list). Access tokens of RTI Users are JWTs for the register (RFC
 * 9068) with `client_id`, `scope` and `mpxn` (a list). The package is loaded only in a sandbox.
 */
export async function openIdProvider(issuer: string, options: ProviderOptions): Promise<Provider> {
  const { Provider: OpenIdProvider } = (await import(PROVIDER_CLASS)) as typeof import('oidc-provider');
  const signingKey = { ...generatedKey('p-256').export({ format: 'jwk' }), use: 'sig', alg: SIGNING_ALGORITHM };
  return new OpenIdProvider(issuer, configuration(options, signingKey));
}

function configuration(
  { client, redirectUris, logins, rtiClients }: ProviderOptions,
  signingKey: object,
): Configuration {
  return {
    adapter: supplierStore(rtiClients),
    clients: [registerClient(client, redirectUris)],
    clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
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
    renderError: (context, { error_description: description = '' }) => {
      context.type = 'html';
      context.body = errorPage(description);
    },
    findAccount: (_, login) => {
      const account = logins.find((each) => each.login === login);
      if (!account) return undefined;
      const [first, ...others] = account.mpxns;
      return { accountId: login, claims: () => ({ sub: login, mpxn: others.length === 0 ? first : account.mpxns }) };
    },
    loadExistingGrant: async ({ oidc }) => {
      const { session, client: requester, result, provider } = oidc;
      const grantId = result?.consent?.grantId;
      if (grantId !== undefined) return provider.Grant.find(grantId);
      const grant = new provider.Grant({ accountId: session?.accountId, clientId: requester?.clientId });
      if (isRtiClient(requester?.clientId)) return grant; // an empty grant, so that the provider shows the consent page
      grant.addOIDCScope(SIGN_IN_SCOPE);
      await grant.save();
      return grant;
    },
  };
}

/** Issues all tokens of RTI Users for the register, with or without the parameter `resource`. */
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
      accessTokenTTL: RTI_TOKEN_SECONDS,
      jwt: { sign: { alg: SIGNING_ALGORITHM } },
    };
  },
};

const PROVIDER_ERRORS: string = 'oidc-provider/lib/helpers/errors.js';

async function invalidTarget(): Promise<Error> {
  const { InvalidTarget } = (await import(PROVIDER_ERRORS)) as typeof import('oidc-provider').errors;
  return new InvalidTarget('the only resource is the register');
}
