import { request } from 'node:http';

/** A server of the register. */
export type SurfaceServer = 'rest' | 'gateway' | 'portal' | 'console';

/** Sends a request that `fetch` would reject or normalise, with the path unchanged; returns the status. */
export function statusOf(
  server: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve, reject) => {
    request({ hostname, port, method, path, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}

/** Paths similar to a path: one letter in the other case, and additional, missing or encoded slashes. */
export function lookalikes(path: string): string[] {
  const literal = /^\/[a-z]/.exec(path)?.[0] as string;
  return [
    `${path}/`,
    `/${path}`,
    path.replace(/^(\/[^/]+)\//, '$1//'),
    path.replace(/\/([^/]*)$/, '%2F$1'),
    path.replace(literal, literal.toUpperCase()),
    `/.${path.replace(/^\//, '%2F')}`,
  ].filter((each) => each !== path);
}

/**
 * Paths that a client might guess, with the expected status: sent by an admin, a Data User and an unauthenticated
 * client.
 */
export const GUESSES: readonly (readonly [server: SurfaceServer, method: string, path: string, status: number])[] = [
  ['rest', 'POST', '/graphql', 404],
  ['rest', 'GET', '/', 404],
  ['rest', 'GET', '/v1', 404],
  ['rest', 'GET', '/v1/', 404],
  ['rest', 'GET', '/v2/records', 404],
  ['rest', 'GET', '/records', 404],
  ['rest', 'GET', '/admin', 404],
  ['rest', 'GET', '/v1/admin', 404],
  ['rest', 'GET', '/v1/accounts', 404],
  ['rest', 'GET', '/v1/login', 404],
  ['rest', 'GET', '/auth/token', 404],
  ['rest', 'POST', '/v1/register-consent', 404],
  ['rest', 'GET', '/grid-modelling/uploads', 404],
  ['rest', 'GET', '/grid-modelling/content', 404],
  ['rest', 'GET', '/.env', 404],
  ['rest', 'GET', '/sandbox.json', 404],
  ['rest', 'GET', '/openapi/a.yaml', 404],
  ['rest', 'GET', '/docs/../package.json', 404],
  ['rest', 'GET', '/docs/static/%2e%2e/%2e%2e/package.json', 404],
  ['gateway', 'GET', '/', 404],
  ['gateway', 'GET', '/graphql', 405],
  ['gateway', 'PUT', '/graphql', 405],
  ['gateway', 'DELETE', '/graphql', 405],
  ['gateway', 'TRACE', '/graphql', 405],
  ['gateway', 'POST', '/graphql/', 404],
  ['gateway', 'POST', '//graphql', 404],
  ['gateway', 'POST', '/GraphQL', 404],
  ['gateway', 'POST', '/%2Fgraphql', 404],
  ['gateway', 'POST', '/access/graphql', 404],
  ['gateway', 'POST', '/identity/graphql', 404],
  ['gateway', 'GET', '/admin', 404],
  ['gateway', 'GET', '/v1/records', 404],
  ['gateway', 'GET', '/explorer/../gateway.ts', 404],
  ['portal', 'POST', '/graphql', 404],
  ['portal', 'GET', '/admin', 404],
  ['portal', 'GET', '/v1/records', 404],
  ['console', 'POST', '/graphql', 404],
  ['console', 'GET', '/admin', 404],
  ['console', 'GET', '/v1/records', 404],
];
