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

/** Where the next page of a list begins, as an address carries it. */
export function cursorOf(after: unknown): string | undefined {
  return textOf(after);
}

function textOf(text: unknown): string | undefined {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  return trimmed === '' ? undefined : trimmed;
}

/** An address with these parts of a query: those that are absent are left out. */
export function withQuery(path: string, parts: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parts).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
