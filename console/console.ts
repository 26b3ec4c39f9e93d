import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { REPOSITORY_ROOT } from '../schema/repository-root';
import { serveAssets } from '../web/assets';
import { FORM_TOKEN_FIELD, formTokens } from '../web/form-token';
import { serveHealth } from '../web/health';
import { isRefusal, refusalOf } from '../web/register-refusal';
import { logFailure } from '../web/request-log';
import { isSameOrigin } from '../web/same-origin';
import { securityHeaders } from '../web/security-headers';
import { templates } from '../web/templates';
import { type RunningWeb, listening, webServer } from '../web/web-server';
import type { ConsoleOptions } from './console-options';
import type { Page, Visit } from './page';
import { PAGES } from './page-list';
import { consoleAssets } from './request/assets';
import { openStreams } from './request/open-streams';
import { FORM_EXPIRED, problemOf } from './request/problems';
import { type Sending, send } from './request/send';
import { visits } from './request/visit';

/** What the steps of a request need. */
interface Steps extends Sending {
  readonly visitOf: (request: FastifyRequest, reply: FastifyReply) => Visit;
  readonly origin: string;
  readonly logger: ConsoleOptions['logger'];
}

/**
 * READ FIRST. The steps of a request for a page of the console, in order:
 *
 * 1. it gets a transaction id and the headers of every page; cookies and forms are read;
 * 2. a form counts only when this browser got it from a page of ours;
 * 3. the page answers: it asks the register with the session of this browser ({@link Page});
 * 4. the answer is sent: a page, a way to another page, or a stream of messages to a page that is open;
 * 5. who is not signed in, or no longer, comes to the sign-in; what else was refused becomes a page that says so;
 * 6. one line goes to the log: route template, status and time.
 */
async function handle(steps: Steps, page: Page, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = steps.visitOf(request, reply);
  try {
    const counts = page.method === 'GET' || isOwnForm(steps, request, visit);
    send(steps, request, reply, visit, counts ? await page.answer(visit) : FORM_EXPIRED);
  } catch (error) {
    refuse(steps, request, reply, visit, error);
  }
  return reply;
}

function isOwnForm(
  { origin, formTokens: tokens }: Steps,
  { headers }: FastifyRequest,
  { cookies, form }: Visit,
): boolean {
  return isSameOrigin(headers, origin) && tokens.isGenuine(cookies, form[FORM_TOKEN_FIELD]);
}

function refuse(steps: Steps, request: FastifyRequest, reply: FastifyReply, visit: Visit, error: unknown): void {
  if (isRefusal(error, 'AUT001', 'AUT002')) {
    const hadSession = visit.session !== undefined;
    visit.cookies.forget('session');
    return send(steps, request, reply, visit, { seeOther: hadSession ? '/sign-in?ended' : '/sign-in' });
  }
  const refusal = refusalOf(error);
  if (refusal.code === 'SYS001') logFailure(steps.logger, request.id, error);
  send(steps, request, reply, visit, problemOf(refusal, request.url));
}

/** Starts the console of the back office: a client of the gateway, without rights of its own. */
export async function startConsole(options: ConsoleOptions): Promise<RunningWeb> {
  const { settings, logger, graph } = options;
  const headers = securityHeaders(settings.production, settings.consoleUrl.startsWith('https:'), 'self');
  const unserved = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    refuse(steps, request, reply, steps.visitOf(request, reply), error);
  const app = await webServer({ settings, logger, headers, unserved });
  const steps = stepsOf(options, serveAssets(app, consoleAssets()));
  app.addHook('preClose', (done) => {
    steps.streams.endAll();
    done();
  });
  serveHealth(app, graph);
  for (const page of PAGES) serve(app, steps, page);
  return listening(app, settings);
}

function stepsOf(options: ConsoleOptions, assetPath: string): Steps {
  const { settings, gatewayUrl, logger, key } = options;
  const streams = openStreams();
  return {
    render: templates([join(REPOSITORY_ROOT, 'console', 'views')]),
    formTokens: formTokens(key),
    assetPath,
    filesUrl: settings.filesUrl,
    streams,
    subscriptionsUrl: `${gatewayUrl.replace(/^http/, 'ws').replace(/\/$/, '')}/graphql`,
    visitOf: visits(options, streams),
    origin: new URL(settings.consoleUrl).origin,
    logger,
  };
}

function serve(app: FastifyInstance, steps: Steps, page: Page): void {
  const { method, path } = page;
  app.route({ method, url: path, handler: (request, reply) => handle(steps, page, request, reply) });
}
