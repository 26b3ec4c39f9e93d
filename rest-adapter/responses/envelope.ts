/** Name of the response time in an interface. */
export type TimeField = 'timestamp' | 'response-time-stamp';

/** Response metadata (specification, Common types), with the time field of its interface. */
export type ResponseMetadata = Readonly<Record<'resource' | 'transaction-id', string>> &
  Readonly<Partial<Record<TimeField, string>>>;

/** Returns the metadata of a response to a request for `url`, with the current time. */
export function responseMetadata(timeField: TimeField, url: string, transactionId: string): ResponseMetadata {
  return { resource: resourceOf(url), [timeField]: new Date().toISOString(), 'transaction-id': transactionId };
}

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Returns a request target in origin form; a target in absolute form is reduced to path and query (RFC 9112 section
 * 3.2.2).
 */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === 47) return target;
  const path = target.replace(AUTHORITY, '');
  return path === '' ? '/' : path;
}

/** Returns a decoded path; undefined if it cannot be decoded and therefore matches no route. */
export function decodedPath(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

/** Returns the path of a URL without its query; `/` if it has only a query. */
export function resourceOf(url: string): string {
  const query = url.indexOf('?');
  if (query === -1) return url;
  return query === 0 ? '/' : url.slice(0, query);
}
