import type { Logger } from 'pino';
import type { GraphClient, GraphResult } from '../../gateway/client/graph-client';
import { RegisterError } from '../../schema/register-error';
import { traced } from '../../subgraphs/server/observability/tracing';
import type { CompiledOperation } from '../contract/compile';
import type { SignIn } from '../contract/contract';
import { type FileDependencies, sendFile } from '../files/file-response';
import type { MediaType } from '../files/media-negotiation';
import { type CatalogueError, catalogueError, failuresError } from '../responses/error-response';
import { type Exchange, responseMetadataOf } from '../responses/exchange';
import { errorFields } from '../../subgraphs/server/observability/failures';
import { CHECK_APPLIED } from './preferences';
import { type Reading, readRequest } from './read-request';
import { basicCredentials } from './request-headers';

/** Dependencies of the steps of a request. */
export interface AdapterServices extends FileDependencies {
  readonly graph: GraphClient;
  readonly logger: Logger;
  readonly defaultArea: string | undefined;
  /** Path of the public URL of Interface A, to which `Location` adds collection and key. */
  readonly publicPath: string;
}

/**
 * READ FIRST. The steps of a request, in order:
 *
 * 1. Read it by its contract: credentials, media types, parameters, body ({@link readRequest}).
 * 2. If it is invalid, check whether the graph admits the caller at all, then send the error.
 * 3. Otherwise run its GraphQL operation with the credentials as sent; as a check if a precondition is not met.
 * 4. Send the response: errors by the order of checks, 404 for missing data, the data in the form of the contract, or
 *    the file that the data name.
 */
export function handle(services: AdapterServices, served: CompiledOperation, exchange: Exchange): void {
  const operation = selectedBy(exchange.request.query, served);
  const reading = readRequest(operation, exchange.request, services.defaultArea);
  if ('error' in reading) {
    sendErrorAfterAdmission(services, operation, exchange, reading.error);
    return;
  }
  const { method, path } = operation.contract;
  traced(`${method} ${path}`, exchange.requestMetadata.transactionId, () =>
    services.graph.run(operation.name, reading.variables, exchange.requestMetadata),
  )
    .then((answer) => respond(services, operation, exchange, answer, reading))
    .catch((error: unknown) => fail(services, exchange, error));
}

/** Returns the operation by the document that the query selects. */
function selectedBy(query: unknown, served: CompiledOperation): CompiledOperation {
  if (served.alternative === undefined) return served;
  const { parameter, value, operation } = served.alternative;
  return (query as Readonly<Record<string, unknown>>)[parameter] === value ? operation : served;
}

/**
 * Sends 401 or 403 before any other error of the request. Without a credential, operations open to unauthenticated
 * callers need no admission. The secret of a sign-in is not checked if the request is invalid.
 */
export function sendErrorAfterAdmission(
  services: AdapterServices,
  operation: CompiledOperation,
  exchange: Exchange,
  reason: CatalogueError,
): void {
  const { signIn } = operation.contract;
  if (signIn === 'basic' && basicCredentials(exchange.request.headers.authorization) === undefined) {
    services.sendError(exchange, catalogueError('AUT001'));
    return;
  }
  if (!needsAdmission(signIn, exchange)) {
    services.sendError(exchange, reason);
    return;
  }
  afterAdmission(services, operation, exchange, () => services.sendError(exchange, reason));
}

/** Continues if the graph admits the caller; otherwise sends its error: 401, 403 or 429. */
export function afterAdmission(
  services: AdapterServices,
  operation: CompiledOperation,
  exchange: Exchange,
  proceed: () => void,
): void {
  services.graph
    .admit(operation.name, exchange.requestMetadata)
    .then((failure) => (failure ? services.sendError(exchange, failuresError([failure], undefined)) : proceed()))
    .catch((error: unknown) => fail(services, exchange, error));
}

function needsAdmission(signIn: SignIn, { restInterface, requestMetadata }: Exchange): boolean {
  const hasCredential = (requestMetadata.authorization ?? requestMetadata.supplierKey) !== undefined;
  return signIn === 'bearer' || signIn === 'key' || (restInterface.verifiesEveryCredential && hasCredential);
}

function respond(
  services: AdapterServices,
  operation: CompiledOperation,
  exchange: Exchange,
  { data, failures }: GraphResult,
  { parameters, isCheck, unmet }: Reading,
): void {
  if (failures.length > 0 || data == null) {
    services.sendError(exchange, failuresError(failures, operation.request.input));
    return;
  }
  const missing = operation.missing(data);
  if (missing !== undefined) {
    services.sendError(exchange, catalogueError(missing, operation.row.missing));
    return;
  }
  if (unmet) {
    services.sendError(exchange, unmet);
    return;
  }
  if (operation.file) {
    const { file, mediaTypes } = operation.file;
    const mediaType = mediaTypes.choose(exchange.request.headers.accept) as MediaType;
    sendFile(services, exchange, file(data), mediaType).catch((error: unknown) => fail(services, exchange, error));
    return;
  }
  const { status, statusUnlessNew } = operation.contract;
  const isNew = operation.isNew(data);
  services.send(
    exchange,
    isNew ? status : statusUnlessNew,
    headersOf(services, operation, data, { isNew, isCheck }),
    operation.body?.(data, responseMetadataOf(exchange), parameters),
  );
}

/** A check has neither `Location` nor `ETag`, since it creates neither a resource nor a version. */
function headersOf(
  { publicPath }: AdapterServices,
  { etag, location, isReplayed }: CompiledOperation,
  data: Record<string, unknown>,
  { isNew, isCheck }: { readonly isNew: boolean; readonly isCheck: boolean },
) {
  return {
    ...(etag && !isCheck && { etag: etag(data) }),
    ...(location && isNew && !isCheck && { location: publicPath + location(data) }),
    ...(isReplayed?.(data) && { 'idempotency-replayed': 'true' }),
    ...(isCheck && CHECK_APPLIED),
  };
}

/** Sends a RegisterError by its code. Logs any other error without its message and sends SYS001. */
export function fail(
  { logger, sendError }: Pick<AdapterServices, 'logger' | 'sendError'>,
  exchange: Exchange,
  error: unknown,
): void {
  if (error instanceof RegisterError && !exchange.reply.sent) {
    sendError(exchange, catalogueError(error.code));
    return;
  }
  logger.error(
    { 'transaction-id': exchange.requestMetadata.transactionId, failure: errorFields(error) },
    'internal error',
  );
  if (!exchange.reply.sent) sendError(exchange, catalogueError('SYS001'));
}
