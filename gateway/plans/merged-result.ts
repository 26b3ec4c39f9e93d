import type { ResultObject } from './entity-references';

/** A segment of a plan's path: a response key, or `@` for every element of a list. */
type PathSegment = string;

const EACH = '@';
const PLAIN_KEY = /^[_A-Za-z][_0-9A-Za-z]*$/;

/** Returns the path of a plan node, or undefined if it has type conditions. */
export function planPath(path: readonly (string | number)[]): readonly PathSegment[] | undefined {
  const plain = path.every((segment) => typeof segment === 'string' && (segment === EACH || PLAIN_KEY.test(segment)));
  return plain ? (path as readonly string[]) : undefined;
}

/** Returns the entities at a path, in order, without nulls. */
export function entitiesAt(value: unknown, path: readonly PathSegment[]): ResultObject[] {
  const found: ResultObject[] = [];
  gather(value, path, 0, found);
  return found;
}

function gather(value: unknown, path: readonly PathSegment[], index: number, found: ResultObject[]): void {
  if (value === null || value === undefined) return;
  const segment = path[index];
  if (segment === undefined) found.push(value as ResultObject);
  else if (segment !== EACH) gather((value as ResultObject)[segment], path, index + 1, found);
  else for (const element of value as readonly unknown[]) gather(element, path, index + 1, found);
}

/** Returns the response paths of {@link entitiesAt}, in the same order. Called only to locate errors. */
export function pathsAt(value: unknown, path: readonly PathSegment[]): (string | number)[][] {
  const found: (string | number)[][] = [];
  gatherPaths(value, path, 0, [], found);
  return found;
}

function gatherPaths(
  value: unknown,
  path: readonly PathSegment[],
  index: number,
  at: (string | number)[],
  found: (string | number)[][],
) {
  if (value === null || value === undefined) return;
  const segment = path[index];
  if (segment === undefined) found.push(at);
  else if (segment !== EACH) gatherPaths((value as ResultObject)[segment], path, index + 1, [...at, segment], found);
  else
    (value as readonly unknown[]).forEach((element, each) =>
      gatherPaths(element, path, index + 1, [...at, each], found),
    );
}

/** Merges the result of a subgraph into `target`. */
export function mergeInto(target: ResultObject, source: Readonly<ResultObject>): void {
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

function isObject(value: unknown): value is ResultObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
