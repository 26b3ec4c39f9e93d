import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookiesOf } from './cookies';
import { isLanguage, languageOf, wordingIn } from './languages';
import { ownPath } from './own-path';
import type { Places, Visit } from '../page';
import type { PortalOptions } from '../portal-options';
import { registerQuestions } from './register-questions';
import { sealedCookies } from './sealed-cookies';

/** Makes visits of requests. A language that is asked for is kept for the pages that follow. */
export function visits({ graph, settings, key }: PortalOptions, places: Places) {
  const sealed = sealedCookies(key);
  return (request: FastifyRequest, reply: FastifyReply): Visit => {
    const cookies = cookiesOf(request, reply, settings.production);
    const query = (request.query ?? {}) as Record<string, unknown>;
    const language = languageOf(query['lang'], cookies.read('language'), request.headers['accept-language']);
    if (isLanguage(query['lang']) && cookies.read('language') !== language) cookies.write('language', language);
    return {
      values: (request.params ?? {}) as Record<string, string>,
      query,
      form: textFields(request.body),
      address: request.url,
      ownPath: ownPath(request),
      language,
      wording: wordingIn(language),
      cookies,
      sealed: sealed(cookies),
      places,
      ...registerQuestions(graph, cookies, { transactionId: request.id, clientAddress: clientAddress(request) }),
    };
  };
}

/** A field that came twice counts as absent. */
function textFields(body: unknown): Record<string, string> {
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The address that the trusted proxies vouch for; whatever is none is the socket's. */
function clientAddress({ ip, socket }: FastifyRequest): string {
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
}
