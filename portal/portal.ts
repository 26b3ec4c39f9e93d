import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { newIdentifier } from '../schema/identifiers';
import { serveAssets } from './request/assets';
import { FORM_TOKEN_FIELD, formTokens } from './request/form-token';
import { serveHealth } from './request/health';
import type { Page, Places, Visit } from './page';
import { PAGES } from './page-list';
import type { PortalOptions, PortalSettings } from './portal-options';
import { problemOf, refusalOf } from './request/problems';
import { RegisterRefusal } from './request/register-refusal';
import { logFailure, logRequests } from './request/request-log';
import { isSameOrigin } from './request/same-origin';
import { securityHeaders } from './request/security-headers';
import { type Sending, send } from './request/send';
import { templates } from './request/templates';
import { visits } from './request/visit';

/** The portal, running. */
export interface RunningPortal {
  readonly url: string;
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

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
export async function startPortal(options: PortalOptions): Promise<RunningPortal> {
  const { settings, logger, graph } = options;
  const app = webServer(settings, (error, request, reply) => unserved(error, request, reply));
  const steps = stepsOf(options, serveAssets(app));
  const unserved = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    refuse(steps, request, reply, steps.visitOf(request, reply), error);
  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(securityHeaders(steps.production, steps.hasTls, 'portal')).header('transaction-id', request.id);
    next();
  });
  await app.register(cookie);
  await app.register(formbody, { bodyLimit: BODY_LIMIT });
  logRequests(app, logger);
  serveHealth(app, graph);
  for (const page of PAGES) serve(app, steps, page);
  app.setNotFoundHandler((request, reply) => unserved(new RegisterRefusal('NTF001'), request, reply));
  app.setErrorHandler((error, request, reply) => unserved(error, request, reply));
  await app.listen({ port: settings.port, host: settings.host });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://localhost:${port}`, app, close: () => app.close() };
}

function stepsOf(options: PortalOptions, assetPath: string): Steps {
  const { settings, logger, key } = options;
  const { portalUrl, identityRedirectUrl, production } = settings;
  const places = placesOf(settings);
  return {
    render: templates(),
    formTokens: formTokens(key),
    assetPath,
    production,
    hasTls: portalUrl.startsWith('https:'),
    visitOf: visits(options, places),
    origins: { portal: places.portalUrl, identity: new URL(identityRedirectUrl).origin },
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

/** Bytes of the largest form: a passkey's answer is some kilobytes. */
const BODY_LIMIT = 64 * 1024;
/** Milliseconds until the whole request must have arrived. */
const REQUEST_TIMEOUT = 30_000;

/** A server that reads forms only; `unserved` answers what is not even a request for a path. */
function webServer(
  { trustProxy }: PortalSettings,
  unserved: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    return503OnClosing: false,
    genReqId: () => newIdentifier('tid'),
    requestIdHeader: false,
    frameworkErrors: (error, request, reply) => unserved(error, request, reply),
  });
  app.removeAllContentTypeParsers();
  return app;
}

/** The portal has the whole of its origin: links in mails, cookies and pages say so. The re-identification pages lie below a path. */
function placesOf({ portalUrl, identityRedirectUrl }: PortalSettings): Places {
  const { origin, pathname } = new URL(portalUrl);
  if (pathname !== '/') throw new Error('PORTAL_URL: has a path; the portal is served at the root of its address');
  return { portalUrl: origin, identityPath: new URL(identityRedirectUrl).pathname.replace(/\/+$/, '') };
}
