import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../gateway/client/client-address';
import { type RequestFacts, supplierKeyIn } from '../gateway/client/graph-client';
import { newIdentifier } from '../schema/identifiers';
import { type ResponseMetadata, responseMetadata } from './envelope';
import type { Installation } from './installation';
import { INTERFACES, type RestInterface, interfaceAt } from './interfaces';
import type { ToldRefusal } from './refusal';
import type { RecordRequest } from './telemetry';

/** One request and its answer. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The route template. */
  readonly route: string;
  readonly facts: RequestFacts;
  readonly startedAt: number;
  /** The challenge of a 401. */
  readonly scheme: 'Bearer' | 'Basic' | 'ApiKey';
  readonly restInterface: RestInterface;
}

/** Headers of every answer: nothing is cached (but files, which say so themselves), framed, sniffed or referred to. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

const JSON_TYPE = 'application/json; charset=utf-8';

const HSTS = { ...HEADERS, 'strict-transport-security': 'max-age=31536000; includeSubDomains' } as const;

/** The metadata of an answer that is made now. */
export function metadataOf({ restInterface, request, facts }: Exchange): ResponseMetadata {
  return responseMetadata(restInterface.timeField, request.raw.url ?? '', facts.transactionId);
}

/** The answers of one adapter. */
export interface Answers {
  /** Headers of every answer of an interface. */
  headersOf(restInterface: RestInterface): Readonly<Record<string, string>>;
  /** Begins an exchange; unless `restInterface` is given, it is the one to which the address belongs. */
  begin(
    request: FastifyRequest,
    reply: FastifyReply,
    route: string,
    scheme?: Exchange['scheme'],
    restInterface?: RestInterface,
  ): Exchange;
  /** Sends an answer and records it; a body that is undefined is none. */
  send(exchange: Exchange, status: number, headers: Readonly<Record<string, string>> | undefined, body: unknown): void;
  /** Sends bytes as they are, or the headers that they would have, and records it. */
  sendBytes(
    exchange: Exchange,
    status: number,
    headers: Readonly<Record<string, string>>,
    bytes?: Buffer | Readable,
  ): void;
  refuse(exchange: Exchange, refusal: ToldRefusal, headers?: Readonly<Record<string, string>>): void;
}

/** How answers are sent: the envelope, the headers, one record of each. */
export function answers(record: RecordRequest, secure: boolean, installation: Installation): Answers {
  const common = new Map<RestInterface, Readonly<Record<string, string>>>(
    INTERFACES.map((each) => [each, { ...(secure ? HSTS : HEADERS), ...each.headers(installation) }]),
  );
  const headersOf = (restInterface: RestInterface) => common.get(restInterface) ?? HEADERS;
  const sendBytes = (
    { request, reply, route, facts, startedAt, restInterface }: Exchange,
    status: number,
    headers: Readonly<Record<string, string>> | undefined,
    bytes?: string | Buffer | Readable,
  ): void => {
    const { transactionId } = facts;
    reply.code(status).headers(headersOf(restInterface)).header('transaction-id', transactionId);
    if (headers) reply.headers(headers);
    reply.send(bytes);
    record({ transactionId, method: request.method, route, status, startedAt });
  };
  const send: Answers['send'] = (exchange, status, headers, body) => {
    if (body !== undefined) exchange.reply.header('content-type', JSON_TYPE);
    sendBytes(exchange, status, headers, body === undefined ? undefined : JSON.stringify(body));
  };
  return {
    headersOf,
    begin(request, reply, route, scheme = 'Bearer', restInterface = interfaceAt(request.raw.url ?? '')) {
      const { headers } = request;
      const authorization = scheme === 'Basic' ? undefined : headers.authorization;
      const supplierKey = restInterface.takesSupplierKeys ? supplierKeyIn(headers) : undefined;
      const sender = { transactionId: newIdentifier('tid'), clientAddress: clientAddress(request) };
      const facts = { authorization, supplierKey, ...sender };
      return { request, reply, route, facts, startedAt: performance.now(), scheme, restInterface };
    },
    send,
    sendBytes,
    refuse(exchange, refusal, headers) {
      const body = exchange.restInterface.errorForm(refusal, metadataOf(exchange));
      send(exchange, refusal.status, { ...refusalHeaders(refusal, exchange), ...headers }, body);
    },
  };
}

const REALM = 'realm="Central Data Access Register"';

function refusalHeaders(
  { status, code, retryAfter }: ToldRefusal,
  { scheme, facts }: Exchange,
): Record<string, string> {
  if (status === 401) {
    const asked = code === 'AUT003' ? 'ApiKey' : scheme;
    return { 'www-authenticate': challenge(asked, code === 'AUT002', facts.authorization !== undefined) };
  }
  if (status === 429) {
    const seconds = String(Math.max(1, Math.ceil(retryAfter ?? 60)));
    return { 'retry-after': seconds, ratelimit: `"requests";r=0;t=${seconds}` };
  }
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}

/** RFC 7617 and RFC 6750, section 3: an error is named only when a token was sent. For API keys no scheme is registered. */
function challenge(scheme: Exchange['scheme'], expired: boolean, tokenSent: boolean): string {
  if (scheme === 'Basic') return `Basic ${REALM}, charset="UTF-8"`;
  if (scheme === 'ApiKey') return `ApiKey ${REALM}`;
  if (!tokenSent) return `Bearer ${REALM}`;
  return `Bearer ${REALM}, error="invalid_token"${expired ? ', error_description="The token has expired"' : ''}`;
}
