import { textOf } from '../request/query';
import { OBJECT_CHANGE_KINDS, type ObjectChangeKind } from './operation-results';

/** Selects the listed objects of a version. */
export interface ObjectFilter {
  readonly kind: ObjectChangeKind | undefined;
  /** Prefixed class: `cim:ACLineSegment`. */
  readonly type: string | undefined;
  /** Start of an mRID, or part of a name. */
  readonly search: string | undefined;
}

/** Maximum characters of a search text, which is that of an mRID; the field accepts no more, and the rest of an address is ignored. */
const MAX_SEARCH_LENGTH = 512;

/** Reads the filter from a query string; malformed values count as absent. */
export function objectFilterOf({ kind, type, search }: Readonly<Record<string, unknown>>): ObjectFilter {
  return {
    kind: kindOf(kind),
    type: textOf(type),
    search: textOf(search)?.slice(0, MAX_SEARCH_LENGTH),
  };
}

/** Returns true if the filter excludes an object. */
export function isFiltered({ kind, type, search }: ObjectFilter): boolean {
  return kind !== undefined || type !== undefined || search !== undefined;
}

/** Returns the kind of change that a text names, if any. */
export function kindOf(text: unknown): ObjectChangeKind | undefined {
  return OBJECT_CHANGE_KINDS.find((kind) => kind === text);
}
