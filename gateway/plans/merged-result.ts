import { Kind, type SelectionSetNode } from 'graphql';
import { JsonText } from '../../subgraphs/server/graph/json-text';
import type { Fragments } from '../../subgraphs/server/graph/root-fields';
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

/** A response key that a fetch selects. `nested` are the keys of its objects, of all types together; undefined for a leaf. */
interface SelectedKey {
  readonly key: string;
  readonly nested: readonly SelectedKey[] | undefined;
}

/** Returns the response keys of selection sets, with fragments merged. */
export function selectedKeys(sets: readonly SelectionSetNode[], fragments: Fragments): readonly SelectedKey[] {
  const setsOfKeys = new Map<string, SelectionSetNode[]>();
  sets.forEach((set) => collectKeys(set, fragments, setsOfKeys));
  return [...setsOfKeys].map(([key, nested]) => ({
    key,
    nested: nested.length === 0 ? undefined : selectedKeys(nested, fragments),
  }));
}

function collectKeys(set: SelectionSetNode, fragments: Fragments, into: Map<string, SelectionSetNode[]>): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      into.set(key, [...(into.get(key) ?? []), ...(selection.selectionSet ? [selection.selectionSet] : [])]);
    } else {
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (fragment) collectKeys(fragment.selectionSet, fragments, into);
    }
  }
}

/**
 * Merges the result of a fetch into `target`: only the keys that the fetch selects, because a captured subgraph in a process of its own could
 * send a value for a field of another subgraph, or a `__proto__` that changes every object of the gateway.
 */
export function mergeInto(target: ResultObject, source: Readonly<ResultObject>, keys: readonly SelectedKey[]): void {
  for (const { key, nested } of keys) {
    const added = Object.hasOwn(source, key) ? source[key] : undefined;
    if (added !== undefined) target[key] = nested === undefined ? added : merged(target[key], added, nested);
  }
}

function merged(present: unknown, added: unknown, keys: readonly SelectedKey[]): unknown {
  if (Array.isArray(added)) {
    const elements = Array.isArray(present) && present.length === added.length ? (present as unknown[]) : [];
    return added.map((element, index) => merged(elements[index], element, keys));
  }
  if (!isObject(added) || added instanceof JsonText) return added;
  const target = isObject(present) ? present : {};
  mergeInto(target, added, keys);
  return target;
}

function isObject(value: unknown): value is ResultObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
