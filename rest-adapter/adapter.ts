import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { RestAdapterOptions, RunningRestAdapter } from './adapter-options';
import { type CompiledOperation, compile } from './compile';
import { type Contract, type SignIn, loadContract } from './contract';
import { type Exchange, answers, metadataOf } from './exchange';
import { type FileSteps, answerFile } from './files/file-answer';
import { serveUploads } from './files/uploads';
import { INTERFACES } from './interfaces';
import type { MediaType } from './files/media-negotiation';
import type { GraphAnswer, GraphClient } from '../gateway/client/graph-client';
import { RegisterError } from '../schema/register-error';
import { traced } from '../subgraphs/server/tracing';
import { loadOperationDocuments } from './operation-documents';
import { basicCredentials } from './request-headers';
import { readRequest } from './read-request';
import { serveKeySet } from './key-set';
import { serveOperatorRoutes } from './operator-routes';
import { serveReference } from './reference-page';
import { type Refusal, refusal, refusalOfFailures } from './refusal';
import { routeTable } from './route-table';
import { failurePlace, requestRecorder } from './telemetry';
import { routePath, shadowedRoutes } from './route-paths';
import { codeOfServerError, unserved } from './unserved-requests';
import { webServer } from './web-server';

/** What the steps of a request need. */
interface Steps extends FileSteps {
  readonly graph: GraphClient;
  readonly logger: Logger;
  readonly defaultArea: string | undefined;
}

/**
 * READ FIRST. The steps of a request, in order:
 *
 * 1. read it by its contract: credentials, media types, parameters, body ({@link readRequest});
 * 2. if it cannot be asked, ask the graph whether the caller would be let in at all, and refuse;
 * 3. else run its operation, with the credentials as they came;
 * 4. answer: failures by the order of checks, nothing there (404), the data in the contract's form, or the file that they tell of.
 */
