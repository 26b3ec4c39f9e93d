import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CookieSettings, type Cookies, cookiesOf } from './cookies';
import { type EncryptedCookies, encryptedCookies } from './encrypted-cookies';
import { type ExecuteOperation, operationRunner } from './operation-runner';
import type { PageServerOptions } from './page-server-options';

/** The part of a request's context that portal and console have in common. */
export interface RequestContext<CookieName extends string> {
  /** Values of the path's parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Fields of the submitted form. */
  readonly form: Readonly<Record<string, string>>;
  readonly cookies: Cookies<CookieName>;
  readonly encryptedCookies: EncryptedCookies<CookieName>;
  /** Executes an operation without a session, or with a token that was just issued; throws OperationError. */
  readonly execute: ExecuteOperation;
}

/** Returns a function that makes the context of a request. */
export function requestContexts<CookieName extends string>(
  service: string,
  { graph, settings, key }: Pick<PageServerOptions, 'graph' | 'settings' | 'key'>,
  cookieSettings: CookieSettings<CookieName>,
) {
  const encrypted = encryptedCookies(key);
  return (request: FastifyRequest, reply: FastifyReply): RequestContext<CookieName> => {
    const cookies = cookiesOf(cookieSettings, request, reply, settings.production);
    return {
      params: (request.params ?? {}) as Record<string, string>,
      query: (request.query ?? {}) as Record<string, unknown>,
      form: formFields(request.body),
      cookies,
      encryptedCookies: encrypted(cookies),
      execute: operationRunner(service, graph, request),
    };
  };
}

/** Returns the fields of a submitted form. A field that occurs twice counts as absent. */
function formFields(body: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
