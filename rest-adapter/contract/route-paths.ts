import { graphqlName } from '../../schema/naming';

/** Returns a path template of the contract in the router's syntax, which ends names at a hyphen: `/identity-records/:ir`. */
export function routePath(template: string): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => `:${graphqlName(name)}`);
}

/** Returns a pattern for the decoded paths of a template. */
export function pathPattern(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`);
}

/** Method and path template of an operation. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** HEAD is served too. */
  readonly takesHead?: boolean;
}

/** Returns the methods that a route serves. */
function methodsOf({ method, takesHead }: Route): string[] {
  return takesHead ? [method, 'HEAD'] : [method];
}

/**
 * Returns the routes of paths that only the router matches with a template, but no operation has: those of literal paths, and those in which a
 * parameter is empty, like `/v1/consent/`.
 */
export function unservedRoutes(routes: readonly Route[]): Route[] {
  const found = [...shadowedRoutes(routes), ...routes.flatMap(emptyRoutes)];
  return [...new Map(found.map((route) => [`${route.method} ${routePath(route.path)}`, route])).values()];
}

/** Returns the paths of a template in which one of its parameters is empty. */
function emptyRoutes(route: Route): Route[] {
  const parameters = route.path.match(/\{[^}]+\}/g) ?? [];
  const paths = parameters.map((parameter) => route.path.replace(parameter, ''));
  return methodsOf(route).flatMap((method) => paths.map((path) => ({ method, path })));
}

/**
 * Returns routes for paths without parameters and methods that only a matching template serves. OpenAPI matches the
 * literal path first, so `DELETE /identity-records/exists` is 405 and does not delete a record with the key `exists`.
 */
function shadowedRoutes(routes: readonly Route[]): Route[] {
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
