import { MAX_JSON_DEPTH, isDeeperThan } from '../../schema/json-depth';
import { RegisterError } from '../../schema/register-error';

/** A request for a trusted document by name. With `admitOnly` the gateway only checks whether the caller may run it. */
export interface TrustedRequest {
  readonly documentId: string;
  readonly variables: Record<string, unknown>;
  readonly admitOnly: boolean;
}

/** A GraphQL request with the client's own document. */
export interface AdHocRequest {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Record<string, unknown> | null;
}

/** The body of a POST to `/graphql`. */
type GraphRequest = TrustedRequest | AdHocRequest;

/** Reads a request body. Throws VAL003 if it is not a GraphQL request or contains several operations (batching). */
export function graphRequest(body: unknown): GraphRequest {
  if (Array.isArray(body))
    throw new RegisterError('VAL003', 'A request must contain one operation: batching is not allowed');
  if (!isObject(body)) throw new RegisterError('VAL003', 'The body must be a JSON object');
  const { documentId, query, operationName, admitOnly } = body;
  const variables = optionalObject(body, 'variables');
  if (isDeeperThan(MAX_JSON_DEPTH, variables))
    throw new RegisterError('VAL003', `variables are nested more than ${MAX_JSON_DEPTH} levels deep`);
  optionalObject(body, 'extensions'); // checked, then ignored
  if (documentId !== undefined) {
    if (typeof documentId !== 'string') throw new RegisterError('VAL003', 'documentId must be a string');
    return { documentId, variables: variables ?? {}, admitOnly: admitOnly === true };
  }
  if (typeof query !== 'string' || query === '') throw new RegisterError('VAL003', 'The body needs a query');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new RegisterError('VAL003', 'operationName must be a string');
  }
  return { query, operationName: operationName ?? null, variables: variables ?? null };
}

/** Returns true if a body has the hash of a query (`extensions.persistedQuery`) instead of a query. */
export function isPersistedQuery(body: unknown): boolean {
  if (!isObject(body) || body['documentId'] !== undefined) return false;
  const { query, extensions } = body;
  return (query ?? undefined) === undefined && isObject(extensions) && isObject(extensions['persistedQuery']);
}

function optionalObject(body: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> | undefined {
  const given = body[name] ?? undefined;
  if (given !== undefined && !isObject(given)) throw new RegisterError('VAL003', `${name} must be an object`);
  return given;
}

/** Returns true if a request names a trusted document. */
export function isTrusted(request: GraphRequest): request is TrustedRequest {
  return 'documentId' in request;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
