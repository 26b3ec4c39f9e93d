import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../../gateway/client/client-address';
import { type RequestMetadata, supplierKeyIn } from '../../gateway/client/graph-client';
import { newIdentifier } from '../../schema/identifiers';
import { type ResponseMetadata, responseMetadata } from './envelope';
import type { Installation } from '../contract/installation';
import { INTERFACES, type RestInterface, interfaceAt } from '../contract/interfaces';
import type { ErrorResponse } from './error-response';
import type { RecordRequest } from './telemetry';

/** One request and its response. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Route template. */
  readonly route: string;
  readonly requestMetadata: RequestMetadata;
  readonly startedAt: number;
  /** Challenge of a 401. */
  readonly scheme: 'Bearer' | 'Basic' | 'ApiKey';
  readonly restInterface: RestInterface;
}

/** Headers of every response. They forbid caching (files override it), framing, content sniffing and referrers. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

const JSON_TYPE = 'application/json; charset=utf-8';

const HSTS = { ...HEADERS, 'strict-transport-security': 'max-age=31536000; includeSubDomains' } as const;

/** Returns the metadata of a response, with the current time. */
export function responseMetadataOf({ restInterface, request, requestMetadata }: Exchange): ResponseMetadata {
  return responseMetadata(restInterface.timeField, request.raw.url ?? '', requestMetadata.transactionId);
}

/** Sends the responses of one adapter. */
export interface Responder {
  /** Headers of every response of an interface. */
  headersOf(restInterface: RestInterface): Readonly<Record<string, string>>;
  /**
   * Starts an exchange. By default its interface is the one to which the URL belongs. `isCounted` states that the request was counted when its
   * caller was admitted.
   */
  start(
    request: FastifyRequest,
    reply: FastifyReply,
    route: string,
    scheme?: Exchange['scheme'],
    restInterface?: RestInterface,
    isCounted?: boolean,
  ): Exchange;
  /** Sends a JSON response and records it; without a body if `body` is undefined. */
  send(exchange: Exchange, status: number, headers: Readonly<Record<string, string>> | undefined, body: unknown): void;
  /** Sends bytes, or only the headers of a response, and records it. */
  sendBytes(
    exchange: Exchange,
    status: number,
    headers: Readonly<Record<string, string>>,
    bytes?: Buffer | Readable,
  ): void;
  sendError(exchange: Exchange, error: ErrorResponse, headers?: Readonly<Record<string, string>>): void;
  /** Records a response that is sent without an exchange. */
  readonly record: RecordRequest;
}

/** Creates the responder: adds headers and envelope, and records each response once. */
export function responder(record: RecordRequest, secure: boolean, installation: Installation): Responder {
  const common = new Map<RestInterface, Readonly<Record<string, string>>>(
    INTERFACES.map((each) => [each, { ...(secure ? HSTS : HEADERS), ...each.headers(installation) }]),
  );
  const headersOf = (restInterface: RestInterface) => common.get(restInterface) ?? HEADERS;
  const sendBytes = (
    { request, reply, route, requestMetadata, startedAt, restInterface }: Exchange,
    status: number,
    headers: Readonly<Record<string, string>> | undefined,
    bytes?: string | Buffer | Readable,
  ): void => {
    const { transactionId } = requestMetadata;
    reply.code(status).headers(headersOf(restInterface)).header('transaction-id', transactionId);
    if (headers) reply.headers(headers);
    reply.send(bytes);
    record({ transactionId, method: request.method, route, status, startedAt });
  };
  const send: Responder['send'] = (exchange, status, headers, body) => {
    if (body !== undefined) exchange.reply.header('content-type', JSON_TYPE);
    sendBytes(exchange, status, headers, body === undefined ? undefined : JSON.stringify(body));
  };
  return {
    headersOf,
    record,
    start(
      request,
      reply,
      route,
      scheme = 'Bearer',
      restInterface = interfaceAt(request.raw.url ?? ''),
      isCounted = false,
    ) {
      const { headers } = request;
      const authorization = scheme === 'Basic' ? undefined : headers.authorization;
      const supplierKey = restInterface.acceptsSupplierKeys ? supplierKeyIn(headers) : undefined;
      const sender = { transactionId: newIdentifier('tid'), clientAddress: clientAddress(request), isCounted };
      const requestMetadata = { authorization, supplierKey, ...sender };
      return { request, reply, route, requestMetadata, startedAt: performance.now(), scheme, restInterface };
    },
    send,
    sendBytes,
    sendError(exchange, error, headers) {
      const body = exchange.restInterface.errorForm(error, responseMetadataOf(exchange));
      send(exchange, error.status, { ...errorHeaders(error, exchange), ...headers }, body);
    },
  };
}

const REALM = 'realm="Central Data Access Register"';

function errorHeaders(
  { status, code, retryAfter }: ErrorResponse,
  { scheme, requestMetadata }: Exchange,
): Record<string, string> {
  if (status === 401) {
    const required = code === 'AUT003' ? 'ApiKey' : scheme;
    return { 'www-authenticate': challenge(required, code === 'AUT002', requestMetadata.authorization !== undefined) };
  }
  if (status === 429) {
    const seconds = String(Math.max(1, Math.ceil(retryAfter ?? 60)));
    return { 'retry-after': seconds, ratelimit: `"requests";r=0;t=${seconds}` };
  }
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}

/**
 * Returns the challenge (RFC 7617; RFC 6750 section 3). It names an error only if a token was sent. `ApiKey` is not a
 * registered scheme.
 */
function challenge(scheme: Exchange['scheme'], expired: boolean, tokenSent: boolean): string {
  if (scheme === 'Basic') return `Basic ${REALM}, charset="UTF-8"`;
  if (scheme === 'ApiKey') return `ApiKey ${REALM}`;
  if (!tokenSent) return `Bearer ${REALM}`;
  return `Bearer ${REALM}, error="invalid_token"${expired ? ', error_description="The token has expired"' : ''}`;
}
