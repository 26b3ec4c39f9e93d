import type { Merged } from './entity-references';

/** A segment of a plan's path: a response key, or every element of a list. */
export type PathSegment = string;

const EACH = '@';
const PLAIN_KEY = /^[_A-Za-z][_0-9A-Za-z]*$/;

/** The path of a plan's node; undefined when it has type conditions. */
export function planPath(path: readonly (string | number)[]): readonly PathSegment[] | undefined {
  const plain = path.every((segment) => typeof segment === 'string' && (segment === EACH || PLAIN_KEY.test(segment)));
  return plain ? (path as readonly string[]) : undefined;
}

/** The entities at a path, in order, without nulls. */
export function entitiesAt(value: unknown, path: readonly PathSegment[]): Merged[] {
  const found: Merged[] = [];
  gather(value, path, 0, found);
  return found;
}

function gather(value: unknown, path: readonly PathSegment[], index: number, found: Merged[]): void {
  if (value === null || value === undefined) return;
  const segment = path[index];
  if (segment === undefined) found.push(value as Merged);
  else if (segment !== EACH) gather((value as Merged)[segment], path, index + 1, found);
  else for (const element of value as readonly unknown[]) gather(element, path, index + 1, found);
}

/** The response paths of {@link entitiesAt}, in the same order: asked for only when an error must be placed. */
export function placesAt(value: unknown, path: readonly PathSegment[]): (string | number)[][] {
  const found: (string | number)[][] = [];
  gatherPlaces(value, path, 0, [], found);
  return found;
}

function gatherPlaces(
  value: unknown,
  path: readonly PathSegment[],
  index: number,
  at: (string | number)[],
  found: (string | number)[][],
) {
  if (value === null || value === undefined) return;
  const segment = path[index];
  if (segment === undefined) found.push(at);
  else if (segment !== EACH) gatherPlaces((value as Merged)[segment], path, index + 1, [...at, segment], found);
  else
    (value as readonly unknown[]).forEach((element, each) =>
      gatherPlaces(element, path, index + 1, [...at, each], found),
    );
}

/** Merges what a subgraph answered into the answer so far. */
export function mergeInto(target: Merged, source: Readonly<Merged>): void {
  for (const key in source) {
    const added = source[key];
    if (added === undefined) continue;
    const present = target[key];
    if (isObject(present) && isObject(added)) mergeInto(present, added);
    else if (Array.isArray(present) && Array.isArray(added) && present.length === added.length)
      mergeLists(present, added);
    else target[key] = added;
  }
}

function mergeLists(target: unknown[], source: readonly unknown[]): void {
  source.forEach((added, index) => {
    const present = target[index];
    if (isObject(present) && isObject(added)) mergeInto(present, added);
    else target[index] = added;
  });
}

function isObject(value: unknown): value is Merged {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
