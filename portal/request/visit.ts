import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookiesOf } from '../../web/cookies';
import { formFields } from '../../web/form-fields';
import { sealedCookies } from '../../web/sealed-cookies';
import type { Places, Visit } from '../page';
import type { PortalOptions } from '../portal-options';
import { PORTAL_COOKIES } from './cookies';
import { customerQuestions } from './customer-questions';
import { isLanguage, languageOf, wordingIn } from './languages';
import { ownPath } from './own-path';

/** Makes visits of requests. A language that is asked for is kept for the pages that follow. */
export function visits({ graph, settings, key }: PortalOptions, places: Places) {
  const sealed = sealedCookies(key);
  return (request: FastifyRequest, reply: FastifyReply): Visit => {
    const cookies = cookiesOf(PORTAL_COOKIES, request, reply, settings.production);
    const query = (request.query ?? {}) as Record<string, unknown>;
    const language = languageOf(query['lang'], cookies.read('language'), request.headers['accept-language']);
    if (isLanguage(query['lang']) && cookies.read('language') !== language) cookies.write('language', language);
    return {
      values: (request.params ?? {}) as Record<string, string>,
      query,
      form: formFields(request.body),
      address: request.url,
      ownPath: ownPath(request),
      language,
      wording: wordingIn(language),
      cookies,
      sealed: sealed(cookies),
      places,
      ...customerQuestions(graph, request, cookies),
    };
  };
}
