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

/** The request path without its query, also of a request in absolute form. */
export function resourceOf(url: string): string {
  const path = url.charCodeAt(0) === 47 ? url : url.replace(AUTHORITY, '');
  const query = path.indexOf('?');
  return query === -1 ? path : path.slice(0, query);
}
