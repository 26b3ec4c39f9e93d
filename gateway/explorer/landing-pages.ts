import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import type { AccountRole } from '../../schema/roles';

/** Pages for developers. */
export interface LandingPages {
  /** The offline explorer at `/explorer`, and Apollo Sandbox (from the internet) at `GET /graphql`. */
  readonly explorer: boolean;
  /** Returns an access key of the demo data for the explorer's first query. */
  readonly sampleKey?: () => string | undefined;
}

const SANDBOX_ORIGIN = 'https://studio.apollographql.com';
const UNKNOWN_KEY = `ak_${'0'.repeat(24)}`;

/** First query of the explorer. It needs an access key, but no sign-in. */
export const VERIFY_QUERY = assetText('verify.graphql');

/** Query of a Data User, which Apollo Sandbox shows as well. */
const DATA_USER_QUERY = assetText('sample.graphql');
const BACK_OFFICE_QUERY = assetText('events.graphql');

/** Query that the explorer shows after sign-in, by the role of the account. Other roles start with the first query. */
export const SAMPLE_QUERIES: Readonly<Partial<Record<AccountRole, string>>> = {
  data_user: DATA_USER_QUERY,
  admin: BACK_OFFICE_QUERY,
  analyst: BACK_OFFICE_QUERY,
};

const EXPLORER_FILES = [
  { name: 'explorer.js', from: undefined, file: 'explorer.js', type: 'text/javascript' },
  { name: 'explorer.css', from: undefined, file: 'explorer.css', type: 'text/css' },
  { name: 'graphiql.js', from: 'graphiql', file: 'graphiql.min.js', type: 'text/javascript' },
  { name: 'graphql-sse.js', from: 'graphql-sse', file: 'umd/graphql-sse.min.js', type: 'text/javascript' },
  { name: 'graphiql.css', from: 'graphiql', file: 'graphiql.min.css', type: 'text/css' },
  { name: 'react.js', from: 'react', file: 'umd/react.production.min.js', type: 'text/javascript' },
  { name: 'react-dom.js', from: 'react-dom', file: 'umd/react-dom.production.min.js', type: 'text/javascript' },
] as const;

const EXPLORER_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'";

/** Serves the pages for developers. Never called in production. */
export async function addLandingPages(
  app: FastifyInstance,
  { sampleKey }: LandingPages,
  clientSdl: string,
): Promise<void> {
  const key = () => sampleKey?.() ?? UNKNOWN_KEY;
  app.get('/graphql', async (request, reply) => {
    if (!String(request.headers.accept ?? '').includes('text/html')) return reply.callNotFound();
    return page(reply, await sandboxPage(key()));
  });
  app.options('/graphql', (_, reply) => reply.code(204).header('access-control-max-age', '600').send());
  app.addHook('onRequest', (request, reply, next) => {
    if (request.headers.origin === SANDBOX_ORIGIN && request.url === '/graphql') allowSandbox(reply);
    next();
  });
  const explorer = assetText('explorer.html');
  app.get('/explorer', (_, reply) => page(reply.header('content-security-policy', EXPLORER_POLICY), explorer));
  app.get('/explorer/sample.json', () => ({
    verify: VERIFY_QUERY,
    samples: SAMPLE_QUERIES,
    key: key(),
  }));
  app.get('/explorer/schema.json', () => introspectionFromSchema(buildSchema(clientSdl)));
  for (const { name, from, file, type } of EXPLORER_FILES) {
    const content =
      from === undefined ? assetText(file) : readFileSync(join(dirname(require.resolve(`${from}/package.json`)), file));
    app.get(`/explorer/${name}`, (_, reply) =>
      reply.type(`${type}; charset=utf-8`).header('cache-control', 'max-age=3600').send(content),
    );
  }
}

function page(reply: FastifyReply, html: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('x-content-type-options', 'nosniff').send(html);
}

/** CORS headers for Apollo Sandbox, which sends requests from its own origin. */
function allowSandbox(reply: FastifyReply): void {
  reply.headers({
    'access-control-allow-origin': SANDBOX_ORIGIN,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'authorization, x-supplier-api-key, content-type, apollo-require-preflight',
    'access-control-allow-private-network': 'true',
    'access-control-expose-headers': 'transaction-id',
    vary: 'origin',
  });
}

/** Apollo's landing page with a query of the record of a key, and a link to the explorer that works offline. */
async function sandboxPage(key: string): Promise<string> {
  const plugin = ApolloServerPluginLandingPageLocalDefault({
    embed: false,
    document: DATA_USER_QUERY,
    variables: { key },
    headers: { Authorization: 'Bearer <token>' },
  });
  const listener = await plugin.serverWillStart?.({} as never);
  const landing = await (listener || undefined)?.renderLandingPage?.();
  const html = typeof landing?.html === 'function' ? await landing.html() : (landing?.html ?? '');
  return html.replace(
    '<div id="react-root">',
    '<p><a href="/explorer">GraphQL explorer of this register, works offline</a></p><div id="react-root">',
  );
}

function assetText(name: string): string {
  return readFileSync(join(REPOSITORY_ROOT, 'gateway', 'explorer', 'assets', name), 'utf8');
}
