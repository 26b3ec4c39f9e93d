import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, errorCatalogue } from '../schema/error-catalogue';
import { newIdentifier } from '../schema/identifiers';
import { decodedPath, originForm, resourceOf, responseMetadata } from './envelope';
import type { Answers } from './exchange';
import { isUploading } from './files/uploading';
import { interfaceAt } from './interfaces';
import { refusal } from './refusal';
import { type Route, pathPattern } from './route-paths';
import { UNKNOWN_ROUTE } from './telemetry';

/** Answers what no operation serves: 405 with `Allow` on a path of a contract, else 404. */
export function unserved(served: readonly Route[], { begin, refuse }: Answers) {
  const paths = pathsOf(served);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const resource = resourceOf(request.raw.url ?? '');
    const decoded = decodedPath(resource) ?? '';
    const path = paths.find(({ pattern }) => pattern.test(decoded));
    const exchange = begin(request, reply, path?.template ?? UNKNOWN_ROUTE);
    if (path && !path.methods.includes(request.method))
      refuse(exchange, refusal('MET001'), { allow: path.methods.join(', ') });
    else refuse(exchange, refusal('NTF001'));
  };
}

function pathsOf(served: readonly Route[]) {
  const templates = [...new Set(served.map(({ path }) => path))];
  const literalFirst = templates.toSorted((one, other) => Number(one.includes('{')) - Number(other.includes('{')));
  return literalFirst.map((template) => {
    const routes = served.filter(({ path }) => path === template);
    const methods = [
      ...routes.map(({ method }) => method),
      ...(routes.some(({ takesHead }) => takesHead) ? ['HEAD'] : []),
    ];
    return { template, methods, pattern: pathPattern(template) };
  });
}

/** The code of what the web server refuses before an operation sees the request. */
export function codeOfServerError({ code, statusCode }: Partial<FastifyError>): ErrorCode {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'LIM001';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'VAL011';
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return 'NTF001';
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? 'VAL010' : 'SYS001';
}

const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What the web server could not read, with the bytes at which it gave up. */
type BrokenRequest = Error & { readonly code?: string; readonly rawPacket?: unknown };

/** The latest request on a connection, by its answer. */
const latest = new WeakMap<Socket, ServerResponse>();

/** Remembers which request is under way on a connection, for whatever is wrong with the rest of it. */
export function rememberRequest({ socket }: IncomingMessage, answer: ServerResponse): void {
  latest.set(socket, answer);
}

/** The target of the request that is under way on a connection; undefined when it has been answered, or its head is not there yet. */
function targetUnderWay(socket: Socket): string | undefined {
  const answer = latest.get(socket);
  return answer === undefined || answer.writableEnded ? undefined : answer.req.url;
}

const LONGEST_TARGET = 1_024;
/** A method has no colon, unlike a header line: bytes that are not the first of a request may begin with one. */
const REQUEST_LINE = /^[^\s:]+ (\/\S*|https?:\S*)/i;

/** The target of a broken request, as far as its first bytes tell it. */
function targetOf({ rawPacket }: BrokenRequest): string {
  const begin = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, LONGEST_TARGET) : '';
  return originForm(REQUEST_LINE.exec(begin)?.[1] ?? '/');
}

/** Answers what is not HTTP, too slow, or has too large a head: in the form of its interface, and the connection ends. */
export function answerBrokenRequest(error: BrokenRequest, socket: Socket, { headersOf }: Answers): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const transactionId = newIdentifier('tid');
  const { errors } = refusal('VAL003', `The request is not one that can be read. ${errorCatalogue.VAL003.meaning}`);
  const statusLine = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request';
  const target = originForm(targetUnderWay(socket) ?? targetOf(error));
  const restInterface = interfaceAt(target);
  const told = { status: Number.parseInt(statusLine, 10), errors };
  const body = JSON.stringify(
    restInterface.errorForm(told, responseMetadata(restInterface.timeField, target, transactionId)),
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
}
