import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type TrustedProxies, proxyTrust } from './client/client-address';
import type { GraphClient, RequestFacts } from './client/graph-client';
import { newIdentifier } from '../schema/identifiers';
import type { TokenVerifier } from '../subgraphs/server/bearer-token';
import { serveMetrics } from '../subgraphs/server/metrics-route';
import type { ServiceTokens } from '../subgraphs/server/service-token';
import type { SubgraphLink } from '../subgraphs/server/subgraph-link';
import { type AdHocRequest, adHocOperations } from './ad-hoc-operations';
import { type Audiences, introspectionAudience } from './audiences';
import { authentication } from './authentication';
import { httpFailureCode, sendRefusal } from './http-answer';
import { type LandingPages, addLandingPages } from './landing-pages';
import { operationMetrics } from './metrics';
import { failureReport } from './request-log';
import { type RequestParts, answerAdHoc, answerRequest } from './request-steps';
import { addStreaming } from './subscriptions/streaming';
import { type Subscriptions, subscriptions } from './subscriptions/subscriptions';
import { loadSupergraph } from './supergraph';
import { trustedClient } from './trusted-client';
import { trustedDocuments } from './trusted-documents';

/** What the gateway is started with. */
export interface GatewayOptions {
  readonly supergraphSdl: string;
  readonly audiences: Audiences;
  /** Operation name to text: `schema/generated/trusted-documents.json`. */
  readonly trustedDocuments: Readonly<Record<string, string>>;
  readonly links: readonly SubgraphLink[];
  /** Whether the subgraphs can answer now, each with its database. */
  readonly ready: () => Promise<boolean>;
  readonly verifier: TokenVerifier;
  readonly serviceTokens: ServiceTokens;
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly landing: LandingPages;
}

/** Where the gateway listens and whom it trusts. */
export interface GatewaySettings {
  readonly port: number;
  readonly host?: string | undefined;
  readonly production: boolean;
  readonly trustProxy: TrustedProxies;
  /** RATE_LIMITS=off, for tests and benches: also an account's connections are not limited. */
  readonly rateLimitsOff?: boolean | undefined;
}

/** The gateway, running. */
export interface RunningGateway {
  /** The graph for a client in the same process. */
  readonly client: GraphClient;
  readonly apiSchema: GraphQLSchema;
  readonly url: string;
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

/** Body of a request in bytes (2-decisions-a-b.md, section 7). */
const BODY_LIMIT = 256 * 1024;
/** Milliseconds until the whole request must have arrived. */
const REQUEST_TIMEOUT = 30_000;

/** READ FIRST: starts the one GraphQL endpoint over all subgraphs. The steps of a request: `request-steps.ts`. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { settings, landing, logger } = options;
  const steps = await prepare(options);
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    trustProxy: proxyTrust(settings.trustProxy),
    return503OnClosing: true,
    http: { joinDuplicateHeaders: true }, // two credentials are none: Node would take the first
    frameworkErrors: (_, __, reply) => sendRefusal(reply as never, 'NTF001', newIdentifier('tid')),
  });
  app.removeContentTypeParser('text/plain');
  addOperationalRoutes(app, options);
  const answerOnce = (request: AdHocRequest, facts: RequestFacts) => answerAdHoc(request, {}, facts, steps);
  const streaming = addStreaming(app, '/graphql', { ...steps, answerOnce }, steps.tokens);
  app.post('/graphql', (request, reply) => answerRequest(request, reply, steps, streaming));
  if (landing.explorer && !settings.production) await addLandingPages(app, landing);
  addRefusals(app, steps);
  await app.listen({ port: settings.port, host: settings.host ?? '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  logger.info({ port, documents: steps.trusted.operations.size }, 'gateway listens');
  return {
    client: trustedClient(steps.trusted, steps.metrics, steps.report),
    apiSchema: steps.apiSchema,
    url: `http://localhost:${port}`,
    app,
    async close() {
      await streaming.close();
      await app.close();
      await steps.adHoc.close();
    },
  };
}

/** The steps of a request, and what else the gateway consists of; made once. */
interface Parts extends RequestParts {
  readonly apiSchema: GraphQLSchema;
  readonly subscriptions: Subscriptions;
}

async function prepare({ settings, logger, ...options }: GatewayOptions): Promise<Parts> {
  const supergraph = await loadSupergraph(options.supergraphSdl, options.links, logger);
  const { links } = supergraph;
  const [access, identity] = [links.get('access'), links.get('identity')];
  if (!access || !identity) throw new Error('the gateway needs a way to the subgraphs access and identity');
  const callers = authentication({ verifier: options.verifier, access, identity, tariffs: links.get('tariffs') });
  const introspection = introspectionAudience(settings.production);
  const preparation = { supergraph, audiences: options.audiences, introspection, logger };
  const trusted = await trustedDocuments(options.trustedDocuments, preparation, callers);
  const report = failureReport(logger);
  return {
    apiSchema: supergraph.apiSchema,
    callers,
    trusted,
    adHoc: await adHocOperations(preparation, settings.production, report),
    subscriptions: subscriptions({ preparation, callers, ...settings, logger, report, registry: options.metrics }),
    tokens: options.serviceTokens,
    metrics: operationMetrics(options.metrics, trusted.operations.keys()),
    logger,
    report,
  };
}

/** Live: the process answers. Ready: each subgraph and its database answer, too. */
function addOperationalRoutes(app: FastifyInstance, { metrics, settings, ready }: GatewayOptions): void {
  const health = async (_: FastifyRequest, reply: FastifyReply) => {
    const isReady = await ready();
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'unavailable' });
  };
  app.get('/health', health);
  app.get('/health/ready', health);
  app.get('/health/live', () => ({ status: 'live' }));
  serveMetrics(app, metrics, settings.production);
}

/** Answers to requests that are none for the graph; each has a transaction id of its own. */
function addRefusals(app: FastifyInstance, { logger }: Parts): void {
  const refuse = (reply: FastifyReply, code: Parameters<typeof sendRefusal>[1]) => {
    const transactionId = newIdentifier('tid');
    logger.info({ 'transaction-id': transactionId, outcome: code }, 'request refused');
    return sendRefusal(reply, code, transactionId);
  };
  app.setNotFoundHandler((request, reply) => {
    if (request.url.split('?')[0] !== '/graphql') return refuse(reply, 'NTF001');
    return refuse(reply.header('allow', 'POST'), 'MET001');
  });
  app.setErrorHandler((error, _, reply) => refuse(reply, httpFailureCode(error as Partial<Error>)));
}
