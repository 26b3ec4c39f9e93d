import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import type { ByteRange } from './file-store';

/** Validators of a representation (RFC 9110 section 8.8): a strong entity tag and the time of publication. */
interface Validators {
  readonly etag: string;
  readonly 'last-modified': string;
}

/**
 * Returns true if the client already has the representation (RFC 9110 section 13.2). Ignores `Cache-Control: no-cache`
 * of the request, which addresses caches: some clients add it to every conditional request.
 */
export function isFresh(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const { 'if-none-match': noneMatch, 'if-modified-since': modifiedSince } = headers;
  return fresh({ 'if-none-match': noneMatch, 'if-modified-since': modifiedSince }, { ...validators });
}

/**
 * Returns true if `If-Match` or `If-Unmodified-Since` demands another or older representation (RFC 9110 section
 * 13.2.2): 412.
 */
export function failsPrecondition(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const { 'if-match': match, 'if-unmodified-since': unmodifiedSince } = headers;
  if (match !== undefined) {
    const tags: readonly string[] = match.match(ENTITY_TAG) ?? [];
    return match.trim() !== '*' && !tags.includes(validators.etag);
  }
  return Date.parse(unmodifiedSince ?? '') < Date.parse(validators['last-modified']);
}

/** Strong or weak entity tags. A weak tag never equals the register's strong ones. */
const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

/**
 * Returns the requested range (RFC 9110 section 14). Returns `whole` if there is none, several or an invalid one, or if
 * `If-Range` names another representation.
 */
export function rangeOf(
  headers: IncomingHttpHeaders,
  size: number,
  validators: Validators,
): ByteRange | 'whole' | 'unsatisfiable' {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined) return 'whole';
  if (ifRange !== undefined && ifRange !== validators.etag && ifRange !== validators['last-modified']) return 'whole';
  const [, first, last, suffix] = ONE_RANGE.exec(range) ?? [];
  if (suffix !== undefined)
    return Number(suffix) === 0 ? 'unsatisfiable' : { start: Math.max(0, size - Number(suffix)), end: size - 1 };
  if (first === undefined) return 'whole';
  const [start, end] = [Number(first), last === '' ? Infinity : Number(last)];
  if (end < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) };
}

/** First byte to last byte, first byte to the end, or a number of bytes at the end. */
const ONE_RANGE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;
