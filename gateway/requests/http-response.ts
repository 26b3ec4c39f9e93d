import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorCatalogue } from '../../schema/error-catalogue';
import type { JsonBody } from '../../subgraphs/server/graph/json-text';
import { RegisterError } from '../../schema/register-error';
import { mediaTypeProblem } from '../client/json-body';
import { bodyTooLarge } from './body-sender';
import { responseHead, formatError } from './error-format';

/** A response ready to be sent. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonBody;
  /** Name of the trusted document, or of the client's operation if it has one. */
  readonly operation: string | undefined;
  /** `ok`, or the code of the first error. */
  readonly outcome: string;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** Builds the response of an executed operation, or of a rejected one (`data` is then undefined). */
export function httpResponse(
  operation: string | undefined,
  { data, errors }: { data?: unknown; errors?: readonly unknown[] | undefined },
  transactionId: string,
  tokenSent: boolean,
): HttpResponse & { readonly body: string } {
  const extensions = { transactionId };
  if (!errors)
    return { status: 200, headers: JSON_TYPE, body: JSON.stringify({ data, extensions }), operation, outcome: 'ok' };
  const formatted = errors.map(formatError);
  const { status, headers } = responseHead(formatted, data, tokenSent);
  return {
    status,
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify({ errors: formatted, ...(data === undefined ? {} : { data }), extensions }),
    operation,
    outcome: formatted[0]?.extensions.code ?? 'ok',
  };
}

/**
 * Response to the hash of a query. Clients of automatic persisted queries recognise code, message and status of Apollo
 * Server, which are not those of the catalogue, and repeat the request with the query.
 */
export function persistedQueryNotSupported(transactionId: string): HttpResponse {
  const code = 'PERSISTED_QUERY_NOT_SUPPORTED';
  const errors = [{ message: 'PersistedQueryNotSupported', extensions: { code } }];
  const body = JSON.stringify({ errors, extensions: { transactionId } });
  return { status: 200, headers: JSON_TYPE, body, operation: undefined, outcome: code };
}

/** Rejects a request that has no GraphQL response: wrong path, method, media type, size, JSON, or credential of a large body. */
export function sendError(
  reply: FastifyReply,
  error: RegisterError,
  transactionId: string,
  tokenSent = false,
): FastifyReply {
  const formatted = [formatError(error)];
  return reply
    .code(errorCatalogue[error.code].status)
    .headers({
      ...JSON_TYPE,
      ...responseHead(formatted, undefined, tokenSent).headers,
      'transaction-id': transactionId,
    })
    .send(JSON.stringify({ errors: formatted, extensions: { transactionId } }));
}

/** Returns the message of an error of the HTTP server if it is more exact than that of its code. */
export function httpFailureMessage({ code }: Partial<FastifyError>, request: FastifyRequest): string | undefined {
  const { headers } = request;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return mediaTypeProblem(headers['content-type'], headers['content-encoding']);
  return code === 'FST_ERR_CTP_EMPTY_JSON_BODY' ? 'The body is missing: send a JSON object.' : undefined;
}
