import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { GraphClient } from './client/graph-client';
import { newIdentifier } from '../schema/identifiers';
import type { TokenVerifier } from '../subgraphs/server/bearer-token';
import { serveMetrics } from '../subgraphs/server/metrics-route';
import type { ServiceTokens } from '../subgraphs/server/service-token';
import type { SubgraphLink } from '../subgraphs/server/subgraph-link';
import { traced, withinTrace } from '../subgraphs/server/tracing';
import { type AdHocOperations, type AdHocRequest, adHocOperations } from './ad-hoc-operations';
import { type Audiences, introspectionAudience } from './audiences';
import { type Authentication, authentication } from './authentication';
import { inTime } from './deadline';
import { type TrustedRequest, graphRequest, isTrusted } from './graph-request';
import { type HttpAnswer, answerOf, httpFailureCode, sendRefusal } from './http-answer';
import { type LandingPages, addLandingPages } from './landing-pages';
import { AD_HOC, type OperationMetrics, operationMetrics } from './metrics';
import { presented } from './presentation';
import { type FailureReport, failureReport, logRequest } from './request-log';
import { type RequestOrigin, originOf } from './request-origin';
import { loadSupergraph } from './supergraph';
import { trustedClient } from './trusted-client';
import { type TrustedDocuments, trustedDocuments } from './trusted-documents';

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
  /** Whose `X-Forwarded-For` is believed: nobody's, everybody's, that of so many proxies, or of those addresses and networks. */
  readonly trustProxy: boolean | number | string[];
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

/** Starts the one GraphQL endpoint over all subgraphs. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { settings, landing, logger } = options;
  const steps = await prepare(options);
  const { trustProxy } = settings;
  const trusted = typeof trustProxy === 'number' ? (_: string, hop: number) => hop < trustProxy : trustProxy;
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    trustProxy: trusted,
    return503OnClosing: true,
    frameworkErrors: (_, __, reply) => sendRefusal(reply as never, 'NTF001', newIdentifier('tid')),
  });
  app.removeContentTypeParser('text/plain');
  addOperationalRoutes(app, options);
  app.post('/graphql', (request, reply) => answerRequest(request, reply, steps));
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
      await app.close();
      await steps.adHoc.close();
    },
  };
}

/** What the steps of a request need; made once. */
interface Steps {
  readonly apiSchema: GraphQLSchema;
  readonly callers: Authentication;
  readonly trusted: TrustedDocuments;
  readonly adHoc: AdHocOperations;
  readonly tokens: ServiceTokens;
  readonly metrics: OperationMetrics;
  readonly logger: Logger;
  readonly report: FailureReport;
}

async function prepare({ settings, logger, ...options }: GatewayOptions): Promise<Steps> {
  const supergraph = await loadSupergraph(options.supergraphSdl, options.links, logger);
  const [access, identity] = [supergraph.links.get('access'), supergraph.links.get('identity')];
  if (!access || !identity) throw new Error('the gateway needs a way to the subgraphs access and identity');
  const callers = authentication({ verifier: options.verifier, access, identity });
  const introspection = introspectionAudience(settings.production);
  const preparation = { supergraph, audiences: options.audiences, introspection, logger };
  const trusted = trustedDocuments(options.trustedDocuments, preparation, callers);
  const report = failureReport(logger);
  return {
    apiSchema: supergraph.apiSchema,
    callers,
    trusted,
    adHoc: await adHocOperations(preparation, settings.production, report),
    tokens: options.serviceTokens,
    metrics: operationMetrics(options.metrics, trusted.operations.keys()),
    logger,
    report,
  };
}

/** The steps of a GraphQL request, in order. */
async function answerRequest(request: FastifyRequest, reply: FastifyReply, steps: Steps): Promise<FastifyReply> {
  const begin = performance.now();
  const origin = await originOf(request, steps.tokens).catch(() => undefined);
  if (!origin) return sendRefusal(reply, 'AUT001', newIdentifier('tid'));
  const answer = await withinTrace(request.headers, () => answerBody(request, origin, steps));
  logRequest(steps.logger, origin, answer, begin);
  return reply
    .code(answer.status)
    .headers({ ...answer.headers, 'transaction-id': origin.transactionId, 'cache-control': 'no-store' })
    .send(answer.body);
}

async function answerBody({ body, headers }: FastifyRequest, origin: RequestOrigin, steps: Steps): Promise<HttpAnswer> {
  try {
    const request = graphRequest(body);
    return isTrusted(request)
      ? await answerTrusted(request, origin, steps)
      : await answerAdHoc(request, headers, origin, steps);
  } catch (error) {
    steps.report(error, origin.transactionId);
    return answerOf(undefined, { errors: [error] }, origin.transactionId, origin.authorization !== undefined);
  }
}

async function answerTrusted(
  { documentId, variables, admitOnly }: TrustedRequest,
  origin: RequestOrigin,
  { trusted, metrics, report }: Steps,
): Promise<HttpAnswer> {
  const stop = metrics.start(documentId);
  const name = trusted.operations.has(documentId) ? documentId : undefined;
  const execution = admitOnly
    ? trusted.admit(documentId, origin).then(() => ({ data: { admitted: true } }))
    : trusted.run(documentId, variables, origin);
  const result = await execution.catch((error: unknown) => ({ errors: [error] }));
  const errors = 'errors' in result ? result.errors : undefined;
  errors?.forEach((error) => report(error, origin.transactionId));
  const answer = answerOf(name, result, origin.transactionId, origin.authorization !== undefined);
  stop(answer.outcome);
  return answer;
}

async function answerAdHoc(
  request: AdHocRequest,
  sent: Readonly<Record<string, unknown>>,
  origin: RequestOrigin,
  { adHoc, callers, metrics }: Steps,
): Promise<HttpAnswer> {
  const stop = metrics.start(AD_HOC);
  const { response, operationName, outcome } = await traced('gateway ad hoc', origin.transactionId, async () =>
    inTime((async () => adHoc.run(request, await callers.identify(origin), sent))()),
  ).catch((error: unknown) => {
    stop(presented(error).extensions.code);
    throw error;
  });
  stop(outcome);
  const body = response.body.kind === 'complete' ? response.body.string : '';
  return {
    status: response.status ?? 200,
    headers: Object.fromEntries(response.headers),
    body,
    operation: operationName,
    outcome,
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
function addRefusals(app: FastifyInstance, { logger }: Steps): void {
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
