import stringify from 'safe-stable-stringify';

/**
 * Returns the text by whose hash a repeated request is recognised. A member that is null counts as absent, so that a request has the same text
 * after an upgrade that adds an optional member, which GraphQL sets to null. Nulls in lists remain.
 */
export function contentText(content: unknown): string {
  return stringify(content, withoutNull) ?? '';
}

function withoutNull(_: string, value: unknown): unknown {
  return value === null ? undefined : value;
}

/**
 * Returns the text whose hash 0.1.0 stored: with members that are null, and one of its bodies without `state`. Stored hashes expire after 24
 * hours: delete this function in the release after this one.
 */
export function contentTextOf010(content: unknown): string {
  return stringify(content, withoutNullState) ?? '';
}

function withoutNullState(name: string, value: unknown): unknown {
  return name === 'state' && value === null ? undefined : value;
}
