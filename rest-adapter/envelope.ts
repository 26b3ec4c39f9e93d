/** Response metadata of Interface A (1-specification.md, Common types). */
export interface ResponseMetadata {
  readonly resource: string;
  readonly timestamp: string;
  readonly 'transaction-id': string;
}

/** The metadata of an answer made now. */
export function responseMetadata(resource: string, transactionId: string): ResponseMetadata {
  return { resource, timestamp: new Date().toISOString(), 'transaction-id': transactionId };
}

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** The request target as the router reads it: of one in absolute form, path and query (RFC 9112, section 3.2.2). */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === 47) return target;
  const path = target.replace(AUTHORITY, '');
  return path === '' ? '/' : path;
}

/** The request path without its query. */
export function resourceOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
