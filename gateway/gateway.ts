import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type TrustedProxies, proxyTrust, warnOfUntrustedProxy } from './client/client-address';
import type { GraphClient, RequestMetadata } from './client/graph-client';
import { listeningUrl } from './client/listening-url';
import { closeUnreadConnections, requestTimeouts } from './client/time-limits';
import { codeOfServerError } from './client/server-error';
import { newIdentifier } from '../schema/identifiers';
import { RegisterError } from '../schema/register-error';
import type { TokenVerifier } from '../subgraphs/server/callers/bearer-token';
import { graceful } from '../subgraphs/server/graceful-stop';
import { serveMetrics } from '../subgraphs/server/observability/metrics-route';
import { serveReadiness } from '../subgraphs/server/observability/readiness-routes';
import type { SubgraphLink } from '../subgraphs/server/graph/subgraph-link';
import type { ServiceSockets } from '../subgraphs/server/link/service-server';
import { adHocOperations } from './requests/ad-hoc-operations';
import { concurrentOperations } from './requests/concurrent-operations';
import { type Audiences, introspectionAudience } from './callers/audiences';
import { authentication } from './callers/authentication';
import { bodiesBySender, parseJsonBodies } from './requests/body-limits';
import { USUAL_BODY_BYTES } from './requests/body-sender';
import type { AdHocRequest } from './requests/graph-request';
import { httpFailureMessage, sendError } from './requests/http-response';
import { addClientSchema } from './explorer/client-schema';
import { type LandingPages, addLandingPages } from './explorer/landing-pages';
import { operationMetrics } from './requests/operation-metrics';
import { failureReport } from './requests/request-log';
import { type RequestDependencies, handleRequest, runOnce } from './requests/request-steps';
import { addStreaming, serviceSockets } from './subscriptions/transports/streaming';
import { type Subscriptions, subscriptions } from './subscriptions/subscriptions';
import { loadSupergraph } from './supergraph';
import { trustedClient } from './requests/trusted-client';
import { trustedDocuments } from './requests/trusted-documents';

/** Dependencies and settings of the gateway. */
export interface GatewayOptions {
  readonly supergraphSdl: string;
  readonly audiences: Audiences;
  /** The schema for clients as SDL: `schema/generated/client-schema.graphql`. */
  readonly clientSdl: string;
  /** Operation name to text: `schema/generated/trusted-documents.json`. */
  readonly trustedDocuments: Readonly<Record<string, string>>;
  readonly links: readonly SubgraphLink[];
  /** Returns true if every subgraph and its database respond now. */
  readonly ready: () => Promise<boolean>;
  readonly verifier: TokenVerifier;
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly landing: LandingPages;
}

/** Listening address, trusted proxies and mode of the gateway. */
interface GatewaySettings {
  readonly port: number;
  readonly host?: string | undefined;
  readonly production: boolean;
  readonly trustProxy: TrustedProxies;
  /** `RATE_LIMITS=off`, for tests and benches: also lifts the limits on open connections. */
  readonly rateLimitsOff?: boolean | undefined;
}

/** A running gateway. */
export interface RunningGateway {
  /** Graph client for callers in the same process. */
  readonly client: GraphClient;
  /** Returns WebSockets at `/graphql` for services of other processes. */
  readonly serviceSockets: () => ServiceSockets;
  readonly apiSchema: GraphQLSchema;
  readonly url: string;
  readonly app: FastifyInstance;
  /** Closes the gateway once the operations under way have their result, or when `forced` aborts. */
  close(forced?: AbortSignal): Promise<void>;
}

