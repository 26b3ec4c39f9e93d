import type { Logger } from 'pino';
import { isErrorCode } from '../../schema/error-catalogue';
import { errorFields, loggedName } from '../../subgraphs/server/observability/failures';
import type { HttpResponse } from './http-response';
import { formatError } from './error-format';
import type { RequestMetadata } from '../client/graph-client';

/**
 * Logs errors that have no code of the catalogue. Errors with a code are logged where they occur, or are the client's.
 */
export type FailureReport = (error: unknown, transactionId: string) => void;

/** Logs kind and location of an error only, because messages may quote values. */
export function failureReport(logger: Logger): FailureReport {
  return (error, transactionId) => {
    const { extensions } = error as { extensions?: Record<string, unknown> };
    if (isErrorCode(extensions?.['code']) || formatError(error).extensions.code !== 'SYS001') return;
    logger.error({ 'transaction-id': transactionId, failure: errorFields(error) }, 'internal error');
  };
}

/** Logs one line per request, never variables or query text. */
export function logRequest(
  logger: Logger,
  { transactionId }: RequestMetadata,
  response: Pick<HttpResponse, 'operation' | 'status' | 'outcome'>,
  startedAt: number,
): void {
  const { operation, status, outcome } = response;
  logger.info(
    {
      'transaction-id': transactionId,
      operation: operation === undefined ? undefined : loggedName(operation),
      status,
      outcome,
      'duration-ms': Math.round((performance.now() - startedAt) * 100) / 100,
    },
    'graphql',
  );
}
