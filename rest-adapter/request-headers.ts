import { isUtf8 } from 'node:buffer';
import { isStorable } from '../schema/storable-text';

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const LONGEST_CREDENTIAL = 255;

/** Account id and secret of HTTP Basic credentials (RFC 7617), or undefined when the header holds none. */
export function basicCredentials(
  authorization: string | undefined,
): { readonly accountId: string; readonly secretKey: string } | undefined {
  const [, encoded] = BASIC.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  const [accountId, secretKey] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
  const usable = [accountId, secretKey].every(
    (part) => part !== '' && part.length <= LONGEST_CREDENTIAL && isStorable(part),
  );
  return colon > 0 && usable ? { accountId, secretKey } : undefined;
}

const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
/** A version number as `ETag` writes it: entity tags are compared as texts, so that `"01"` is not `"1"`. */
const VERSION = /^[1-9][0-9]{0,8}$/;

/**
 * The versions that `If-Match` allows (RFC 9110, section 13.1.1): undefined when any will do. Weak and foreign tags match no
 * version, so a header of nothing else allows none.
 */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return [...ifMatch.matchAll(ENTITY_TAG)]
    .filter(([, weak, tag]) => weak === undefined && VERSION.test(tag ?? ''))
    .map(([, , tag]) => Number(tag));
}
