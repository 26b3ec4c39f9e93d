import type { RdfNames } from './rdf-names';

const URN_UUID = /^urn:uuid:/i;
const UNDER_A_BASE = /^https?:\/\/[^#]*#_?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const HASH = 0x23;
const UNDERSCORE = 0x5f;
/** Of `u`, in either case. */
const isU = (code: number) => code === 0x75 || code === 0x55;

/**
 * The mRID that a reference names (3-decisions-c-d.md, C.3): without `urn:uuid:`, `#` and one leading `_`; of a web address that ends in
 * `#_<uuid>` the UUID. Another URI is left as it is.
 */
export function mRIDOf(reference: string): string {
  const first = reference.charCodeAt(0);
  if (first === HASH) return withoutUnderscore(reference, 1);
  if (first === UNDERSCORE) return reference.slice(1);
  if (isU(first) && URN_UUID.test(reference)) return withoutUnderscore(reference, 'urn:uuid:'.length);
  return UNDER_A_BASE.exec(reference)?.[1] ?? reference;
}

function withoutUnderscore(text: string, from: number): string {
  return text.slice(text.charCodeAt(from) === UNDERSCORE ? from + 1 : from);
}

/** The value of an enumeration, with its prefix, that an `rdf:resource` is; undefined when it is the target of an association. */
export function enumerationOf(reference: string, names: RdfNames): string | undefined {
  const first = reference.charCodeAt(0);
  if (first === HASH || (isU(first) && URN_UUID.test(reference))) return undefined;
  return names.nameOfUri(reference);
}

/** A reference within the model that {@link mRIDOf} reads as this mRID: `#_<mRID>`, or the URI that it is. */
export function referenceTo(mRID: string): string {
  return SCHEME.test(mRID) && mRIDOf(mRID) === mRID ? mRID : `#_${mRID}`;
}

/** A reference to another model that {@link mRIDOf} reads as this mRID: `urn:uuid:<mRID>`, or the URI that it is. */
export function modelReferenceTo(mRID: string): string {
  if (SCHEME.test(mRID) && mRIDOf(mRID) === mRID) return mRID;
  return `urn:uuid:${mRID.startsWith('_') ? '_' : ''}${mRID}`;
}
