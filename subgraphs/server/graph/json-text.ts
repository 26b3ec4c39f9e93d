import { randomUUID } from 'node:crypto';
import { GraphQLNonNull, GraphQLScalarType } from 'graphql';

/** Placeholder of a text while a result is stringified. Random, so that no client can send it. */
const MARKER = `json-text:${randomUUID()}`;

/** The texts of the result that {@link stringify} converts at present; undefined outside of it. */
let collected: JsonText[] | undefined;

/**
 * A long list that a subgraph has written as JSON text, because completing it field by field and stringifying it blocks the event loop.
 * {@link stringify} inserts the text; `JSON.stringify` parses it and inserts the list.
 */
export class JsonText {
  constructor(private readonly parts: readonly string[]) {}

  /** Characters. */
  get length(): number {
    return this.parts.reduce((sum, part) => sum + part.length, 0);
  }

  toString(): string {
    return this.parts.join('');
  }

  toJSON(): unknown {
    if (collected === undefined) return JSON.parse(this.toString());
    collected.push(this);
    return MARKER;
  }
}

/** Stringifies a result that may contain {@link JsonText}. */
export function stringify(value: unknown): string {
  const texts: JsonText[] = [];
  collected = texts;
  let json: string;
  try {
    json = JSON.stringify(value);
  } finally {
    collected = undefined;
  }
  if (texts.length === 0) return json;
  const parts = json.split(`"${MARKER}"`);
  return parts.map((part, index) => part + (texts[index]?.toString() ?? '')).join('');
}

/** The type of a field whose resolver returns a {@link JsonText}. */
export const JSON_TEXT = new GraphQLNonNull(
  new GraphQLScalarType<JsonText, JsonText>({ name: 'JsonText', serialize: (value) => value as JsonText }),
);