function handle(steps: Steps, operation: CompiledOperation, exchange: Exchange): void {
  const reading = readRequest(operation, exchange.request, steps.defaultArea);
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

/**
 * 401 and 403 come before everything that is wrong with the request; what anyone may call asks nobody, if no credential was sent. Whether
 * the secret of a sign-in is right is not found out for a request that cannot be read.
 */
function refuseAfterAdmission(steps: Steps, operation: CompiledOperation, exchange: Exchange, reason: Refusal): void {
  const { signIn } = operation.contract;
  if (signIn === 'basic' && basicCredentials(exchange.request.headers.authorization) === undefined) {
    steps.refuse(exchange, refusal('AUT001'));
    return;
  }
  if (!isToBeAdmitted(signIn, exchange)) {
    steps.refuse(exchange, reason);
    return;
  }
  steps.graph
    .admit(operation.name, exchange.facts)
    .then((failure) => steps.refuse(exchange, failure ? refusalOfFailures([failure], undefined) : reason))
    .catch((error: unknown) => fail(steps, exchange, error));
}

function isToBeAdmitted(signIn: SignIn, { restInterface, facts }: Exchange): boolean {
  const hasCredential = (facts.authorization ?? facts.supplierKey) !== undefined;
  return signIn === 'bearer' || signIn === 'key' || (restInterface.verifiesEveryCredential && hasCredential);
}

function conclude(
  steps: Steps,
  operation: CompiledOperation,
  exchange: Exchange,
  { data, failures }: GraphAnswer,
  parameters: Readonly<Record<string, unknown>>,
): void {
  if (failures.length > 0 || data == null) {
    steps.refuse(exchange, refusalOfFailures(failures, operation.request.input));
    return;
  }
  const missing = operation.missing(data);
  if (missing !== undefined) {
    steps.refuse(exchange, refusal(missing, operation.row.missing));
    return;
  }
  if (operation.file) {
    const { file, mediaTypes } = operation.file;
    const mediaType = mediaTypes.chosen(exchange.request.headers.accept) as MediaType;
    answerFile(steps, exchange, file(data), mediaType).catch((error: unknown) => fail(steps, exchange, error));
    return;
  }
  const { status, statusUnlessNew } = operation.contract;
  const isNew = operation.isNew(data);
  steps.send(
    exchange,
    isNew ? status : statusUnlessNew,
    headersOf(operation, data, isNew),
    operation.answer?.(data, metadataOf(exchange), parameters),
  );
}

function headersOf({ etag, location, isReplayed }: CompiledOperation, data: Record<string, unknown>, isNew: boolean) {
  return {
    ...(etag && { etag: etag(data) }),
    ...(location && isNew && { location: location(data) }),
    ...(isReplayed?.(data) && { 'idempotency-replayed': 'true' }),
  };
}

/** A RegisterError is told by its own code; any other failure here, or on the way to graph or files, as SYS001, and its place is logged. */
function fail({ logger, refuse }: Pick<Steps, 'logger' | 'refuse'>, exchange: Exchange, error: unknown): void {
  if (error instanceof RegisterError && !exchange.reply.sent) {
    refuse(exchange, refusal(error.code));
    return;
  }
  logger.error({ 'transaction-id': exchange.facts.transactionId, failure: failurePlace(error) }, 'internal error');
  if (!exchange.reply.sent) refuse(exchange, refusal('SYS001'));
}

/** Starts the REST interfaces: compiles contracts, operations and route table against the graph, and serves them. */
export async function startRestAdapter(options: RestAdapterOptions): Promise<RunningRestAdapter> {
  const { graph, schema, settings, logger, metrics } = options;
  const contracts = await loadContracts();
  const { operations, problems } = await compile({
    contracts,
    documents: loadOperationDocuments(),
    rows: routeTable,
    schema,
  });
  if (problems.length > 0) throw new Error(`the contracts do not fit the graph:\n${problems.join('\n')}`);
  const record = requestRecorder(logger, metrics);
  const secure = settings.production && settings.baseUrl.startsWith('https:');
  const defaultArea = settings.ltdsDefaultArea;
  const steps: Steps = { graph, files: options.files, logger, defaultArea, ...answers(record, secure, settings) };

  const app = webServer(settings.trustProxy, steps);
  const { production } = settings;
  serveReference(app, { contracts, addresses: settings, production, samples: options.samples, record });
  serveKeySet(app, options.keySet, record);
  serveOperatorRoutes(app, metrics, production);
  for (const operation of operations) serve(app, steps, operation);
  const uploads = contracts.flatMap((contract) => contract.uploads);
  serveUploads(app, { ...steps, fail: (exchange, error) => fail(steps, exchange, error) }, uploads);
  const served = [
    ...operations.map(({ contract: { method, path }, takesHead }) => ({ method, path, takesHead })),
    ...uploads,
  ];
  const answerUnserved = unserved(served, steps);
  for (const { method, path } of shadowedRoutes(served))
    app.route({ method: method as 'GET', exposeHeadRoute: false, url: path, handler: answerUnserved });
  app.setNotFoundHandler(answerUnserved);
  app.setErrorHandler((_error, request, reply) => answerUnserved(request, reply));
  await app.listen({ port: settings.port, host: settings.host ?? '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { app, url: `http://localhost:${port}`, close: () => app.close() };
}

/** Reads the contracts of all interfaces, each in a turn of the event loop of its own. */
async function loadContracts(): Promise<Contract[]> {
  const contracts: Contract[] = [];
  for (const each of INTERFACES) {
    contracts.push(loadContract(each));
    await turn();
  }
  return contracts;
}

/** The challenge of a 401, by how a caller signs in. */
const SCHEMES = { bearer: 'Bearer', basic: 'Basic', key: 'ApiKey', anyone: 'Bearer' } as const;

function serve(app: FastifyInstance, steps: Steps, operation: CompiledOperation): void {
  const { method, path, signIn, restInterface } = operation.contract;
  const begin = (request: FastifyRequest, reply: FastifyReply) =>
    steps.begin(request, reply, path, SCHEMES[signIn], restInterface);
  app.route({
    method: (operation.takesHead ? [method, 'HEAD'] : method) as 'GET',
    exposeHeadRoute: false,
    url: routePath(path),
    handler: (request, reply) => {
      const exchange = begin(request, reply);
      try {
        handle(steps, operation, exchange);
      } catch (error) {
        fail(steps, exchange, error);
      }
    },
    errorHandler: (error, request, reply) => {
      const exchange = begin(request, reply);
      const code = codeOfServerError(error);
      if (code === 'SYS001') fail(steps, exchange, error);
      else refuseAfterAdmission(steps, operation, exchange, refusal(code));
    },
  });
}
