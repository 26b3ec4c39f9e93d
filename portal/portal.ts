import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { REPOSITORY_ROOT } from '../schema/repository-root';
import { serveAssets } from '../web/assets';
import { FORM_TOKEN_FIELD, formTokens } from '../web/form-token';
import { serveHealth } from '../web/health';
import { packageFolder } from '../web/package-folder';
import { RegisterRefusal, refusalOf } from '../web/register-refusal';
import { logFailure } from '../web/request-log';
import { isSameOrigin } from '../web/same-origin';
import { securityHeaders } from '../web/security-headers';
import { templates } from '../web/templates';
import { type RunningWeb, listening, webServer } from '../web/web-server';
import type { Page, Places, Visit } from './page';
import { PAGES } from './page-list';
import type { PortalOptions, PortalSettings } from './portal-options';
import { portalAssets } from './request/assets';
import { problemOf } from './request/problems';
import { type Sending, send } from './request/send';
import { visits } from './request/visit';

/** What the steps of a request need. */
interface Steps extends Sending {
  readonly visitOf: (request: FastifyRequest, reply: FastifyReply) => Visit;
  readonly origins: Readonly<Record<Page['place'], string>>;
  readonly identityPath: string;
  readonly logger: PortalOptions['logger'];
}

/**
 * READ FIRST. The steps of a request for a page, in order:
 *
 * 1. it gets a transaction id and the headers of every page; cookies and forms are read;
 * 2. a form counts only when this browser got it from a page of ours ({@link checkForm});
 * 3. the page answers: it asks the register with the session of this browser, if it has one ({@link Page});
 * 4. the answer is sent: a page in the person's language, a way to another page, a file;
 * 5. what was refused becomes a page that says what to do, with the transaction id;
 * 6. one line goes to the log: route template, status and time.
 */
async function handle(steps: Steps, page: Page, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = steps.visitOf(request, reply);
  try {
    if (page.method === 'POST') checkForm(steps, page, request, visit);
    send(steps, request, reply, visit, await page.answer(visit));
  } catch (error) {
    refuse(steps, request, reply, visit, error);
  }
  return reply;
}

function checkForm({ origins, formTokens: tokens }: Steps, { place }: Page, { headers }: FastifyRequest, visit: Visit) {
  const isOurs = isSameOrigin(headers, origins[place]) && tokens.isGenuine(visit.cookies, visit.form[FORM_TOKEN_FIELD]);
  if (!isOurs) throw new RegisterRefusal('PRM001');
}

/** Who is not signed in goes to the start; whose session has ended is told so. Scripts get the text alone. */
function refuse(steps: Steps, request: FastifyRequest, reply: FastifyReply, visit: Visit, error: unknown): void {
  const refusal = refusalOf(error);
  if (refusal.code === 'SYS001') logFailure(steps.logger, request.id, error);
  const view = problemOf(refusal);
  if (view.model?.['problem'] === 'sessionEnded') {
    if (visit.cookies.read('session') === undefined) return send(steps, request, reply, visit, { seeOther: '/' });
    visit.cookies.forget('session');
  }
  const isForScript = request.headers.accept === 'application/json';
  if (!isForScript) return send(steps, request, reply, visit, view);
  const text = visit.wording(`problem.${String(view.model?.['problem'])}.text`, {
    count: Number(view.model?.['minutes'] ?? 1),
  });
  send(steps, request, reply, visit, { json: { error: text }, status: view.status ?? 500 });
}

/** Starts the customer portal and the re-identification pages: a client of the gateway, without rights of its own. */
export async function startPortal(options: PortalOptions): Promise<RunningWeb> {
  const { settings, logger, graph } = options;
  const { production } = settings;
  const hasTls = settings.portalUrl.startsWith('https:');
  const unserved = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    refuse(steps, request, reply, steps.visitOf(request, reply), error);
  const app = await webServer({ settings, logger, headers: securityHeaders(production, hasTls, 'self'), unserved });
  const steps = stepsOf(options, hasTls, serveAssets(app, portalAssets()));
  serveHealth(app, graph);
  for (const page of PAGES) serve(app, steps, page);
  return listening(app, settings);
}

function stepsOf(options: PortalOptions, hasTls: boolean, assetPath: string): Steps {
  const { settings, logger, key } = options;
  const places = placesOf(settings);
  const ownViews = join(REPOSITORY_ROOT, 'portal', 'views');
  const componentViews = join(packageFolder('govuk-frontend'), 'dist');
  return {
    render: templates([ownViews, componentViews]),
    formTokens: formTokens(key),
    assetPath,
    production: settings.production,
    hasTls,
    visitOf: visits(options, places),
    origins: { portal: places.portalUrl, identity: new URL(settings.identityRedirectUrl).origin },
    identityPath: places.identityPath,
    logger,
  };
}

function serve(app: FastifyInstance, steps: Steps, page: Page): void {
  const base = page.place === 'identity' ? steps.identityPath : '';
  app.route({
    method: page.method,
    url: `${base}${page.path}`,
    config: page.formOn === undefined ? {} : { formOn: `${base}${page.formOn}` },
    handler: (request, reply) => handle(steps, page, request, reply),
  });
}

/** The portal has the whole of its origin: links in mails, cookies and pages say so. The re-identification pages lie below a path. */
function placesOf({ portalUrl, identityRedirectUrl }: PortalSettings): Places {
  const { origin, pathname } = new URL(portalUrl);
  if (pathname !== '/') throw new Error('PORTAL_URL: has a path; the portal is served at the root of its address');
  return { portalUrl: origin, identityPath: new URL(identityRedirectUrl).pathname.replace(/\/+$/, '') };
}
