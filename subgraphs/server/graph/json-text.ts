import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { GraphQLNonNull, GraphQLScalarType } from 'graphql';

/** The JSON string that stands for a text. Random, so that no client can send it. */
const PLACEHOLDER = `json-text:${randomUUID()}`;

/** The texts of the result that {@link jsonWithTexts} converts at present; undefined outside of it. */
let collected: JsonText[] | undefined;

/**
 * A long list that a subgraph has written as JSON, because completing it field by field and stringifying it blocks the event loop.
 * {@link jsonBody} passes its bytes on; `JSON.stringify` parses it and inserts the list.
 */
export class JsonText {
  /** @param bytes the JSON in UTF-8 */
  constructor(readonly bytes: Uint8Array) {}

  toJSON(): unknown {
    if (collected === undefined)
      return JSON.parse(Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString());
    collected.push(this);
    return PLACEHOLDER;
  }
}

/** The JSON of a result: a string, or its parts in order if it contains a {@link JsonText}. */
export type JsonBody = string | readonly (string | Uint8Array)[];

/** JSON of a value in which a placeholder stands for each {@link JsonText}. */
export interface JsonWithTexts {
  readonly json: string;
  readonly placeholder: string;
  /** In the order of their placeholders. */
  readonly texts: readonly JsonText[];
}

/** Returns the JSON of a value that may contain {@link JsonText}, and the texts beside it. */
export function jsonWithTexts(value: unknown): JsonWithTexts {
  const texts: JsonText[] = [];
  collected = texts;
  try {
    return { json: JSON.stringify(value), placeholder: PLACEHOLDER, texts };
  } finally {
    collected = undefined;
  }
}

/** Returns the JSON of a result that may contain {@link JsonText}. */
export function jsonBody(value: unknown): JsonBody {
  const { json, placeholder, texts } = jsonWithTexts(value);
  if (texts.length === 0) return json;
  const [start = '', ...strings] = json.split(`"${placeholder}"`);
  return [start, ...strings.flatMap((part, index) => [(texts[index] as JsonText).bytes, part])];
}

/** Returns the JSON as one text. */
export function writtenText(body: JsonBody): JsonText {
  const parts = typeof body === 'string' ? [body] : body;
  return new JsonText(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));
}

/** Bytes that are passed on in one turn of the event loop. */
const CHUNK_BYTES = 64 * 1024;

/** Returns the JSON as the body of a response: several parts as a stream, between whose chunks other requests run. */
export function sendable(body: JsonBody): string | Readable {
  return typeof body === 'string' ? body : Readable.from(chunksOf(body), { objectMode: false });
}

async function* chunksOf(parts: Exclude<JsonBody, string>): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      yield bytes.subarray(at, at + CHUNK_BYTES);
      await setImmediate();
    }
  }
}

/** The type of a field whose resolver returns a {@link JsonText}. */
export const JSON_TEXT = new GraphQLNonNull(
  new GraphQLScalarType<JsonText, JsonText>({ name: 'JsonText', serialize: (value) => value as JsonText }),
);
