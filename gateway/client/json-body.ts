import { errorCatalogue } from '../../schema/error-catalogue';

/** `application/json` with any parameters (RFC 9110 section 5.6.6), but no other charset than UTF-8. */
const JSON_TYPE =
  /^application\/json[ \t]*(?:;[ \t]*(?:(?:charset[ \t]*=[ \t]*"?utf-?8"?|(?!charset[ \t]*=)[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*"))[ \t]*)?)*$/i;

/**
 * Returns the message of VAL011 unless a body is uncompressed JSON in UTF-8 by its headers, the only form that the
 * register reads.
 */
export function mediaTypeProblem(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): string | undefined {
  if (contentType === undefined) return 'The body has no media type: send Content-Type: application/json.';
  if (contentType !== 'application/json' && !JSON_TYPE.test(contentType)) return errorCatalogue.VAL011.meaning;
  const isCoded = contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity';
  return isCoded ? 'The body has a content coding: send it without Content-Encoding.' : undefined;
}
