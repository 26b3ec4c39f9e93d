import type { RdfNames } from './rdf-names';

const URN_UUID = /^urn:uuid:/i;
const UUID_FRAGMENT = /^https?:\/\/[^#]*#_?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const HASH = 0x23;
const UNDERSCORE = 0x5f;
/** Returns whether a character code is `u` or `U`. */
const isU = (code: number) => code === 0x75 || code === 0x55;

/**
 * Returns the mRID in a reference (decisions C.3): without `urn:uuid:`, `#` and one leading `_`; for a web address that ends in `#_<uuid>`,
 * the UUID. Any other URI is returned unchanged.
 */
export function mRIDOf(reference: string): string {
  const first = reference.charCodeAt(0);
  if (first === HASH) return withoutUnderscore(reference, 1);
  if (first === UNDERSCORE) return reference.slice(1);
  if (isU(first) && URN_UUID.test(reference)) return withoutUnderscore(reference, 'urn:uuid:'.length);
  return UUID_FRAGMENT.exec(reference)?.[1] ?? reference;
}

function withoutUnderscore(text: string, from: number): string {
  return text.slice(text.charCodeAt(from) === UNDERSCORE ? from + 1 : from);
}

/** Returns the prefixed value of an enumeration for an `rdf:resource`; undefined if it is the target of an association. */
export function enumerationOf(reference: string, names: RdfNames): string | undefined {
  const first = reference.charCodeAt(0);
  if (first === HASH || (isU(first) && URN_UUID.test(reference))) return undefined;
  return names.nameOfUri(reference);
}

/** Returns a reference within a model for which {@link mRIDOf} returns this mRID: `#_<mRID>`, or the mRID itself if it is a URI. */
export function referenceTo(mRID: string): string {
  return SCHEME.test(mRID) && mRIDOf(mRID) === mRID ? mRID : `#_${mRID}`;
}

/**
 * Returns a reference to another model for which {@link mRIDOf} returns this mRID: `urn:uuid:<mRID>`, or the mRID itself if it is a URI.
 */
export function modelReferenceTo(mRID: string): string {
  if (SCHEME.test(mRID) && mRIDOf(mRID) === mRID) return mRID;
  return `urn:uuid:${mRID.startsWith('_') ? '_' : ''}${mRID}`;
}
