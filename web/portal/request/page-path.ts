import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Route of the page that contains the form which is posted to this route. */
    formPage?: string;
  }
}

/**
 * Returns the path by which a page links to itself, for example in its language switch. The path of a form handler is
 * that of the page that contains the form, because links cannot post. Never returns a path that a browser would resolve
 * to another host (`//host`).
 */
export function pagePath({ method, url, params, routeOptions }: FastifyRequest): string {
  const { config, url: route } = routeOptions;
  // Fastify has no parameters of a malformed URL
  const isPage = params !== null && (method !== 'POST' || route !== undefined);
  if (!isPage) return '/';
  const path = config?.formPage === undefined ? url.split('?')[0] : filled(config.formPage, params);
  return path !== undefined && /^\/(?![/\\])/.test(path) ? path : '/';
}

/** Inserts the path parameters of a request into a route with the same parameters. */
function filled(route: string, params: unknown): string {
  const values = params as Readonly<Record<string, string>>;
  return route.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
