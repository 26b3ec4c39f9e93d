import type { Logger } from 'pino';
import { isErrorCode } from '../schema/error-catalogue';
import { failureFacts } from '../subgraphs/server/failures';
import type { HttpAnswer } from './http-answer';
import { presented } from './presentation';
import type { RequestFacts } from './client/graph-client';

/** Logs a failure that is not of the catalogue; the others have been logged where they arose, or are the client's. */
export type FailureReport = (error: unknown, transactionId: string) => void;

/** A report to the log: kind and place only, since messages may quote values. */
export function failureReport(logger: Logger): FailureReport {
  return (error, transactionId) => {
    const { extensions } = error as { extensions?: Record<string, unknown> };
    if (isErrorCode(extensions?.['code']) || presented(error).extensions.code !== 'SYS001') return;
    logger.error({ 'transaction-id': transactionId, failure: failureFacts(error) }, 'internal error');
  };
}

/** A client may call its operation anything, also a key: names with digits are not written. */
const HARMLESS_NAME = /^[A-Za-z][A-Za-z_]{0,63}$/;

/** One line per request: never variables, never the query text. */
export function logRequest(
  logger: Logger,
  { transactionId }: RequestFacts,
  answer: Pick<HttpAnswer, 'operation' | 'status' | 'outcome'>,
  begin: number,
): void {
  const { operation, status, outcome } = answer;
  logger.info(
    {
      'transaction-id': transactionId,
      operation: operation !== undefined && HARMLESS_NAME.test(operation) ? operation : undefined,
      status,
      outcome,
      'duration-ms': Math.round((performance.now() - begin) * 100) / 100,
    },
    'graphql',
  );
}
