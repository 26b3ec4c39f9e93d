import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newIdentifier } from '../../schema/identifiers';
import { decodedPath, originForm, resourceOf, responseMetadata } from '../responses/envelope';
import type { Responder } from '../responses/exchange';
import { isUploading } from '../files/upload-deadline';
import { interfaceAt } from '../contract/interfaces';
import { catalogueError } from '../responses/error-response';
import { type Route, pathPattern } from '../contract/route-paths';
import { UNKNOWN_METHOD, UNKNOWN_ROUTE } from '../responses/telemetry';

/** Handles a request that matches no operation. */
export type UnmatchedRequestHandler = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Returns the handler of requests that match no operation: 405 with `Allow` if the path exists in a contract, otherwise
 * 404.
 */
export function unmatchedRequestHandler(
  routes: readonly Route[],
  { start, sendError }: Responder,
): UnmatchedRequestHandler {
  const paths = pathsOf(routes);
  return (request, reply) => {
    const resource = resourceOf(request.raw.url ?? '');
    const decoded = decodedPath(resource) ?? '';
    const path = paths.find(({ pattern }) => pattern.test(decoded));
    const exchange = start(request, reply, path?.template ?? UNKNOWN_ROUTE);
    if (path && !path.methods.includes(request.method))
      sendError(exchange, catalogueError('MET001'), { allow: path.methods.join(', ') });
    else sendError(exchange, catalogueError('NTF001'));
  };
}

function pathsOf(routes: readonly Route[]) {
  const templates = [...new Set(routes.map(({ path }) => path))];
  const literalFirst = templates.toSorted((one, other) => Number(one.includes('{')) - Number(other.includes('{')));
  return literalFirst.map((template) => {
    const ofTemplate = routes.filter(({ path }) => path === template);
    const methods = [
      ...ofTemplate.map(({ method }) => method),
      ...(ofTemplate.some(({ takesHead }) => takesHead) ? ['HEAD'] : []),
    ];
    return { template, methods, pattern: pathPattern(template) };
  });
}

interface Rejection {
  readonly statusLine: string;
  readonly message: string;
}

const UNPARSABLE: Rejection = { statusLine: '400 Bad Request', message: 'The request cannot be parsed.' };

/** The response to requests that Node rejects, by the code of its error. */
const REJECTIONS: Readonly<Record<string, Rejection>> = {
  HPE_HEADER_OVERFLOW: {
    statusLine: '431 Request Header Fields Too Large',
    message: 'The headers of the request are larger than 16 KiB.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    statusLine: '408 Request Timeout',
    message: 'The request did not arrive within 30 seconds.',
  },
};

/** Error of Node's HTTP parser, with the bytes that it could not parse. */
type BrokenRequest = Error & { readonly code?: string; readonly rawPacket?: unknown };

/** The latest response of each connection. */
const latest = new WeakMap<Socket, ServerResponse>();

/** Records the current request of a connection, for errors in the rest of it. */
export function trackRequest({ socket }: IncomingMessage, response: ServerResponse): void {
  latest.set(socket, response);
}

/** Returns the target of the current request; undefined if its response has ended, or its headers have not arrived. */
function currentTarget(socket: Socket): string | undefined {
  const response = latest.get(socket);
  return response === undefined || response.writableEnded ? undefined : response.req.url;
}

const MAX_TARGET_BYTES = 1_024;
/** A request line. A method contains no colon: the bytes may also start with a header line. */
const REQUEST_LINE = /^[^\s:]+ (\/\S*|https?:\S*)/i;

/** Returns the target of a malformed request, from its first bytes. */
function targetOf({ rawPacket }: BrokenRequest): string {
  const head = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, MAX_TARGET_BYTES) : '';
  return originForm(REQUEST_LINE.exec(head)?.[1] ?? '/');
}

/**
 * Sends an error for a request that is malformed, too slow, or has too large headers, in the form of its interface, records it, and closes
 * the connection.
 */
export function sendBrokenRequestError(error: BrokenRequest, socket: Socket, { headersOf, record }: Responder): void {
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (isLate && isUploading(socket)) return;
  const readsNothing = isLate && socket.writableLength > 0; // of the response to its former request
  if (error.code === 'ECONNRESET' || readsNothing || !socket.writable) {
    socket.destroy();
    return;
  }
  const transactionId = newIdentifier('tid');
  const { statusLine, message } = REJECTIONS[error.code ?? ''] ?? UNPARSABLE;
  const { errors } = catalogueError('VAL003', message); // the catalogue has no code for these statuses
  const target = originForm(currentTarget(socket) ?? targetOf(error));
  const restInterface = interfaceAt(target);
  const errorResponse = { status: Number.parseInt(statusLine, 10), errors };
  const body = JSON.stringify(
    restInterface.errorForm(errorResponse, responseMetadata(restInterface.timeField, target, transactionId)),
  );
  const head = [
    `HTTP/1.1 ${statusLine}`,
    'content-type: application/json; charset=utf-8',
    ...Object.entries(headersOf(restInterface)).map(([name, value]) => `${name}: ${value}`),
    `transaction-id: ${transactionId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const { status } = errorResponse;
  record({ transactionId, method: UNKNOWN_METHOD, route: UNKNOWN_ROUTE, status, startedAt: performance.now() });
}
