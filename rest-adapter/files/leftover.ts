import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';

/** Milliseconds for which what nobody wants is read. */
const WORTH_IT = 10_000;

/**
 * Reads to its end a body that was refused before all of it came: an answer before that end is lost on many a client, and keeps the
 * connection from being used again. Answers the headers of what is to be said then: where the end is far, it ends the connection.
 */
export async function readLeftover(body: IncomingMessage): Promise<Record<string, string>> {
  if (body.destroyed || body.readableEnded) return {};
  const enough = AbortSignal.timeout(WORTH_IT);
  body.unpipe();
  body.resume();
  return finished(body, { signal: enough, cleanup: true }).then(
    () => ({}),
    () => ({ connection: 'close' }),
  );
}
