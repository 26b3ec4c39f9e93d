import type { ExecuteOperation } from '../shared/operation-runner';
import type { PageResponse as AnyPageResponse } from '../shared/page-response';
import type { RequestContext } from '../shared/request-context';
import type { CookieName } from './request/cookies';
import type { Language, Translate } from './request/languages';

/** A page (GET), or the handler of a form (POST). One file per page, listed in `page-list.ts`. */
export interface Page {
  readonly method: 'GET' | 'POST';
  /** Path below the URL of the page's site. */
  readonly path: string;
  /** The customer portal, or the re-identification pages. */
  readonly site: 'portal' | 'identity';
  /** Path of the page that contains this form, if it differs from `path`; links of the response to itself use it. */
  readonly formPage?: string;
  respond(context: PageContext): PageResponse | Promise<PageResponse>;
}

type Respond = Page['respond'];

/** Makes the pages and forms of the customer portal. */
export const portal = pagesOf('portal');

/** Makes the re-identification pages and their forms. */
export const identity = pagesOf('identity');

function pagesOf(site: Page['site']) {
  return {
    get: (path: string, respond: Respond): Page => ({ method: 'GET', path, site, respond }),
    /** Makes the handler of a form that the page of the same path contains. */
    post: (path: string, respond: Respond): Page => ({ method: 'POST', path, site, respond }),
    /** Makes the handler of a form that another page contains. */
    postFrom: (formPage: string, path: string, respond: Respond): Page => ({
      method: 'POST',
      path,
      site,
      formPage,
      respond,
    }),
  };
}

/** The context of one request, for its page. */
export interface PageContext extends RequestContext<CookieName> {
  /** Path and query string as received. */
  readonly url: string;
  /** Path of this page, or of the page that contains the submitted form; links of a page to itself use it. */
  readonly pagePath: string;
  readonly language: Language;
  readonly translate: Translate;
  readonly publicUrls: PublicUrls;
  /** Sign-in links that are mailed for an Identity Record in 15 minutes. */
  readonly mailLimit: number;
  /** Returns the link back to the organisation that sent the customer; after a withdrawal of a consent of that organisation it reports it. */
  returnLink(returnUrl: string | null): string | undefined;
  /** Executes an operation with the session of the signed-in customer; AUT001 without a session. */
  readonly executeAsCustomer: ExecuteOperation;
}

/** URLs by which browsers reach the portal. */
export interface PublicUrls {
  readonly portalUrl: string;
  /** Path of the re-identification pages, without a trailing slash. */
  readonly identityPath: string;
  /** Pages of the operator outside the portal. */
  readonly supportUrl: string | undefined;
  readonly privacyUrl: string | undefined;
}

/** The response of a page. */
export type PageResponse = AnyPageResponse<Json | Download>;

/** JSON for a script of the page. */
export interface Json {
  readonly json: unknown;
  /** HTTP status; 200 if absent. */
  readonly status?: number;
}

/** A file that the browser saves. */
export interface Download {
  /** Parts of its text; each is read only once the browser has received those before it. */
  readonly file: AsyncIterable<string>;
  /** Media type. */
  readonly type: string;
  /** Name under which the browser saves the file. */
  readonly name: string;
}
