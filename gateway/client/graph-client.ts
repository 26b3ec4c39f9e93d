import type { ErrorCode } from '../../schema/error-catalogue';
import type { Violation } from '../../schema/register-error';

/** Header of a supplier's API key, in lower case (decisions D.1). */
export const SUPPLIER_KEY_HEADER = 'x-supplier-api-key';

/** Returns the API key of a supplier as sent. Node joins repeated headers, so that two keys match no valid one. */
export function supplierKeyIn(headers: Readonly<Record<string, unknown>>): string | undefined {
  const sent = headers[SUPPLIER_KEY_HEADER];
  return sent === undefined ? undefined : String(sent);
}

/**
 * Credentials, transaction id and client address of the request that a client of the graph serves. The gateway verifies
 * the credentials.
 */
export interface RequestMetadata {
  /** The `Authorization` header as sent. */
  readonly authorization?: string | undefined;
  /** The value of {@link SUPPLIER_KEY_HEADER}, as sent. */
  readonly supplierKey?: string | undefined;
  readonly transactionId: string;
  readonly clientAddress: string;
  /** True if the caller was admitted before, which counted the request: it is identified again, but not counted. */
  readonly isCounted?: boolean;
}

/** One error of an operation, with its code from the catalogue. */
export interface GraphFailure {
  readonly message: string;
  readonly code: ErrorCode;
  readonly violations?: readonly Violation[];
  readonly retryAfter?: number;
}

/** Result of an operation: selected data and errors. */
export interface GraphResult {
  readonly data?: Record<string, unknown> | null;
  readonly failures: readonly GraphFailure[];
}

/** The graph as its clients see it. REST adapter, portal and console have no rights beyond those of their callers. */
export interface GraphClient {
  /** Runs a trusted document by its operation name. */
  run(operation: string, variables: Record<string, unknown>, metadata: RequestMetadata): Promise<GraphResult>;
  /**
   * Returns undefined if the caller may run the operation (valid token, active account within its rate, admitted role),
   * otherwise the error. Clients call it only for requests that are already known to be invalid, so that 401 and 403
   * precede 400.
   */
  admit(operation: string, metadata: RequestMetadata): Promise<GraphFailure | undefined>;
}
