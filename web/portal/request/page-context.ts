import type { FastifyReply, FastifyRequest } from 'fastify';
import { withSession } from '../../shared/operation-runner';
import { requestContexts } from '../../shared/request-context';
import type { PageContext, PublicUrls } from '../page';
import type { PortalOptions } from '../portal-options';
import { returnLink } from '../presentation/web-link';
import { PORTAL_COOKIES } from './cookies';
import { isLanguage, languageOf, translatorFor } from './languages';
import { pagePath } from './page-path';

/**
 * Returns a function that makes the context of a request. The language of the parameter `lang` is stored in a cookie.
 */
export function pageContexts(options: PortalOptions, publicUrls: PublicUrls) {
  const contextOf = requestContexts('portal', options, PORTAL_COOKIES);
  return (request: FastifyRequest, reply: FastifyReply): PageContext => {
    const context = contextOf(request, reply);
    const { cookies, query, execute } = context;
    const language = languageOf(query['lang'], cookies.read('language'), request.headers['accept-language']);
    if (isLanguage(query['lang']) && cookies.read('language') !== language) cookies.write('language', language);
    return {
      ...context,
      url: request.url,
      pagePath: pagePath(request),
      language,
      translate: translatorFor(language),
      publicUrls,
      mailLimit: options.settings.mailLimit,
      returnLink: (url) => returnLink(url, cookies.read('withdrawn') === undefined ? undefined : 'withdrawn'),
      executeAsCustomer: withSession(execute, () => cookies.read('session')),
    };
  };
}
