/** A part of a query as text without blanks around it; undefined when it is absent, empty or came twice. */
export function textOf(text: unknown): string | undefined {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  return trimmed === '' ? undefined : trimmed;
}

/** Where the next page of a list begins, as an address carries it. */
export function cursorOf(after: unknown): string | undefined {
  return textOf(after);
}

/** An address with these parts of a query: those that are absent are left out. */
export function withQuery(path: string, parts: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parts).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
