import type { RouteRow } from '../route-table';
import type { ContractOperation } from './contract';

/** An operation with the response of one of its documents. */
export interface OperationVariant {
  /** Name of the document's file. */
  readonly id: string;
  readonly operation: ContractOperation;
  /** Query parameter that selects the document. */
  readonly selector: string | undefined;
}

/** Returns the operation by its document and, if its row has an alternative, by that one; reports a response without two variants. */
export function variantsOf(
  operation: ContractOperation,
  rows: Readonly<Record<string, RouteRow>>,
  problems: string[],
): OperationVariant[] {
  const { operationId, responseBody } = operation;
  const { alternative } = rows[operationId] ?? {};
  if (alternative === undefined) return [{ id: operationId, operation, selector: undefined }];
  const bodies = responseBody?.anyOf ?? [];
  if (bodies.length !== 2)
    problems.push(`${operationId}: the response must have two variants, because its row has two documents`);
  return [operationId, alternative.document].map((id, index) => ({
    id,
    operation: { ...operation, responseBody: bodies[index] },
    selector: alternative.parameter,
  }));
}
