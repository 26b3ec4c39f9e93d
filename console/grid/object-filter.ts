import { textOf } from '../request/query';
import { OBJECT_CHANGE_KINDS, type ObjectChangeKind } from './register-answers';

/** Which objects of a version are listed. */
export interface ObjectFilter {
  readonly kind: ObjectChangeKind | undefined;
  /** Prefixed class: `cim:ACLineSegment`. */
  readonly type: string | undefined;
  /** Start of an mRID, or part of a name. */
  readonly search: string | undefined;
}

/** Longer texts are in no name. */
const LONGEST_SEARCH = 200;

/** A filter as the address of a page carries it; what is malformed counts as absent. */
export function objectFilterOf({ kind, type, search }: Readonly<Record<string, unknown>>): ObjectFilter {
  return {
    kind: kindOf(kind),
    type: textOf(type),
    search: textOf(search)?.slice(0, LONGEST_SEARCH),
  };
}

/** Whether anything is left out. */
export function isFiltered({ kind, type, search }: ObjectFilter): boolean {
  return kind !== undefined || type !== undefined || search !== undefined;
}

/** The kind of change that an address names, if it is one. */
export function kindOf(text: unknown): ObjectChangeKind | undefined {
  return OBJECT_CHANGE_KINDS.find((kind) => kind === text);
}
