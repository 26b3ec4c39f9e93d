import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import type { ByteRange } from './file-store';

/** What identifies a representation: a strong entity tag, and when it was published. */
export interface Validators {
  readonly etag: string;
  readonly 'last-modified': string;
}

/**
 * Whether a client has the representation already (RFC 9110, section 13.2). `Cache-Control: no-cache` of a request is said to caches: some
 * clients add it to every condition of their own.
 */
export function isFresh(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const { 'if-none-match': noneMatch, 'if-modified-since': modifiedSince } = headers;
  return fresh({ 'if-none-match': noneMatch, 'if-modified-since': modifiedSince }, { ...validators });
}

/** Whether a client wants another representation than this one, or one that is older (RFC 9110, section 13.2.2): 412. */
export function failsPrecondition(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const { 'if-match': match, 'if-unmodified-since': unmodifiedSince } = headers;
  if (match !== undefined) {
    const tags: readonly string[] = match.match(ENTITY_TAG) ?? [];
    return match.trim() !== '*' && !tags.includes(validators.etag);
  }
  return Date.parse(unmodifiedSince ?? '') < Date.parse(validators['last-modified']);
}

/** A strong or a weak one; only strong ones compare equal to ours. */
const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

/**
 * The one range that is asked for (RFC 9110, section 14): `whole` where there is none, where there are several, where it is not
 * understood, or where `If-Range` names another representation.
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

/** From the first byte to the last, or to the end; or so many at the end. */
const ONE_RANGE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;
