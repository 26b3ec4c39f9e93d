import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import fresh from 'fresh';

/** Path of the schema for clients, in production too. */
export const CLIENT_SCHEMA_PATH = '/schema.graphql';

/**
 * Serves the schema for clients as SDL. Every client may read it, because it contains nothing that only the back office
 * may call: client developers need a schema before they have an account, and have no right to introspect in production.
 */
export function addClientSchema(app: FastifyInstance, sdl: string): void {
  const tag = `"${createHash('sha256').update(sdl).digest('base64url')}"`;
  app.get(CLIENT_SCHEMA_PATH, (request, reply) => {
    void reply.headers({ etag: tag, 'cache-control': 'public, no-cache', 'x-content-type-options': 'nosniff' });
    const { 'if-none-match': noneMatch } = request.headers; // without `Cache-Control`, which addresses caches
    if (fresh({ 'if-none-match': noneMatch }, { etag: tag })) return reply.code(304).send();
    return reply.type('text/plain; charset=utf-8').send(sdl);
  });
}
