import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { isWellFormed } from '../../schema/well-formed-text';
import { parameterLabel } from './request-parameters';
import type { RequestViolation } from './validation';

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const MAX_CREDENTIAL_LENGTH = 255;

/** Returns account id and secret of HTTP Basic credentials (RFC 7617), or undefined if the header contains none. */
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
  const areUsable = [accountId, secretKey].every(
    (part) => part !== '' && part.length <= MAX_CREDENTIAL_LENGTH && isWellFormed(part),
  );
  return colon > 0 && areUsable ? { accountId, secretKey } : undefined;
}

const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
/** Separators of entity tags in a list. */
const BETWEEN_TAGS = /^[\t ,]*$/;
/** A version number as in `ETag`. Entity tags are compared as text: `"01"` differs from `"1"`. */
const VERSION = /^[1-9][0-9]{0,8}$/;

/**
 * Returns a violation if `If-Match` is neither `*` nor a list of entity tags (RFC 9110 section 13.1.1), such as a version
 * without quotes: a 412 would suggest that another client changed the record.
 */
export function ifMatchViolations(ifMatch: string | undefined): RequestViolation[] {
  if (ifMatch === undefined || ifMatch.trim() === '*') return [];
  const between = ifMatch.replaceAll(ENTITY_TAG, '');
  if (between !== ifMatch && BETWEEN_TAGS.test(between)) return [];
  const message = 'must be * or entity tags in double quotes, as in the header ETag';
  return [
    { code: 'VAL001', pointer: parameterLabel({ in: 'header', name: 'If-Match' }), parameter: 'If-Match', message },
  ];
}

/** Returns the versions that `If-Match` allows, undefined for all. Weak and foreign tags match no version. */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return [...ifMatch.matchAll(ENTITY_TAG)]
    .filter(([, weak, tag]) => weak === undefined && VERSION.test(tag ?? ''))
    .map(([, , tag]) => Number(tag));
}

const CHANGING_METHODS: readonly string[] = ['PUT', 'PATCH', 'DELETE'];

/**
 * Returns why a change is not made, whatever the state of the resource: it has `If-None-Match`, which would be of use only if a change could
 * create the resource (RFC 9110 section 13.1.2), or its `If-Match` names entity tags of a resource that has none (section 13.1.1).
 */
export function unmetPrecondition(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  hasEntityTag: boolean,
): string | undefined {
  if (!CHANGING_METHODS.includes(method)) return undefined;
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifNoneMatch !== undefined) return 'A change with If-None-Match is not made: omit it, or send If-Match.';
  const namesTag = ifMatch !== undefined && ifMatch.trim() !== '*';
  return namesTag && !hasEntityTag ? 'The resource has no entity tag: send no If-Match, or *.' : undefined;
}
