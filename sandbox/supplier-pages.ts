import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { Provider } from 'oidc-provider';
import { RTI_SCOPES } from './supplier-clients';

/** A customer of the supplier, and the meter points that it supplies. */
export interface SupplierLogin {
  readonly login: string;
  readonly password: string;
  readonly mpxns: readonly string[];
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** The supplier's own pages: login and password, and what an RTI User asks for. Whether a request was for one of them. */
export function supplierPages(provider: Provider, logins: readonly SupplierLogin[]) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const interaction = await provider.interactionDetails(request, response);
    const given = request.method === 'POST' ? new URLSearchParams(await textOf(request)) : undefined;
    if (interaction.prompt.name === 'consent') await consentPage(provider, interaction, given, request, response);
    else await signInPage(provider, logins, given, request, response);
  };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!PAGES.test(request.url ?? '')) return false;
    answer(request, response).catch(() => {
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
  given: URLSearchParams | undefined,
  ...exchange: [IncomingMessage, ServerResponse]
): Promise<void> {
  const show = (status: number, before = '') =>
    void exchange[1]
      .writeHead(status, PAGE_HEADERS)
      .end(page('Sign in to your energy supplier', `${before}${SIGN_IN}`));
  if (!given) return show(200);
  const account = logins.find(
    ({ login, password }) => login === given.get('login') && password === given.get('password'),
  );
  if (!account) return show(401, '<p role="alert">Login or password are wrong.</p>');
  await provider.interactionFinished(...exchange, { login: { accountId: account.login, remember: false } });
}

/** Shows who asks for what; nothing is given to anybody unless the customer says so. */
async function consentPage(
  provider: Provider,
  interaction: Interaction,
  given: URLSearchParams | undefined,
  ...exchange: [IncomingMessage, ServerResponse]
): Promise<void> {
  const decision = given?.get('decision');
  if (decision === 'allow') {
    const grantId = await granted(provider, interaction);
    return provider.interactionFinished(...exchange, { consent: { grantId } }, { mergeWithLastSubmission: true });
  }
  if (decision === 'refuse') {
    const refusal = { error: 'access_denied', error_description: 'the customer has refused' };
    return provider.interactionFinished(...exchange, refusal, { mergeWithLastSubmission: false });
  }
  const client = await provider.Client.find(String(interaction.params['client_id']));
  const wanted = new Set(String(interaction.params['scope']).split(' '));
  const scopes = Object.entries(RTI_SCOPES).filter(([scope]) => wanted.has(scope));
  const content = `<p><strong>${escaped(client?.clientName ?? '')}</strong> asks for your permission to:</p>
<ul>${scopes.map(([, words]) => `<li>${words}</li>`).join('')}</ul>${CONSENT}`;
  exchange[1].writeHead(200, PAGE_HEADERS).end(page('Share your tariff', content));
}

/** What the customer allowed, kept by the provider. */
async function granted(provider: Provider, { params, session, prompt: { details } }: Interaction): Promise<string> {
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

/** What a client of the supplier did wrong. */
export const errorPage = (said: string): string => page('This cannot be done', `<p>${escaped(said)}</p>`);

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, content: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title} (sandbox)</title>
<style>body{font-family:Arial,sans-serif;max-width:30rem;margin:2rem auto;padding:0 1rem}input,button{font:inherit;padding:.3rem .6rem}</style>
</head><body><main><h1>${title}</h1><p>A supplier of the sandbox: it is nobody's.</p>
${content}</main></body></html>`;
