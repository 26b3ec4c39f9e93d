import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type CompiledOperation, compile } from './compile';
import { loadContract } from './contract';
import { responseMetadata, resourceOf } from './envelope';
import { type Answers, type Exchange, answers } from './exchange';
import type { GraphAnswer, GraphClient } from '../gateway/client/graph-client';
import { traced } from '../subgraphs/server/tracing';
import { loadOperationDocuments } from './operation-documents';
import { readRequest } from './read-request';
import { serveKeySet } from './key-set';
import { serveOperatorRoutes } from './operator-routes';
import { type Samples, serveReference } from './reference-page';
import { type Refusal, refusal, refusalOfFailures } from './refusal';
import { routeTable } from './route-table';
import { failurePlace, requestRecorder } from './telemetry';
import { routePath, shadowedRoutes } from './route-paths';
import { codeOfServerError, unserved } from './unserved-requests';
import { webServer } from './web-server';

/** Where and how the adapter serves. */
export interface RestAdapterSettings {
  readonly port: number;
  readonly host?: string | undefined;
  /** The public address of Interface A, with its version segment. */
  readonly baseUrl: string;
  /** Whose `X-Forwarded-For` is believed: nobody's, everybody's, that of addresses or networks, or of so many hops. */
  readonly trustProxy: boolean | number | string[];
  readonly production: boolean;
}

/** What the adapter is made of. */
export interface RestAdapterOptions {
  readonly graph: GraphClient;
  /** The API schema of the supergraph. */
  readonly schema: GraphQLSchema;
  /** The public keys of bearer tokens, a JWK Set, for `/.well-known/jwks.json`. */
  keySet(): Promise<unknown>;
  readonly settings: RestAdapterSettings;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** What the sandbox holds, for the examples of the reference page. */
  readonly samples?: () => Samples | undefined;
}

/** A serving adapter. */
export interface RunningRestAdapter {
  readonly app: FastifyInstance;
  readonly url: string;
  close(): Promise<void>;
}

/** What the steps of a request need. */
interface Steps extends Answers {
  readonly graph: GraphClient;
  readonly logger: Logger;
}

/**
 * READ FIRST. The steps of a request, in order:
 *
 * 1. read it by its contract: credentials, media types, parameters, body ({@link readRequest});
 * 2. if it cannot be asked, ask the graph whether the caller would be let in at all, and refuse;
 * 3. else run its operation, with the bearer token as it came;
 * 4. answer: failures by the order of checks, nothing there (404), or the data in the contract's form.
 */
function handle(steps: Steps, operation: CompiledOperation, exchange: Exchange): void {
  const reading = readRequest(operation, exchange.request);
  if ('refusal' in reading) {
    refuseAfterAdmission(steps, operation, exchange, reading.refusal);
    return;
  }
  const { method, path } = operation.contract;
  traced(`${method} ${path}`, exchange.facts.transactionId, () =>
    steps.graph.run(operation.name, reading.variables, exchange.facts),
  )
    .then((answer) => conclude(steps, operation, exchange, answer, reading.parameters))
    .catch((error: unknown) => fail(steps, exchange, error));
}

/** 401 and 403 come before everything that is wrong with the request; whom anyone may call asks nobody. */
function refuseAfterAdmission(steps: Steps, operation: CompiledOperation, exchange: Exchange, reason: Refusal): void {
  if (operation.contract.signIn !== 'bearer') {
    steps.refuse(exchange, reason);
    return;
  }
  steps.graph
    .admit(operation.name, exchange.facts)
    .then((failure) => steps.refuse(exchange, failure ? refusalOfFailures([failure], undefined) : reason))
    .catch((error: unknown) => fail(steps, exchange, error));
}

function conclude(
  steps: Steps,
  operation: CompiledOperation,
  exchange: Exchange,
  { data, failures }: GraphAnswer,
  parameters: Readonly<Record<string, unknown>>,
): void {
  if (failures.length > 0 || data == null) {
    steps.refuse(exchange, refusalOfFailures(failures, operation.input));
    return;
  }
  if (operation.isMissing(data)) {
    steps.refuse(exchange, refusal('NTF001'));
    return;
  }
  const metadata = responseMetadata(resourceOf(exchange.request.raw.url ?? ''), exchange.facts.transactionId);
  const { status, statusOfRepeat } = operation.contract;
  const isNew = operation.isNew(data);
  steps.send(
    exchange,
    isNew ? status : statusOfRepeat,
    headersOf(operation, data, isNew),
    operation.answer?.(data, metadata, parameters),
  );
}

function headersOf({ etag, location, isReplayed }: CompiledOperation, data: Record<string, unknown>, isNew: boolean) {
  return {
    ...(etag && { etag: etag(data) }),
    ...(location && isNew && { location: location(data) }),
    ...(isReplayed?.(data) && { 'idempotency-replayed': 'true' }),
  };
}

/** A failure of the adapter itself, or of the way to the graph: told as SYS001, its place goes to the log. */
function fail({ logger, refuse }: Steps, exchange: Exchange, error: unknown): void {
  logger.error({ 'transaction-id': exchange.facts.transactionId, failure: failurePlace(error) }, 'internal error');
  if (!exchange.reply.sent) refuse(exchange, refusal('SYS001'));
}

/** Starts Interface A: compiles contract, operations and route table against the graph, and serves them. */
export async function startRestAdapter(options: RestAdapterOptions): Promise<RunningRestAdapter> {
  const { graph, schema, settings, logger, metrics } = options;
  const contract = loadContract();
  const { operations, problems } = compile({ contract, documents: loadOperationDocuments(), rows: routeTable, schema });
  if (problems.length > 0) throw new Error(`the contract does not fit the graph:\n${problems.join('\n')}`);
  const record = requestRecorder(logger, metrics);
  const secure = settings.production && settings.baseUrl.startsWith('https:');
  const steps: Steps = { graph, logger, ...answers(record, secure) };

  const app = webServer(settings.trustProxy, steps);
  const { baseUrl, production } = settings;
  serveReference(app, { document: contract.document, baseUrl, production, samples: options.samples, record });
  serveKeySet(app, options.keySet, record);
  serveOperatorRoutes(app, metrics, settings.production);
  for (const operation of operations) serve(app, steps, operation);
  const answerUnserved = unserved(operations, steps);
  for (const { method, path } of shadowedRoutes(operations))
    app.route({ method: method as 'GET', url: path, handler: answerUnserved });
  app.setNotFoundHandler(answerUnserved);
  app.setErrorHandler((_error, request, reply) => answerUnserved(request, reply));
  await app.listen({ port: settings.port, host: settings.host ?? '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { app, url: `http://localhost:${port}`, close: () => app.close() };
}

function serve(app: FastifyInstance, steps: Steps, operation: CompiledOperation): void {
  const { method, path, signIn } = operation.contract;
  const scheme = signIn === 'basic' ? 'Basic' : 'Bearer';
  app.route({
    method: method as 'GET',
    url: routePath(path),
    handler: (request, reply) => {
      const exchange = steps.begin(request, reply, path, scheme);
      try {
        handle(steps, operation, exchange);
      } catch (error) {
        fail(steps, exchange, error);
      }
    },
    errorHandler: (error, request, reply) => {
      const exchange = steps.begin(request, reply, path, scheme);
      const code = codeOfServerError(error);
      if (code === 'SYS001') fail(steps, exchange, error);
      else refuseAfterAdmission(steps, operation, exchange, refusal(code));
    },
  });
}
