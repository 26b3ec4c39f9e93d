import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { Provider } from 'oidc-provider';
import { RTI_SCOPES } from './supplier-clients';

/** The login of a customer of the supplier, and the customer's meter points. */
export interface SupplierLogin {
  readonly login: string;
  readonly password: string;
  readonly mpxns: readonly string[];
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/**
 * Returns a handler for the supplier's sign-in and consent pages. It returns false for a request that is for neither.
 */
export function supplierPages(provider: Provider, logins: readonly SupplierLogin[]) {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const interaction = await provider.interactionDetails(request, response);
    const form = request.method === 'POST' ? new URLSearchParams(await textOf(request)) : undefined;
    if (interaction.prompt.name === 'consent') await consentPage(provider, interaction, form, request, response);
    else await signInPage(provider, logins, form, request, response);
  };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!PAGES.test(request.url ?? '')) return false;
    respond(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(400, PAGE_HEADERS);
      response.end(page('Sign in to your energy supplier', '<p>This sign-in has expired. Start again.</p>'));
    });
    return true;
  };
}

const PAGES = /^\/interaction\/[\w-]+$/;

async function signInPage(
  provider: Provider,
  logins: readonly SupplierLogin[],
  form: URLSearchParams | undefined,
  ...exchange: [IncomingMessage, ServerResponse]
): Promise<void> {
  const show = (status: number, before = '') =>
    void exchange[1]
      .writeHead(status, PAGE_HEADERS)
      .end(page('Sign in to your energy supplier', `${before}${SIGN_IN}`));
  if (!form) return show(200);
  const account = logins.find(
    ({ login, password }) => login === form.get('login') && password === form.get('password'),
  );
  if (!account) return show(401, '<p role="alert">The login or the password is wrong.</p>');
  await provider.interactionFinished(...exchange, { login: { accountId: account.login, remember: false } });
}

/** Shows which RTI User requests which scopes. Issues a grant only if the customer allows it. */
async function consentPage(
  provider: Provider,
  interaction: Interaction,
  form: URLSearchParams | undefined,
  ...exchange: [IncomingMessage, ServerResponse]
): Promise<void> {
  const decision = form?.get('decision');
  if (decision === 'allow') {
    const grantId = await saveGrant(provider, interaction);
    return provider.interactionFinished(...exchange, { consent: { grantId } }, { mergeWithLastSubmission: true });
  }
  if (decision === 'refuse') {
    const denial = { error: 'access_denied', error_description: 'the customer has refused' };
    return provider.interactionFinished(...exchange, denial, { mergeWithLastSubmission: false });
  }
  const client = await provider.Client.find(String(interaction.params['client_id']));
  const requested = new Set(String(interaction.params['scope']).split(' '));
  const scopes = Object.entries(RTI_SCOPES).filter(([scope]) => requested.has(scope));
  const content = `<p><strong>${escaped(client?.clientName ?? '')}</strong> asks for your permission to:</p>
<ul>${scopes.map(([, description]) => `<li>${description}</li>`).join('')}</ul>${CONSENT}`;
  exchange[1].writeHead(200, PAGE_HEADERS).end(page('Share your tariff', content));
}

/** Stores the grant of the requested scopes in the provider; returns its id. */
async function saveGrant(provider: Provider, { params, session, prompt: { details } }: Interaction): Promise<string> {
  const grant = new provider.Grant({ accountId: session?.accountId, clientId: String(params['client_id']) });
  const { missingOIDCScope, missingResourceScopes } = details as {
    readonly missingOIDCScope?: readonly string[];
    readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
  };
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '));
  return grant.save();
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

const SIGN_IN = `<form method="post">
<p><label for="login">Login</label><br><input id="login" name="login" autocomplete="username" required></p>
<p><label for="password">Password</label><br><input id="password" name="password" type="password" autocomplete="current-password" required></p>
<p><button>Sign in</button></p></form>`;

const CONSENT = `<form method="post"><p>You can withdraw it at any time.</p>
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="refuse">Refuse</button></p></form>`;

/** Returns the page of an OAuth error. */
export const errorPage = (description: string): string => page('Request rejected', `<p>${escaped(description)}</p>`);

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, content: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title} (sandbox)</title>
<style>body{font-family:Arial,sans-serif;max-width:30rem;margin:2rem auto;padding:0 1rem}input,button{font:inherit;padding:.3rem .6rem}</style>
</head><body><main><h1>${title}</h1><p>This is a fictional supplier of the sandbox.</p>
${content}</main></body></html>`;
