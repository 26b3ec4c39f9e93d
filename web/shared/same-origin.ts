import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns false for a cross-site request. Pages send no referrer, so browsers send `Origin: null` with form posts;
 * `Sec-Fetch-Site` (W3C Fetch Metadata), which no page can set, decides. A client that sends neither header passes: the
 * form token decides.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin !== 'null' && origin !== ownOrigin) return false;
  return site === undefined || site === 'same-origin';
}
