import type { FastifyInstance } from 'fastify';
import { catalogueError } from './error-response';
import type { Responder } from './exchange';

const PATH = '/.well-known/jwks.json';
/** How long verifiers may cache the keys. A rotation publishes a key that long before signing with it. */
const MAX_AGE_SECONDS = 300;

/**
 * Serves the public keys of bearer tokens (RFC 7517), so that other systems can verify tokens; 503 while they are
 * unavailable.
 */
export function serveKeySet(
  app: FastifyInstance,
  keySet: () => Promise<unknown>,
  { start, send, sendError }: Responder,
): void {
  app.get(PATH, (request, reply) => {
    const exchange = start(request, reply, PATH);
    keySet().then(
      (keys) => send(exchange, 200, { 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` }, keys),
      () => sendError(exchange, catalogueError('SYS002')),
    );
  });
}
