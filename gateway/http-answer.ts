import type { FastifyError, FastifyReply } from 'fastify';
import { type ErrorCode, errorCatalogue } from '../schema/error-catalogue';
import { RegisterError } from '../schema/register-error';
import { headOf, presented } from './presentation';

/** An answer ready to be sent. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of a trusted document, or of the client's own text if it names the operation. */
  readonly operation: string | undefined;
  /** `ok`, or the code of the first error. */
  readonly outcome: string;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** The answer of an executed operation, or of one that failed before (`data` undefined then). */
export function answerOf(
  operation: string | undefined,
  { data, errors }: { data?: unknown; errors?: readonly unknown[] | undefined },
  transactionId: string,
  tokenSent: boolean,
): HttpAnswer {
  const extensions = { transactionId };
  if (!errors)
    return { status: 200, headers: JSON_TYPE, body: JSON.stringify({ data, extensions }), operation, outcome: 'ok' };
  const told = errors.map(presented);
  const { status, headers } = headOf(told, data, tokenSent);
  return {
    status,
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify({ errors: told, ...(data === undefined ? {} : { data }), extensions }),
    operation,
    outcome: told[0]?.extensions.code ?? 'ok',
  };
}

/** Sends what has no GraphQL answer: wrong path, method, media type, size or JSON. */
export function sendRefusal(reply: FastifyReply, code: ErrorCode, transactionId: string): FastifyReply {
  const body = JSON.stringify({ errors: [presented(new RegisterError(code))], extensions: { transactionId } });
  return reply
    .code(errorCatalogue[code].status)
    .headers({ ...JSON_TYPE, 'transaction-id': transactionId })
    .send(body);
}

/** The code of a failure of the HTTP server itself. */
export function httpFailureCode({ code, statusCode }: Partial<FastifyError>): ErrorCode {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'LIM001';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'VAL011';
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? 'VAL010' : 'SYS001';
}
