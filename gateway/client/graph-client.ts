import type { ErrorCode } from '../../schema/error-catalogue';
import type { Violation } from '../../schema/register-error';

/** The header of a supplier's API key, in lower case (3-decisions-c-d.md, D.1). */
export const SUPPLIER_KEY_HEADER = 'x-supplier-api-key';

/** What a request sends as the API key of a supplier; several are none that is valid. */
export function supplierKeyIn(headers: Readonly<Record<string, unknown>>): string | undefined {
  const sent = headers[SUPPLIER_KEY_HEADER];
  return sent === undefined ? undefined : String(sent);
}

/** What the graph must know of the request that a client serves; its credentials are verified by the graph, never by the client. */
export interface RequestFacts {
  /** The `Authorization` header as sent. */
  readonly authorization?: string | undefined;
  /** The value of {@link SUPPLIER_KEY_HEADER}, as sent. */
  readonly supplierKey?: string | undefined;
  readonly transactionId: string;
  readonly clientAddress: string;
}

/** One failure of an operation, by its code of the catalogue. */
export interface GraphFailure {
  readonly message: string;
  readonly code: ErrorCode;
  readonly violations?: readonly Violation[];
  readonly retryAfter?: number;
}

/** What the graph answers: data as selected, and the failures. */
export interface GraphAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly failures: readonly GraphFailure[];
}

/** A client's only view of the graph: adapter, portal and console alike are ordinary clients, with no rights of their own. */
export interface GraphClient {
  /** Runs a trusted document by its operation name. */
  run(operation: string, variables: Record<string, unknown>, facts: RequestFacts): Promise<GraphAnswer>;
  /**
   * Whether the caller would be let in to the operation (token valid, account active and within its rate, role allowed): undefined, or
   * the failure. Asked only when a request is already known to be bad, so that 401 and 403 come before 400.
   */
  admit(operation: string, facts: RequestFacts): Promise<GraphFailure | undefined>;
}
