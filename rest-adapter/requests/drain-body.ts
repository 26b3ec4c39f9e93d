import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';

/** Bounds within which the rest of a rejected body is read. A body that exceeds one is abandoned. */
interface DrainBounds {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Bounds of an archive at an upload address; a client that names too many invalid ones is read {@link BRIEFLY}. */
export const ARCHIVE: DrainBounds = { timeoutMs: 10_000, maxBytes: Number.POSITIVE_INFINITY };

/** Bounds of a body that any client may send without credentials, as often as it likes. */
export const BRIEFLY: DrainBounds = { timeoutMs: 2_000, maxBytes: 8 * 1024 * 1024 };

/**
 * Drains the rest of a rejected request body within its bounds, because many clients lose a response that arrives before
 * they have sent their body. Returns `connection: close` if the body does not end within them.
 */
export async function drainBody(
  body: IncomingMessage,
  { timeoutMs, maxBytes }: DrainBounds,
): Promise<Record<string, string>> {
  if (body.destroyed || body.readableEnded) return {};
  const exceeded = new AbortController();
  let received = 0;
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBytes) exceeded.abort();
  };
  body.unpipe();
  body.on('data', count);
  body.resume();
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), exceeded.signal]);
  return finished(body, { signal, cleanup: true })
    .then(
      () => ({}),
      () => ({ connection: 'close' }),
    )
    .finally(() => body.off('data', count));
}
