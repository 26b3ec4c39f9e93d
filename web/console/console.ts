import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { FormExpiredError, type OperationError } from '../shared/operation-error';
import { type Exchange, type PageService, pageServer } from '../shared/page-server';
import { templates } from '../shared/templates';
import { type RunningServer, listen } from '../shared/web-server';
import type { ConsoleOptions } from './console-options';
import type { PageContext, PageResponse, StreamResponse } from './page';
import { PAGES } from './page-list';
import { consoleAssets } from './request/assets';
import type { RequiredPage } from './request/cookies';
import { type OpenStreams, openStreams } from './request/open-streams';
import { pageContexts } from './request/page-context';
import { FORM_EXPIRED, problemOf } from './request/problems';

/** Starts the console of the back office: a client of the gateway without privileges. */
export async function startConsole(options: ConsoleOptions): Promise<RunningServer> {
  const streams = openStreams();
  const app = await pageServer(consoleService(options, streams));
  app.addHook('preClose', (done) => {
    streams.endAll();
    done();
  });
  return listen(app, options.settings);
}

/** READ SECOND, after `web/shared/page-server.ts`: the console adds streams of messages to open pages. */
function consoleService(options: ConsoleOptions, streams: OpenStreams): PageService<PageContext, StreamResponse> {
  const { settings, gateway } = options;
  const { origin } = new URL(settings.consoleUrl);
  const render = templates([join(REPOSITORY_ROOT, 'web', 'console', 'views')]);
  const url = `${gateway.url.replace(/^http/, 'ws').replace(/\/$/, '')}/graphql`;
  const subscriptions = { url, agent: gateway.agent };
  return {
    options,
    publicUrl: settings.consoleUrl,
    assets: consoleAssets(),
    render,
    routes: PAGES.map(({ path, ...page }) => ({ ...page, url: path, origin })),
    contextOf: pageContexts(options, streams, render),
    layoutOf: ({ session }) => ({ filesUrl: settings.filesUrl, account: session }),
    sendOther: (response, { request, reply, context }) =>
      response.streamTo(streams.open(request, reply, context.session?.id), { render, subscriptions }),
    responseToError,
  };
}

/** Length up to which an encrypted path fits into a cookie of every browser. */
const MAX_PATH_LENGTH = 2_000;

/**
 * Redirects a browser without a valid session to the sign-in page, and stores the requested page for the time after it; after a
 * form the sign-in page states that nothing was changed. Other errors become an error page.
 */
function responseToError(error: OperationError, { request, context }: Exchange<PageContext>): PageResponse {
  if (error.code === 'AUT001' || error.code === 'AUT002') {
    const { session } = context;
    context.cookies.delete('session');
    if (request.method === 'POST') return { seeOther: '/sign-in?ended=form' };
    if (request.method === 'GET' && isOwnPath(request.url)) {
      const required: RequiredPage = { path: request.url, ...(session && { accountId: session.accountId }) };
      context.encryptedCookies.write('page', required);
    }
    return { seeOther: session ? '/sign-in?ended' : '/sign-in' };
  }
  return error instanceof FormExpiredError ? FORM_EXPIRED : problemOf(error, request.url);
}

/** Returns false for a path that a browser would resolve to another host (`//host`). */
function isOwnPath(url: string): boolean {
  return url.length <= MAX_PATH_LENGTH && /^\/(?![/\\])/.test(url);
}
