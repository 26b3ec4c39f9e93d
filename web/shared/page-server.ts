import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphClient } from '../../gateway/client/graph-client';
import { errorCatalogue } from '../../schema/error-catalogue';
import { newIdentifier } from '../../schema/identifiers';
import { serveReadiness } from '../../subgraphs/server/observability/readiness-routes';
import { type Asset, serveAssets } from './assets';
import { FORM_TOKEN_FIELD, type FormTokens, formTokens } from './form-token';
import { FormExpiredError, type OperationError, operationErrorOf } from './operation-error';
import { type PageResponse, isRedirect, isView, sendHtml, sendRedirect } from './page-response';
import type { PageServerOptions } from './page-server-options';
import type { RequestContext } from './request-context';
import { logFailure } from './request-log';
import { isSameOrigin } from './same-origin';
import { securityHeaders } from './security-headers';
import type { Render } from './templates';
import { webServer } from './web-server';

/** The part of a context that page servers use. */
type AnyContext = RequestContext<'form'> & { readonly language: string };

/** A page (GET), or the handler of a form (POST). */
export interface Route<Context, Other> {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Origin of the pages that may submit this form. */
  readonly origin: string;
  readonly config?: FastifyContextConfig;
  respond(context: Context): PageResponse<Other> | Promise<PageResponse<Other>>;
}

/** The differences between portal and console in the steps of {@link handle}. */
export interface PageService<Context extends AnyContext, Other extends object> {
  readonly options: PageServerOptions;
  /** URL by which browsers reach the service. */
  readonly publicUrl: string;
  readonly assets: readonly Asset[];
  readonly render: Render;
  readonly routes: readonly Route<Context, Other>[];
  contextOf(request: FastifyRequest, reply: FastifyReply): Context;
  /** Returns the variables that the layout of every page shows, besides those of the view. */
  layoutOf(context: Context): Readonly<Record<string, unknown>>;
  /** Sends a response that is neither a view nor a redirect. */
  sendOther(response: Other, exchange: Exchange<Context>): void;
  /** Returns the response to a request that failed. */
  responseToError(error: OperationError, exchange: Exchange<Context>): PageResponse<Other>;
}

/** One request and its reply. */
export interface Exchange<Context> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: Context;
}

interface PageServer<Context extends AnyContext, Other extends object> {
  readonly service: PageService<Context, Other>;
  readonly formTokens: FormTokens;
  readonly assetPath: string;
  readonly hasTls: boolean;
}

/**
 * READ FIRST. The steps of a request for a page of the portal or the console, in order:
 *
 * 1. the web server assigns a transaction id, sets the security headers, and parses cookies and forms;
 * 2. a form is accepted only if a page of the service issued it to this browser ({@link checkForm});
 * 3. the page executes operations of the register, with the session of this browser if it has one, and responds;
 * 4. the response is sent: a view, a redirect, or what only the service sends (portal: JSON, files; console: streams);
 * 5. an error becomes a page that says what to do and shows the transaction id;
 * 6. the request log gets one line: route template, status and duration.
 */
async function handle<Context extends AnyContext, Other extends object>(
  server: PageServer<Context, Other>,
  route: Route<Context, Other>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const exchange = { request, reply, context: server.service.contextOf(request, reply) };
  try {
    if (route.method === 'POST') checkForm(server.formTokens, route.origin, exchange);
    send(server, exchange, await route.respond(exchange.context));
  } catch (error) {
    sendError(server, exchange, error);
  }
  return reply;
}

function checkForm(tokens: FormTokens, origin: string, { request, context }: Exchange<AnyContext>): void {
  const { cookies, form } = context;
  const isOwnForm = isSameOrigin(request.headers, origin) && tokens.isGenuine(cookies, form[FORM_TOKEN_FIELD]);
  if (!isOwnForm) throw new FormExpiredError();
}

function send<Context extends AnyContext, Other extends object>(
  { service, formTokens: tokens, assetPath, hasTls }: PageServer<Context, Other>,
  exchange: Exchange<Context>,
  response: PageResponse<Other>,
): void {
  const { request, reply, context } = exchange;
  if (isView(response)) {
    const formToken = () => tokens.issue(context.cookies);
    const layout = { assetPath, transactionId: request.id, formToken, ...service.layoutOf(context) };
    const html = service.render(response.view, { ...layout, ...response.model });
    const { production } = service.options.settings;
    sendHtml(reply, response, html, { production, hasTls, language: context.language });
  } else if (isRedirect(response)) {
    sendRedirect(reply, response);
  } else {
    service.sendOther(response, exchange);
  }
}

function sendError<Context extends AnyContext, Other extends object>(
  server: PageServer<Context, Other>,
  exchange: Exchange<Context>,
  error: unknown,
): void {
  const { service } = server;
  const operationError = operationErrorOf(error);
  if (operationError.code === 'MET001') return rejectHead(exchange.reply);
  if (operationError.code === 'SYS001') logFailure(service.options.logger, exchange.request.id, error);
  send(server, exchange, service.responseToError(operationError, exchange));
}

/** Returns a server of the pages of a service, its assets and its health. It does not listen yet. */
export async function pageServer<Context extends AnyContext, Other extends object>(
  service: PageService<Context, Other>,
): Promise<FastifyInstance> {
  const { settings, logger, graph, key } = service.options;
  const hasTls = service.publicUrl.startsWith('https:');
  const app = await webServer({
    settings,
    logger,
    headers: securityHeaders(settings.production, hasTls, 'self'),
    onError: (error, request, reply) =>
      sendError(server, { request, reply, context: service.contextOf(request, reply) }, error),
  });
  const assetPath = serveAssets(app, service.assets);
  const server: PageServer<Context, Other> = { service, formTokens: formTokens(key), assetPath, hasTls };
  app.get('/health/live', () => ({ status: 'live' }));
  serveReadiness(app, ['/health', '/health/ready'], () => isRegisterReady(graph));
  for (const route of service.routes) {
    const { method, url, config = {} } = route;
    const handler = (request: FastifyRequest, reply: FastifyReply) => handle(server, route, request, reply);
    app.route({ method, url, config, handler });
  }
  return app;
}

/** Returns whether the register executes an operation that requires no session. */
async function isRegisterReady(graph: GraphClient): Promise<boolean> {
  const metadata = { transactionId: newIdentifier('tid'), clientAddress: '127.0.0.1' };
  const { failures } = await graph.run('CheckRegister', {}, metadata);
  return failures.length === 0;
}

/** Responds to HEAD of a page whose GET has an effect besides cookies. */
function rejectHead(reply: FastifyReply): void {
  void reply.code(errorCatalogue.MET001.status).header('allow', 'GET').send();
}
