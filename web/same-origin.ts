import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether nothing says that a request comes from another site's page. Pages send no referrer, so browsers name their origin `null` in
 * the posts of forms: `Sec-Fetch-Site`, which no page can set, decides where it is sent. What sends neither is a browser of before
 * 2023, or none: then the token of the form decides alone.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin !== 'null' && origin !== ownOrigin) return false;
  return site === undefined || site === 'same-origin';
}
