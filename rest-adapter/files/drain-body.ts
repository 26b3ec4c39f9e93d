import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';

/** A body that does not end within this time is abandoned. */
const DRAIN_TIMEOUT_MS = 10_000;

/**
 * Drains the rest of a rejected request body for at most 10 s, because many clients lose a response that arrives before
 * they have sent their body. Returns `connection: close` if the body does not end in time.
 */
export async function drainBody(body: IncomingMessage): Promise<Record<string, string>> {
  if (body.destroyed || body.readableEnded) return {};
  const timeout = AbortSignal.timeout(DRAIN_TIMEOUT_MS);
  body.unpipe();
  body.resume();
  return finished(body, { signal: timeout, cleanup: true }).then(
    () => ({}),
    () => ({ connection: 'close' }),
  );
}
