/** What an interface calls the time of its answers. */
export type TimeField = 'timestamp' | 'response-time-stamp';

/** Response metadata (1-specification.md, Common types), with the one time field of its interface. */
export type ResponseMetadata = Readonly<Record<'resource' | 'transaction-id', string>> &
  Readonly<Partial<Record<TimeField, string>>>;

/** The metadata of an answer made now to a request for an address. */
export function responseMetadata(timeField: TimeField, url: string, transactionId: string): ResponseMetadata {
  return { resource: resourceOf(url), [timeField]: new Date().toISOString(), 'transaction-id': transactionId };
}

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** The request target as the router reads it: of one in absolute form, path and query (RFC 9112, section 3.2.2). */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === 47) return target;
  const path = target.replace(AUTHORITY, '');
  return path === '' ? '/' : path;
}

/** A path as the router reads it; undefined for one that cannot be decoded, which is none of the register. */
export function decodedPath(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

/** The request path without its query; the root where a target has a query only. */
export function resourceOf(url: string): string {
  const query = url.indexOf('?');
  if (query === -1) return url;
  return query === 0 ? '/' : url.slice(0, query);
}
