import { type DocumentNode, type ExecutionResult, type GraphQLError, visit } from 'graphql';

type ErrorSort = (result: ExecutionResult) => ExecutionResult;

/**
 * Returns a function that sorts the errors of a result by their paths, response keys in the order of the document.
 * Subgraphs respond in any order; the response of an operation, its HTTP status and its metrics do not depend on it.
 */
export function errorSort(document: DocumentNode): ErrorSort {
  let keys: ReadonlyMap<string, number> | undefined;
  return (result) => {
    if (!result.errors || result.errors.length < 2) return result;
    keys ??= responseKeys(document);
    const order = keys;
    return { ...result, errors: result.errors.toSorted((one, other) => compareErrors(one, other, order)) };
  };
}

/** Returns the response keys of a document with the position of their first use. */
function responseKeys(document: DocumentNode): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  visit(document, {
    Field({ alias, name }) {
      const key = (alias ?? name).value;
      if (!keys.has(key)) keys.set(key, keys.size);
    },
  });
  return keys;
}

function compareErrors(one: GraphQLError, other: GraphQLError, keys: ReadonlyMap<string, number>): number {
  const [path, otherPath] = [one.path ?? [], other.path ?? []];
  const difference = path.findIndex((segment, index) => segment !== otherPath[index]);
  if (difference === -1 || difference >= otherPath.length)
    return path.length - otherPath.length || compareTexts(textOf(one), textOf(other));
  const positionOf = (segment: string | number | undefined) =>
    typeof segment === 'number' ? segment : (keys.get(segment ?? '') ?? 0);
  return positionOf(path[difference]) - positionOf(otherPath[difference]);
}

function textOf({ message, extensions }: GraphQLError): string {
  return `${String(extensions['code'])} ${message}`;
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