/**
 * READ FIRST: starts the one GraphQL endpoint over all subgraphs. `requests/request-steps.ts` lists the steps of a
 * request.
 */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { settings, landing, logger } = options;
  const services = await prepare(options);
  const app = fastify({
    bodyLimit: USUAL_BODY_BYTES,
    requestTimeout: requestTimeouts.requestTimeout,
    trustProxy: proxyTrust(settings.trustProxy),
    return503OnClosing: false, // requests that arrive while connections close receive their response
    // Two Authorization headers are invalid: they are joined like other headers; by default Node uses the first.
    http: { ...requestTimeouts.http, joinDuplicateHeaders: true },
    frameworkErrors: (_, __, reply) => sendError(reply as never, new RegisterError('NTF001'), newIdentifier('tid')),
  });
  closeUnreadConnections(app);
  warnOfUntrustedProxy(app, settings.trustProxy, logger);
  app.removeContentTypeParser('text/plain');
  parseJsonBodies(app);
  app.get('/health/live', () => ({ status: 'live' }));
  serveReadiness(app, ['/health', '/health/ready'], options.ready);
  serveMetrics(app, options.metrics, settings.production);
  addClientSchema(app, options.clientSdl);
  const streamed = {
    ...services,
    runOnce: (request: AdHocRequest, metadata: RequestMetadata) => runOnce(request, metadata, services),
  };
  const streaming = addStreaming(app, '/graphql', streamed);
  const socketsOfServices: ServiceSockets[] = [];
  app.post('/graphql', bodiesBySender(services.callers), (request, reply) =>
    handleRequest(request, reply, services, streaming),
  );
  if (landing.explorer && !settings.production) await addLandingPages(app, landing, options.clientSdl);
  addErrorHandlers(app, services);
  await app.listen({ port: settings.port, host: settings.host ?? '127.0.0.1' });
  const url = listeningUrl(app.server);
  logger.info({ port: Number(new URL(url).port), documents: services.trusted.operations.size }, 'gateway listens');
  return {
    client: trustedClient(services.trusted, services.metrics, services.report),
    serviceSockets: () => {
      const sockets = serviceSockets('/graphql', streamed);
      socketsOfServices.push(sockets);
      return sockets;
    },
    apiSchema: services.apiSchema,
    url,
    app,
    async close(forced = graceful()) {
      const closing = [streaming, ...socketsOfServices].map((sockets) => sockets.close(forced));
      await Promise.all([...closing, app.close()]);
      await services.adHoc.close();
    },
  };
}

/** Everything that requests share; created once. */
interface GatewayServices extends RequestDependencies {
  readonly apiSchema: GraphQLSchema;
  readonly subscriptions: Subscriptions;
}

async function prepare({ settings, logger, ...options }: GatewayOptions): Promise<GatewayServices> {
  const supergraph = await loadSupergraph(options.supergraphSdl, options.clientSdl, options.links, logger);
  const { links } = supergraph;
  const [access, identity] = [links.get('access'), links.get('identity')];
  if (!access || !identity) throw new Error('the gateway needs links to the subgraphs access and identity');
  const callers = authentication({
    service: 'gateway',
    verifier: options.verifier,
    access,
    identity,
    tariffs: links.get('tariffs'),
  });
  const introspection = introspectionAudience(settings.production);
  const preparation = { supergraph, audiences: options.audiences, introspection, logger };
  const concurrent = concurrentOperations();
  const trusted = trustedDocuments(options.trustedDocuments, preparation, callers, concurrent);
  const report = failureReport(logger);
  return {
    apiSchema: supergraph.apiSchema,
    callers,
    trusted,
    concurrent,
    adHoc: await adHocOperations(preparation, settings.production, report),
    subscriptions: subscriptions({ preparation, callers, ...settings, logger, report, registry: options.metrics }),
    metrics: operationMetrics(options.metrics, trusted.operations.keys()),
    logger,
    report,
  };
}

/** Rejects requests to unknown paths, with invalid HTTP, and with a body that their sender may not send, each with its own transaction id. */
function addErrorHandlers(app: FastifyInstance, { logger, report }: GatewayServices): void {
  const reject = ({ headers }: FastifyRequest, reply: FastifyReply, error: RegisterError, cause: unknown = error) => {
    const transactionId = newIdentifier('tid');
    if (error.code === 'SYS001') report(cause, transactionId);
    logger.info({ 'transaction-id': transactionId, outcome: error.code }, 'request rejected');
    return sendError(reply, error, transactionId, headers.authorization !== undefined);
  };
  app.setNotFoundHandler((request, reply) => {
    if (request.url.split('?')[0] !== '/graphql') return reject(request, reply, new RegisterError('NTF001'));
    return reject(request, reply.header('allow', 'POST'), new RegisterError('MET001'));
  });
  app.setErrorHandler((error: Partial<Error>, request, reply) => {
    if (error instanceof RegisterError) return reject(request, reply, error);
    const message = httpFailureMessage(error, request);
    return reject(request, reply, new RegisterError(codeOfServerError(error), message), error);
  });
}
