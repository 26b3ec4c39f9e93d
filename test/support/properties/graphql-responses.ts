import { type ErrorCode, errorCatalogue, isErrorCode } from '../../../schema/error-catalogue';
import { HOSTILE } from './contract-violations';
import type { WireResponse } from './http-exchange';

/** A response of the graph. */
export interface GraphResponse {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly [name: string]: unknown };
  }[];
  readonly extensions?: { readonly transactionId?: string };
}

const STATUSES = [200, 400, 401, 403, 404, 405, 413, 415, 429];

/** The body of a response. */
export function graphResponse({ text }: WireResponse): GraphResponse {
  return JSON.parse(text) as GraphResponse;
}

/** The error codes of a response. */
export function codesOf(response: WireResponse): string[] {
  return (graphResponse(response).errors ?? []).map(({ extensions }) => String(extensions?.code));
}

/** Returns all defects of a GraphQL response: an error without a code, or with a value, a stack or internal details. */
export function graphFaults(response: WireResponse): string[] {
  const { status, headers, text } = response;
  if (!STATUSES.includes(status)) return [`status ${status}: ${text.slice(0, 1_000)}`];
  if (!/^application\/(json|graphql-response\+json)/.test(String(headers['content-type'])))
    return [`content-type ${String(headers['content-type'])}`];
  const body = graphResponse(response);
  const found = Object.keys(body).filter((key) => !['data', 'errors', 'extensions'].includes(key));
  if (body.errors === undefined && body.data === undefined) found.push('neither data nor errors');
  if (!/^tid_[0-9a-f]{24}$/.test(String(headers['transaction-id']))) found.push('no transaction-id');
  if (body.extensions?.transactionId !== headers['transaction-id']) found.push('another transaction id in the body');
  return [...found, ...(body.errors ?? []).flatMap(faultsOfError)];
}

function faultsOfError(error: NonNullable<GraphResponse['errors']>[number]): string[] {
  const { message, extensions = {} } = error;
  const text = JSON.stringify(error);
  const found: string[] = [];
  if (extensions.code === 'PERSISTED_QUERY_NOT_SUPPORTED') return []; // of Apollo's protocol
  if (!isErrorCode(extensions.code)) found.push(`no code of the catalogue: ${text}`);
  else if (errorCatalogue[extensions.code as ErrorCode].status >= 500) found.push(`an internal error: ${text}`);
  if (message === '' || message.length > 1_001) found.push(`a message of ${message.length} characters`);
  if (text.includes(HOSTILE)) found.push(`a value is echoed: ${text}`);
  if (/stacktrace|node_modules|\bat .*[.](ts|js):\d+/.test(text)) found.push(`a stack: ${text}`);
  const unknown = Object.keys(extensions).filter((name) => !['code', 'violations', 'retryAfter'].includes(name));
  return [...found, ...unknown.map((name) => `extensions.${name}`)];
}
