import { RegisterError } from '../schema/register-error';
import type { AdHocRequest } from './ad-hoc-operations';

/** A request for a trusted document by its name; `admitOnly` asks only whether the caller would be let in. */
export interface TrustedRequest {
  readonly documentId: string;
  readonly variables: Record<string, unknown>;
  readonly admitOnly: boolean;
}

/** The body of a POST to `/graphql`. */
export type GraphRequest = TrustedRequest | AdHocRequest;

/** Reads the body; VAL003 when it is no GraphQL request. Several operations in one request (batching) are refused. */
export function graphRequest(body: unknown): GraphRequest {
  if (Array.isArray(body)) throw new RegisterError('VAL003', 'One operation in a request: batching is not allowed');
  if (!isObject(body)) throw new RegisterError('VAL003', 'The body must be a JSON object');
  const { documentId, query, operationName, admitOnly } = body;
  const variables = optionalObject(body, 'variables');
  optionalObject(body, 'extensions'); // none is known
  if (documentId !== undefined) {
    if (typeof documentId !== 'string') throw new RegisterError('VAL003', 'documentId must be a string');
    return { documentId, variables: variables ?? {}, admitOnly: admitOnly === true };
  }
  if (typeof query !== 'string' || query === '')
    throw new RegisterError('VAL003', 'The body needs a query or a documentId');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new RegisterError('VAL003', 'operationName must be a string');
  }
  return { query, operationName: operationName ?? null, variables: variables ?? null };
}

function optionalObject(body: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> | undefined {
  const given = body[name] ?? undefined;
  if (given !== undefined && !isObject(given)) throw new RegisterError('VAL003', `${name} must be an object`);
  return given;
}

/** Whether a request names a trusted document. */
export function isTrusted(request: GraphRequest): request is TrustedRequest {
  return 'documentId' in request;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
