import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Route of the page that has the form which is sent here. */
    formOn?: string;
  }
}

/**
 * The path of a page for links to itself, as its language switch is one. That of a form is the page that has it, because nothing but a
 * form leads there; never is it a path that a browser would take for another host.
 */
export function ownPath({ method, url, params, routeOptions }: FastifyRequest): string {
  const { config, url: route } = routeOptions;
  const isPage = params !== null && (method !== 'POST' || route !== undefined); // none of a path that no server can read
  if (!isPage) return '/';
  const path = config?.formOn === undefined ? url.split('?')[0] : filled(config.formOn, params);
  return path !== undefined && /^\/(?![/\\])/.test(path) ? path : '/';
}

/** A route with the values of a request to a path that has the same. */
function filled(route: string, params: unknown): string {
  const values = params as Readonly<Record<string, string>>;
  return route.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
