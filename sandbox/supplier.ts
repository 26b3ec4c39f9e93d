import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration, Provider } from 'oidc-provider';
import { supplierStore } from './supplier-store';

/** A customer of the supplier, and the meter points that it supplies. */
export interface SupplierLogin {
  readonly login: string;
  readonly password: string;
  readonly mpxns: readonly string[];
}

/** What the supplier of a sandbox is started with. */
export interface SupplierOptions {
  /** 0 is any free one. */
  readonly port: number;
  readonly host: string;
  /** Where customers may be sent back to, each in full. */
  readonly redirectUris: readonly string[];
  /** The register as its client. */
  readonly client: { readonly id: string; readonly secret: string };
  /** Its customers, so far. */
  readonly logins?: readonly SupplierLogin[];
}

/** An energy supplier at which customers sign in, running. */
export interface RunningSupplier {
  readonly issuer: string;
  /** The register as its client. */
  readonly client: SupplierOptions['client'];
  /** Customers more. */
  addLogins(logins: readonly SupplierLogin[]): void;
  close(): Promise<void>;
}

/**
 * Starts an OpenID provider as suppliers run one: code flow with PKCE, the claim `mpxn` (one meter point, or a list) in the ID token.
 * Keys are made at each start; nothing is kept.
 */
export async function startSupplier(options: SupplierOptions): Promise<RunningSupplier> {
  const server = createServer();
  const { host } = options;
  const issuer = `http://${host}:${await listening(server, options.port, host)}`;
  const logins = [...(options.logins ?? [])];
  const provider = await openIdProvider(issuer, { ...options, logins });
  const answerProvider = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const [, uid] = SIGN_IN_PAGE.exec(request.url ?? '') ?? [];
    if (uid === undefined) return void answerProvider(request, response);
    signInPage(provider, logins, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(400, PAGE_HEADERS);
      response.end(page('<p>This sign-in has expired. Start again.</p>'));
    });
  });
  return {
    issuer,
    client: options.client,
    addLogins: (more) => void logins.push(...more),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

const SIGN_IN_PAGE = /^\/interaction\/([\w-]+)$/;
const SCOPE = 'openid mpxn';
/** Seconds: whoever tries several demo logins in one browser is asked again. */
const SESSION = 60;
const SHORT = 600;

/** Its class alone: the package's front file warns at each start that it would like a newer Node.js. */
const PROVIDER_CLASS: string = 'oidc-provider/lib/provider.js';

/** The package is loaded when a sandbox needs it only. */
async function openIdProvider(issuer: string, options: Required<SupplierOptions>): Promise<Provider> {
  const { Provider: OpenIdProvider } = (await import(PROVIDER_CLASS)) as typeof import('oidc-provider');
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const signingKey = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' };
  return new OpenIdProvider(issuer, configuration(options, signingKey));
}

function configuration({ client, redirectUris, logins }: Required<SupplierOptions>, signingKey: object): Configuration {
  return {
    adapter: supplierStore(),
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [...redirectUris],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [signingKey as never] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], mpxn: ['mpxn'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: { Session: SESSION, Grant: SHORT, Interaction: SHORT, AccessToken: SHORT, IdToken: SHORT },
    findAccount: (_, login) => {
      const account = logins.find((each) => each.login === login);
      if (!account) return undefined;
      const [only, ...others] = account.mpxns;
      const claims = () => ({ sub: login, mpxn: others.length === 0 ? only : account.mpxns });
      return { accountId: login, claims };
    },
    loadExistingGrant: async ({ oidc }) => {
      const { session, client: asking } = oidc;
      const grant = new oidc.provider.Grant({ accountId: session?.accountId, clientId: asking?.clientId });
      grant.addOIDCScope(SCOPE);
      await grant.save();
      return grant;
    },
  };
}

/** The supplier's own page: its login and password. */
async function signInPage(
  provider: Provider,
  logins: readonly SupplierLogin[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await provider.interactionDetails(request, response);
  if (request.method !== 'POST') return void response.writeHead(200, PAGE_HEADERS).end(page(FORM));
  const given = new URLSearchParams(await textOf(request));
  const account = logins.find(
    ({ login, password }) => login === given.get('login') && password === given.get('password'),
  );
  if (!account) return void response.writeHead(401, PAGE_HEADERS).end(page(`<p role="alert">${WRONG}</p>${FORM}`));
  await provider.interactionFinished(request, response, { login: { accountId: account.login, remember: false } });
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

const WRONG = 'Login or password are wrong.';
const FORM = `<form method="post">
<p><label for="login">Login</label><br><input id="login" name="login" autocomplete="username" required></p>
<p><label for="password">Password</label><br><input id="password" name="password" type="password" autocomplete="current-password" required></p>
<p><button>Sign in</button></p></form>`;

const page = (content: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Sign in to your energy supplier (sandbox)</title>
<style>body{font-family:Arial,sans-serif;max-width:30rem;margin:2rem auto;padding:0 1rem}input,button{font:inherit;padding:.3rem .6rem}</style>
</head><body><main><h1>Sign in to your energy supplier</h1><p>A supplier of the sandbox: it is nobody's.</p>
${content}</main></body></html>`;

async function listening(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}
