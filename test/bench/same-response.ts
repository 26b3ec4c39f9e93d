import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Load } from './load';
import type { Side } from './rounds';

/**
 * Sends the same request to two sides and throws unless the responses are equal, apart from values that are always new:
 * the baseline must do the same work.
 */
export async function expectSameResponse(one: Side, other: Side): Promise<void> {
  const [first, second] = await Promise.all([responseOf(one), responseOf(other)]);
  if (!isDeepStrictEqual(first, second)) {
    throw new Error(
      `${one.name} and ${other.name} answer differently:\n${JSON.stringify(first)}\n${JSON.stringify(second)}`,
    );
  }
}

async function responseOf({ url, load }: Side): Promise<unknown> {
  const { path, init } = sampleOf(load);
  const response = await fetch(`${url}${path}`, init);
  const common = { status: response.status, etag: response.headers.get('etag') };
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/json')) return { ...common, type, sha256: await sha256Of(response) };
  const { response: _, extensions: __, ...body } = (await response.json()) as Record<string, unknown>;
  return { ...common, ...body };
}

async function sha256Of(response: Response): Promise<string> {
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');
}

function sampleOf({ method, path, headers = {}, body, keys }: Load) {
  const fill = (text: string) => text.replaceAll('{key}', keys[0] as string).replaceAll('{new}', 'sample');
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
  return { path: fill(path), init: { method, headers: sent, ...(body === undefined ? {} : { body: fill(body) }) } };
}
