/** Returns a query parameter without surrounding white space; undefined if it is absent, empty or repeated. */
export function textOf(text: unknown): string | undefined {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  return trimmed === '' ? undefined : trimmed;
}

/** Returns the links of a list to its next page and back to the first; undefined if there is no next page, or this is the first. */
export function pageLinks<Cursor>(
  after: Cursor | undefined,
  nextCursor: Cursor | null | undefined,
  address: (cursor?: Cursor) => string,
) {
  return {
    next: nextCursor == null ? undefined : address(nextCursor),
    first: after === undefined ? undefined : address(),
  };
}

/** Returns a path with a query string; undefined parameters are omitted. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | number | undefined>>): string {
  const present = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return present.length === 0 ? path : `${path}?${new URLSearchParams(present)}`;
}
