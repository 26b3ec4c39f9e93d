import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newIdentifier } from '../schema/identifiers';
import { resourceOf, responseMetadata } from './envelope';
import type { RequestFacts } from '../gateway/client/graph-client';
import type { Refusal } from './refusal';
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
  readonly scheme: 'Bearer' | 'Basic';
}

/** Headers of every answer of Interface A: nothing is cached, framed, sniffed or referred to. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

const JSON_TYPE = 'application/json; charset=utf-8';

const HSTS = { ...HEADERS, 'strict-transport-security': 'max-age=31536000; includeSubDomains' } as const;

/** The answers of one adapter. */
export interface Answers {
  begin(request: FastifyRequest, reply: FastifyReply, route: string, scheme?: Exchange['scheme']): Exchange;
  /** Sends an answer and records it; a body that is undefined is none. */
  send(exchange: Exchange, status: number, headers: Readonly<Record<string, string>> | undefined, body: unknown): void;
  refuse(exchange: Exchange, refusal: Refusal, headers?: Readonly<Record<string, string>>): void;
}

/** How answers are sent: the envelope, the headers, one record of each. */
export function answers(record: RecordRequest, secure: boolean): Answers {
  const common = secure ? HSTS : HEADERS;
  const send: Answers['send'] = ({ request, reply, route, facts, startedAt }, status, headers, body) => {
    const { transactionId } = facts;
    reply.code(status).headers(common).header('transaction-id', transactionId);
    if (headers) reply.headers(headers);
    if (body === undefined) reply.send();
    else reply.header('content-type', JSON_TYPE).send(JSON.stringify(body));
    record({ transactionId, method: request.method, route, status, startedAt });
  };
  return {
    begin(request, reply, route, scheme = 'Bearer') {
      const authorization = scheme === 'Bearer' ? request.headers.authorization : undefined;
      const facts = { authorization, transactionId: newIdentifier('tid'), clientAddress: clientAddress(request) };
      return { request, reply, route, facts, startedAt: performance.now(), scheme };
    },
    send,
    refuse(exchange, refusal, headers) {
      const { request, facts } = exchange;
      const response = responseMetadata(resourceOf(request.raw.url ?? ''), facts.transactionId);
      send(
        exchange,
        refusal.status,
        { ...refusalHeaders(refusal, exchange), ...headers },
        { response, errors: refusal.errors },
      );
    },
  };
}

/** The address that the trusted proxies vouch for; whatever is none is the socket's. */
function clientAddress({ ip, socket }: FastifyRequest): string {
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
}

const REALM = 'realm="Central Data Access Register"';

function refusalHeaders({ status, code, retryAfter }: Refusal, { scheme, facts }: Exchange): Record<string, string> {
  if (status === 401)
    return { 'www-authenticate': challenge(scheme, code === 'AUT002', facts.authorization !== undefined) };
  if (status === 429) {
    const seconds = String(Math.max(1, Math.ceil(retryAfter ?? 60)));
    return { 'retry-after': seconds, ratelimit: `"requests";r=0;t=${seconds}` };
  }
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}

/** RFC 7617 and RFC 6750, section 3: an error is named only when a token was sent. */
function challenge(scheme: Exchange['scheme'], expired: boolean, tokenSent: boolean): string {
  if (scheme === 'Basic') return `Basic ${REALM}, charset="UTF-8"`;
  if (!tokenSent) return `Bearer ${REALM}`;
  return `Bearer ${REALM}, error="invalid_token"${expired ? ', error_description="The token has expired"' : ''}`;
}
