import { graphqlName } from '../schema/naming';

/** The name of a path parameter in the router, which would end it at a hyphen. */
export function routeParameter(name: string): string {
  return graphqlName(name);
}

/** The path template of the contract as the router writes it: `/identity-records/:ir`. */
export function routePath(template: string): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => `:${routeParameter(name)}`);
}

/** Whether a path, decoded, is one of the template. */
export function pathPattern(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`);
}

/** What is served at a path, by the template of its contract. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** Whether HEAD is served, too. */
  readonly takesHead?: boolean;
}

/** The methods that a route answers. */
export function methodsOf({ method, takesHead }: Route): string[] {
  return takesHead ? [method, 'HEAD'] : [method];
}

/**
 * Paths without parameters, by the methods that they lack and a template that fits them has: OpenAPI matches the path first, so
 * `DELETE /identity-records/exists` is a method that the path does not know, and not the key of a record.
 */
export function shadowedRoutes(routes: readonly Route[]): Route[] {
  const served = new Set(routes.flatMap((route) => methodsOf(route).map((method) => `${method} ${route.path}`)));
  const literal = new Set(routes.map(({ path }) => path).filter((path) => !path.includes('{')));
  const templates = routes.filter(({ path }) => path.includes('{'));
  return [...literal].flatMap((path) => {
    const shadowing = templates.filter((route) => pathPattern(route.path).test(path)).flatMap(methodsOf);
    return [...new Set(shadowing)]
      .filter((method) => !served.has(`${method} ${path}`))
      .map((method) => ({ method, path }));
  });
}
