import { isDeepStrictEqual } from 'node:util';
import type { Load } from './load';
import type { Side } from './rounds';

/** Asks two sides the same and demands the same answer, but for what is new in every answer: the baseline must do the same work. */
export async function demandSameAnswer(one: Side, other: Side): Promise<void> {
  const [first, second] = await Promise.all([answerOf(one), answerOf(other)]);
  if (!isDeepStrictEqual(first, second)) {
    throw new Error(
      `${one.name} and ${other.name} answer differently:\n${JSON.stringify(first)}\n${JSON.stringify(second)}`,
    );
  }
}

async function answerOf({ url, load }: Side): Promise<unknown> {
  const { path, init } = sampleOf(load);
  const response = await fetch(`${url}${path}`, init);
  const { response: _, extensions: __, ...body } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, etag: response.headers.get('etag'), ...body };
}

function sampleOf({ method, path, headers = {}, body, keys }: Load) {
  const fill = (text: string) => text.replaceAll('{key}', keys[0] as string).replaceAll('{new}', 'sample');
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
  return { path: fill(path), init: { method, headers: sent, ...(body === undefined ? {} : { body: fill(body) }) } };
}
