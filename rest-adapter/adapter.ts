import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { warnOfUntrustedProxy } from '../gateway/client/client-address';
import { listeningUrl } from '../gateway/client/listening-url';
import { codeOfServerError } from '../gateway/client/server-error';
import type { RestAdapterOptions, RunningRestAdapter } from './adapter-options';
import { type CompiledOperation, compile } from './contract/compile';
import { loadContract } from './contract/contract';
import { type Exchange, responder } from './responses/exchange';
import { BRIEFLY, drainBody } from './requests/drain-body';
import { serveUploads } from './files/uploads';
import { INTERFACES, type RestInterface, USUAL_BODY_MIB } from './contract/interfaces';
import { operationsOf, parsedDocumentsIn } from '../schema/operation-documents';
import { REPOSITORY_ROOT } from '../schema/repository-root';
import { type AdapterServices, afterAdmission, fail, handle, sendErrorAfterAdmission } from './requests/request-steps';
import { serveMetrics } from '../subgraphs/server/observability/metrics-route';
import { serveKeySet } from './responses/key-set';
import { serveReference } from './responses/reference-page';
import type { ErrorCode } from '../schema/error-catalogue';
import { type CatalogueError, catalogueError } from './responses/error-response';
import { routeTable } from './route-table';
import { requestRecorder } from './responses/telemetry';
import { routePath, unservedRoutes } from './contract/route-paths';
import { unmatchedRequestHandler } from './requests/unmatched-requests';
import { webServer } from './requests/web-server';

/**
 * READ FIRST: starts the REST interfaces. Compiles contracts, operations and route table against the graph, and serves
 * them; {@link handle} lists the steps of a request.
 */
export async function startRestAdapter(options: RestAdapterOptions): Promise<RunningRestAdapter> {
  const { graph, schema, settings, logger, metrics } = options;
  const contracts = INTERFACES.map(loadContract);
  const { operations, problems } = await compile({
    contracts,
    documents: operationsOf(parsedDocumentsIn(join(REPOSITORY_ROOT, 'rest-adapter', 'operations'))),
    rows: routeTable,
    schema,
  });
  if (problems.length > 0) throw new Error(`contracts and GraphQL schema do not match:\n${problems.join('\n')}`);
  const record = requestRecorder(logger, metrics);
  const secure = settings.production && settings.baseUrl.startsWith('https:');
  const defaultArea = settings.ltdsDefaultArea;
  const services: AdapterServices = {
    graph,
    files: options.files,
    logger,
    defaultArea,
    publicPath: new URL(settings.baseUrl).pathname,
    ...responder(record, secure, settings),
  };

  const app = webServer(settings.trustProxy, services);
  warnOfUntrustedProxy(app, settings.trustProxy, logger);
  const { production } = settings;
  serveReference(app, { contracts, addresses: settings, production, samples: options.samples, record });
  serveKeySet(app, options.keySet, services);
  app.get('/health/live', () => ({ status: 'live' }));
  serveMetrics(app, metrics, production);
  const uploads = contracts.flatMap((contract) => contract.uploads);
  const { origin } = new URL(settings.baseUrl);
  serveUploads(app, { ...services, origin, fail: (exchange, error) => fail(services, exchange, error) }, uploads);
  const routes = [
    ...operations.map(({ contract: { method, path }, takesHead }) => ({ method, path, takesHead })),
    ...uploads,
  ];
  const handleUnmatched = unmatchedRequestHandler(routes, services);
  for (const operation of operations) serve(app, services, operation);
  for (const { method, path } of unservedRoutes(routes))
    app.route({ method: method as 'GET', exposeHeadRoute: false, url: routePath(path), handler: handleUnmatched });
  app.setNotFoundHandler(handleUnmatched);
  app.setErrorHandler((_error, request, reply) => handleUnmatched(request, reply));
  await app.listen({ port: settings.port, host: settings.host ?? '127.0.0.1' });
  return { app, url: listeningUrl(app.server), close: () => app.close() };
}

/** Challenge of a 401, by the sign-in method of the operation. */
const SCHEMES = { bearer: 'Bearer', basic: 'Basic', key: 'ApiKey', anyone: 'Bearer' } as const;

/** Headers with which a browser shows a response to pages of any origin. They send no credential of the browser's. */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'transaction-id, retry-after, ratelimit',
} as const;

function serve(app: FastifyInstance, services: AdapterServices, operation: CompiledOperation): void {
  const { method, path, signIn, restInterface } = operation.contract;
  const isPublicRead = method === 'GET' && signIn === 'anyone' && restInterface.allowsPublicReadsFromAnyOrigin;
  /** Requests whose callers were admitted before their bodies were read. */
  const counted = new WeakSet<FastifyRequest>();
  const start = (request: FastifyRequest, reply: FastifyReply) => {
    if (isPublicRead) reply.headers(ANY_ORIGIN);
    return services.start(request, reply, path, SCHEMES[signIn], restInterface, counted.has(request));
  };
  const takesLargeBody = method !== 'GET' && restInterface.maxBodyMiB > USUAL_BODY_MIB;
  const admitFirst = (request: FastifyRequest, reply: FastifyReply, next: () => void) => {
    if (!mayExceedUsualSize(request)) return next();
    afterAdmission(services, operation, start(request, reply), () => {
      counted.add(request);
      next();
    });
  };
  app.route({
    method: (operation.takesHead ? [method, 'HEAD'] : method) as 'GET',
    exposeHeadRoute: false,
    url: routePath(path),
    bodyLimit: restInterface.maxBodyMiB * 1024 * 1024,
    ...(takesLargeBody && { onRequest: admitFirst }),
    handler: (request, reply) => {
      const exchange = start(request, reply);
      try {
        handle(services, operation, exchange);
      } catch (error) {
        fail(services, exchange, error);
      }
    },
    errorHandler: (error, request, reply) => {
      const exchange = start(request, reply);
      const code = codeOfServerError(error);
      if (code === 'SYS001') return fail(services, exchange, error);
      const reason = serverError(code, restInterface);
      if (code === 'LIM001') rejectOversized(services, operation, exchange, reason);
      else sendErrorAfterAdmission(services, operation, exchange, reason);
    },
  });
}

/** Reads the rest of the body before it sends the error. Fastify closes the connection after the response. */
function rejectOversized(
  services: AdapterServices,
  operation: CompiledOperation,
  exchange: Exchange,
  reason: CatalogueError,
): void {
  drainBody(exchange.request.raw, BRIEFLY)
    .then(() => sendErrorAfterAdmission(services, operation, exchange, reason))
    .catch((error: unknown) => fail(services, exchange, error));
}

/** Returns true unless the headers show that the body has at most the usual size. */
function mayExceedUsualSize({ headers }: FastifyRequest): boolean {
  const isOfUnknownSize = headers['transfer-encoding'] !== undefined;
  return isOfUnknownSize || Number(headers['content-length'] ?? 0) > USUAL_BODY_MIB * 1024 * 1024;
}

/** Returns the error of a request that Fastify rejects, with the limit of the interface. */
function serverError(code: ErrorCode, { maxBodyMiB }: RestInterface): CatalogueError {
  const isLargerLimit = code === 'LIM001' && maxBodyMiB > 1;
  return catalogueError(code, isLargerLimit ? `The body is larger than ${maxBodyMiB} MiB.` : undefined);
}
