import { type ErrorCode, errorCatalogue } from '../../schema/error-catalogue';

/** An operation of the register failed, or the page server itself rejects the request. */
export class OperationError extends Error {
  constructor(
    readonly code: ErrorCode,
    /** Seconds after which the client may retry. */
    readonly retryAfter?: number,
  ) {
    super(code);
    this.name = 'OperationError';
  }
}

/** A form carries no valid token of this browser, or another site sent it. */
export class FormExpiredError extends OperationError {
  constructor() {
    super('PRM001');
  }
}

/** Returns whether an operation failed with one of these codes. */
export function hasErrorCode(error: unknown, ...codes: readonly ErrorCode[]): error is OperationError {
  return error instanceof OperationError && codes.includes(error.code);
}

/** Maps any error to an OperationError: 4xx errors of Fastify to their code, every other error to SYS001. */
export function operationErrorOf(error: unknown): OperationError {
  if (error instanceof OperationError) return error;
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (status === errorCatalogue.LIM001.status) return new OperationError('LIM001');
  if (status === errorCatalogue.VAL011.status) return new OperationError('VAL011');
  const isRequestError = typeof status === 'number' && status >= 400 && status < 500;
  return new OperationError(isRequestError ? 'VAL003' : 'SYS001');
}
