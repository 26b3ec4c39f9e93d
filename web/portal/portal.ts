import { join } from 'node:path';
import type { Logger } from 'pino';
import { MPXN_PROFILE } from '../../schema/mpxn';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { FormExpiredError, type OperationError, operationErrorOf } from '../shared/operation-error';
import { packageFolder } from '../shared/package-folder';
import { type Exchange, type PageService, type Route, pageServer } from '../shared/page-server';
import { logFailure } from '../shared/request-log';
import { templates } from '../shared/templates';
import { type RunningServer, listen } from '../shared/web-server';
import type { Download, Json, Page, PageContext, PageResponse, PublicUrls } from './page';
import { PAGES } from './page-list';
import type { PortalOptions, PortalSettings } from './portal-options';
import { portalAssets } from './request/assets';
import { LANGUAGES } from './request/languages';
import { type OpenDownloads, openDownloads } from './request/open-downloads';
import { pageContexts } from './request/page-context';
import { problemOf } from './request/problems';
import { isLinkOfSession } from './request/second-press';

/** Starts the customer portal and the re-identification pages: a client of the gateway without privileges. */
export async function startPortal(options: PortalOptions, downloads = openDownloads()): Promise<RunningServer> {
  return listen(await pageServer(portalService(options, downloads)), options.settings);
}

/** READ SECOND, after `web/shared/page-server.ts`: the portal adds two languages, JSON for scripts, and files. */
function portalService(options: PortalOptions, downloads: OpenDownloads): PageService<PageContext, Json | Download> {
  const { settings } = options;
  const publicUrls = publicUrlsOf(settings);
  const views = join(REPOSITORY_ROOT, 'web', 'portal', 'views');
  const componentViews = join(packageFolder('govuk-frontend'), 'dist');
  return {
    options,
    publicUrl: settings.portalUrl,
    assets: portalAssets(),
    render: templates([views, componentViews]),
    routes: PAGES.map((page) => routeOf(page, publicUrls, new URL(settings.identityRedirectUrl).origin)),
    contextOf: pageContexts(options, publicUrls),
    layoutOf,
    sendOther: (response, exchange) => sendOther(response, exchange, { downloads, logger: options.logger }),
    responseToError: (error, exchange) => responseToSecondPress(error, exchange) ?? responseToError(error, exchange),
  };
}

/**
 * The portal is served at the root of its origin: mails, cookies and pages link to `/`. The identity site has a path.
 */
function publicUrlsOf({ portalUrl, identityRedirectUrl, supportUrl, privacyUrl }: PortalSettings): PublicUrls {
  const { origin, pathname } = new URL(portalUrl);
  if (pathname !== '/') throw new Error('PORTAL_URL: has a path; the portal is served at the root of its address');
  const identityPath = new URL(identityRedirectUrl).pathname.replace(/\/+$/, '');
  return { portalUrl: origin, identityPath, supportUrl, privacyUrl };
}

function routeOf(
  { method, site, path, formPage, respond }: Page,
  { portalUrl, identityPath }: PublicUrls,
  identityOrigin: string,
): Route<PageContext, Json | Download> {
  const [origin, base] = site === 'identity' ? [identityOrigin, identityPath] : [portalUrl, ''];
  const config = formPage === undefined ? {} : { formPage: `${base}${formPage}` };
  return { method, url: `${base}${path}`, origin, config, respond };
}

function layoutOf({ language, translate, publicUrls, pagePath }: PageContext) {
  return {
    t: translate,
    mpxnProfile: MPXN_PROFILE,
    home: `${publicUrls.portalUrl}/`,
    supportUrl: publicUrls.supportUrl,
    privacyUrl: publicUrls.privacyUrl,
    language,
    languages: LANGUAGES.map((each) => ({ language: each, current: each === language })),
    path: pagePath,
  };
}

function sendOther(
  response: Json | Download,
  { request, reply, context }: Exchange<PageContext>,
  { downloads, logger }: { readonly downloads: OpenDownloads; readonly logger: Logger },
): void {
  if ('json' in response) {
    void reply.code(response.status ?? 200).send(response.json);
  } else {
    const { file, type, name } = response;
    const logged = withFailureLogged(file, logger, request.id);
    const sessionId = context.cookies.read('session') ?? '';
    const body = downloads.open(logged, { request: request.raw, response: reply.raw }, sessionId);
    void reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(body);
  }
}

/** Logs an error, after which the connection is closed: the response has started and cannot become an error page. */
async function* withFailureLogged(file: AsyncIterable<string>, logger: Logger, transactionId: string) {
  try {
    yield* file;
  } catch (error) {
    const { code } = operationErrorOf(error);
    if (code === 'SYS001') logFailure(logger, transactionId, error);
    else logger.warn({ 'transaction-id': transactionId, code }, 'download broken off');
    throw error;
  }
}

/** Returns the response to a second press of the button that signed in, which has lost the form cookie; undefined for other errors. */
function responseToSecondPress(error: OperationError, { context }: Exchange<PageContext>): PageResponse | undefined {
  return error instanceof FormExpiredError && isLinkOfSession(context) ? { seeOther: '/access' } : undefined;
}

/**
 * Returns the error page; scripts get its text as JSON. The cookie of a session that has ended stays: this response may arrive after that of
 * another tab that signs in, and deleting the new cookie would leave a session that its customer can neither use nor end.
 */
function responseToError(error: OperationError, { request, context }: Exchange<PageContext>): PageResponse {
  const view = problemOf(error);
  if (request.headers.accept !== 'application/json') return view;
  const count = Number(view.model?.['minutes'] ?? 1);
  const text = context.translate(`problem.${String(view.model?.['problem'])}.text`, { count });
  return { json: { error: text }, status: view.status ?? 500 };
}
